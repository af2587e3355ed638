import { type ComponentType, lazy, useState } from 'react';
import { noneWaitedFor, waitedForUntil } from '../state/page/waited-for.ts';
import { orLoadAnew } from './missing-module.ts';

const waiting: (() => Promise<unknown>)[] = [];
let mayLoad = false;
let busy = false;

/** Resolves when the browser is idle. */
const idle = (): Promise<void> =>
  new Promise((resolve) => {
    if (typeof requestIdleCallback === 'function') requestIdleCallback(() => resolve());
    else setTimeout(resolve, 1000);
  });

/**
 * Loads the waiting components one after the other, and none while a request is pending: on a slow connection the
 * person's request comes first.
 */
async function loadWaiting(): Promise<void> {
  if (busy) return;
  busy = true;
  while (mayLoad && waiting.length > 0) {
    await idle();
    await noneWaitedFor();
    // The service may have gone meanwhile. A browser never requests a failed module again.
    const load = mayLoad ? waiting.shift() : undefined;
    await load?.().catch(() => {});
  }
  busy = false;
}

/**
 * Loads the waiting components while the browser is idle. @param may the first page is there, and the service answers
 */
export function preloadLazyComponents(may: boolean): void {
  mayLoad = may;
  void loadWaiting();
}

/**
 * A component that loads after the first page. Once loaded it renders at once, and keeps what you type right after its
 * key; until then the Suspense around it waits.
 * @param first loads before the others, because most people open it next
 */
export function lazyComponent<P extends object>(
  load: () => Promise<{ default: ComponentType<P> }>,
  { first = false } = {},
): ComponentType<P> {
  let loaded: ComponentType<P> | undefined;
  const fetched = async () => {
    const module = await load();
    loaded = module.default;
    return module;
  };
  const Waiting: ComponentType<P> = lazy(() => orLoadAnew(() => waitedForUntil(fetched())));
  if (first) waiting.unshift(fetched);
  else waiting.push(fetched);
  void loadWaiting();
  return function Later(props: P) {
    const [Shown] = useState(() => loaded ?? Waiting);
    return <Shown {...props} />;
  };
}
