import { type ComponentType, lazy, useState } from 'react';

/**
 * A component that is loaded when the page has nothing else to do, after the first screen. From then on it is there
 * at once when it is shown, so that what is typed right after the key that opens it is not lost; before, the
 * Suspense around it waits.
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
  const Waiting: ComponentType<P> = lazy(fetched);
  // A failure is met when the component is asked for: it is loaded again then.
  const early = () => void fetched().catch(() => {});
  if (typeof requestIdleCallback === 'function') requestIdleCallback(early);
  else setTimeout(early, 1000);
  return function Later(props: P) {
    const [Shown] = useState(() => loaded ?? Waiting);
    return <Shown {...props} />;
  };
}
