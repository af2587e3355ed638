import { useSyncExternalStore } from 'react';
import { formatRoute, parseRoute, type Route } from './routes.ts';

// Addresses are behind `#`, since paths such as /jobs belong to the REST service, which sends those who open a page by one of
// them to the place behind `#`.
let cachedHash: string | undefined;
let cachedRoute: Route = { kind: 'bench' };

/** A screen that is not left unasked: its address, and who asks. */
let held: { hash: string; ask(leave: () => void): void } | undefined;

/**
 * Stays at the address of now: whoever goes elsewhere is asked first, and gets there by calling `leave`. Returns what
 * lets go again. One screen at a time can hold on to its address.
 */
export function holdRoute(ask: (leave: () => void) => void): () => void {
  const mine = { hash: window.location.hash, ask };
  held = mine;
  return () => {
    if (held === mine) held = undefined;
  };
}

/** Puts the held address back where another was gone to, and asks. */
function keepHeld(): void {
  const wanted = window.location.hash;
  if (held === undefined || wanted === held.hash) return;
  const { hash, ask } = held;
  window.history.replaceState(null, '', hash === '' ? '#/' : hash);
  ask(() => {
    held = undefined;
    window.location.hash = wanted;
  });
}

/** The route of the address now; the same object while the address is the same. */
export function currentRoute(): Route {
  const hash = held?.hash ?? window.location.hash;
  if (hash !== cachedHash) {
    cachedHash = hash;
    cachedRoute = parseRoute(hash);
  }
  return cachedRoute;
}

function subscribe(listener: () => void): () => void {
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

export const useRoute = (): Route => useSyncExternalStore(subscribe, currentRoute);

/**
 * Goes to a route; `replace` leaves no step to go back to. What shows it is told at once, not with the browser's next
 * task: keys that are pressed meanwhile would still reach the view that was left.
 */
export function navigate(route: Route, replace = false): void {
  goTo(`#${formatRoute(route)}`, replace);
}

function goTo(address: string, replace: boolean): void {
  if (window.location.hash === address) return;
  if (replace) window.history.replaceState(null, '', address);
  else window.history.pushState(null, '', address);
  window.dispatchEvent(new PopStateEvent('popstate'));
}

/** Has links to addresses of the page gone to at once, as `navigate` does: the browser itself tells of it a task later. */
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
