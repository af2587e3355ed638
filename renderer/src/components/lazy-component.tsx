import { type ComponentType, lazy, useState } from 'react';
import { noneWaitedFor, waitedForUntil } from '../state/page/waited-for.ts';
import { orLoadAnew } from './missing-module.ts';

const waiting: (() => Promise<unknown>)[] = [];
let mayLoad = false;
let busy = false;

/** Resolves when the page has nothing else to do. */
const idle = (): Promise<void> =>
  new Promise((resolve) => {
    if (typeof requestIdleCallback === 'function') requestIdleCallback(() => resolve());
    else setTimeout(resolve, 1000);
  });

/**
 * One after the other, and none is begun while an answer is waited for: on a slow line what somebody asks for has it for
 * himself, or shares it with the one that is on its way.
 */
async function loadWaiting(): Promise<void> {
  if (busy) return;
  busy = true;
  while (mayLoad && waiting.length > 0) {
    await idle();
    await noneWaitedFor();
    // While it waited the service may have gone: browsers never ask again for a module that could not be had.
    const load = mayLoad ? waiting.shift() : undefined;
    await load?.().catch(() => {});
  }
  busy = false;
}

/**
 * What waits for the first page is loaded when the page has nothing else to do.
 * @param may the first page is there, and the service answers
 */
export function preloadLazyComponents(may: boolean): void {
  mayLoad = may;
  void loadWaiting();
}

/**
 * A component that is loaded after the first page, of whose way it is kept. From then on it is there at once when it is
 * shown, so that what is typed right after the key that opens it is not lost; before, the Suspense around it waits.
 */
export function lazyComponent<P extends object>(
  load: () => Promise<{ default: ComponentType<P> }>,
): ComponentType<P> {
  let loaded: ComponentType<P> | undefined;
  const fetched = async () => {
    const module = await load();
    loaded = module.default;
    return module;
  };
  const Waiting: ComponentType<P> = lazy(() => orLoadAnew(() => waitedForUntil(fetched())));
  waiting.push(fetched);
  void loadWaiting();
  return function Later(props: P) {
    const [Shown] = useState(() => loaded ?? Waiting);
    return <Shown {...props} />;
  };
}
