import { type ComponentType, lazy, useState } from 'react';
import { noneWaitedFor, waitedForUntil } from '../state/waited-for.ts';

const waiting: (() => Promise<unknown>)[] = [];
let firstPageIsThere = false;
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
  if (!firstPageIsThere || busy) return;
  busy = true;
  for (let load = waiting.shift(); load !== undefined; load = waiting.shift()) {
    await idle();
    await noneWaitedFor();
    // A failure is met when the component is asked for: it is loaded again then.
    await load().catch(() => {});
  }
  busy = false;
}

/** The first page is there: what waits for that is loaded when the page has nothing else to do. */
export function loadTheRest(): void {
  firstPageIsThere = true;
  void loadWaiting();
}

/**
 * A component that is loaded after the first page, of whose way it is kept. From then on it is there at once when it is
 * shown, so that what is typed right after the key that opens it is not lost; before, the Suspense around it waits.
 */
export function later<P extends object>(
  load: () => Promise<{ default: ComponentType<P> }>,
): ComponentType<P> {
  let loaded: ComponentType<P> | undefined;
  const fetched = async () => {
    const module = await load();
    loaded = module.default;
    return module;
  };
  const Waiting: ComponentType<P> = lazy(() => waitedForUntil(fetched()));
  waiting.push(fetched);
  void loadWaiting();
  return function Later(props: P) {
    const [Shown] = useState(() => loaded ?? Waiting);
    return <Shown {...props} />;
  };
}
