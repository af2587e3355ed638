import { useSyncExternalStore } from 'react';
import { formatRoute, parseRoute, type Route } from './routes.ts';

// Addresses are after `#`: paths such as /jobs belong to the REST service, which redirects browsers to the same place
// after `#`.
let cachedHash: string | undefined;
let cachedRoute: Route = { kind: 'bench' };

/** The screen that asks before the person leaves it: its address and its question. */
let guard: { hash: string; ask(leave: () => void): void } | undefined;

/**
 * Asks before the person leaves the current address; `leave` goes on. Returns a function that ends it. One screen at a
 * time can hold its address.
 */
export function holdRoute(ask: (leave: () => void) => void): () => void {
  const mine = { hash: window.location.hash, ask };
  guard = mine;
  return () => {
    if (guard === mine) guard = undefined;
  };
}

/** Restores the held address after a change, and asks. */
function keepHeld(): void {
  const wanted = window.location.hash;
  if (guard === undefined || wanted === guard.hash) return;
  const { hash, ask } = guard;
  window.history.replaceState(null, '', hash === '' ? '#/' : hash);
  ask(() => {
    guard = undefined;
    window.location.hash = wanted;
  });
}

/** The current route; the same object while the address is the same. */
export function currentRoute(): Route {
  const hash = guard?.hash ?? window.location.hash;
  if (hash !== cachedHash) {
    cachedHash = hash;
    cachedRoute = parseRoute(hash);
  }
  return cachedRoute;
}

/** Calls the listener after each change of the address. Returns a function that ends it. */
export function followRoute(listener: () => void): () => void {
  const onAddress = () => {
    keepHeld();
    listener();
  };
  window.addEventListener('hashchange', onAddress);
  window.addEventListener('popstate', onAddress);
  return () => {
    window.removeEventListener('hashchange', onAddress);
    window.removeEventListener('popstate', onAddress);
  };
}

export const useRoute = (): Route => useSyncExternalStore(followRoute, currentRoute);

/**
 * Goes to a route; `replace` adds no history entry. Views learn of it at once, not in the browser's next task: keys
 * pressed meanwhile would reach the old view.
 */
export function navigate(route: Route, replace = false): void {
  goTo(`#${formatRoute(route)}`, replace);
}

/**
 * Goes to a route after some work, unless the person has left the current address by then; called again, it goes on from
 * there.
 */
export function navigateLater(): typeof navigate {
  let from = currentRoute();
  return (route, replace) => {
    if (currentRoute() !== from) return;
    navigate(route, replace);
    from = currentRoute();
  };
}

function goTo(address: string, replace: boolean): void {
  if (window.location.hash === address) return;
  if (replace) window.history.replaceState(null, '', address);
  else window.history.pushState(null, '', address);
  window.dispatchEvent(new PopStateEvent('popstate'));
}

/** Makes links within the page act at once, as `navigate` does: the browser's own event comes one task later. */
export function followLinks(page: Document): void {
  page.addEventListener('click', (event) => {
    const { button, ctrlKey, metaKey, shiftKey, altKey, target } = event;
    if (event.defaultPrevented || button !== 0 || ctrlKey || metaKey || shiftKey || altKey) return;
    const link = target instanceof Element ? target.closest('a') : null;
    const address = link?.getAttribute('href');
    if (!address?.startsWith('#/') || link?.target) return;
    event.preventDefault();
    goTo(address, false);
  });
}
