import { useSyncExternalStore } from 'react';
import { formatRoute, parseRoute, type Route } from './routes.ts';

/**
 * Addresses are behind `#`, since paths such as /jobs belong to the REST service. A deep link that came as a
 * path (`/node/3`, `/job/ID`) is rewritten once.
 */
export function adoptPath(location: Location, history: History): void {
  const path = location.pathname;
  if (path === '/' || path === '/index.html') return;
  const address = location.hash.length > 1 ? location.hash : `#${path}${location.search}`;
  history.replaceState(null, '', `/${address}`);
}

let cachedHash: string | undefined;
let cachedRoute: Route = { kind: 'bench' };

/** The route of the address now; the same object while the address is the same. */
export function currentRoute(): Route {
  const { hash } = window.location;
  if (hash !== cachedHash) {
    cachedHash = hash;
    cachedRoute = parseRoute(hash);
  }
  return cachedRoute;
}

function subscribe(listener: () => void): () => void {
  window.addEventListener('hashchange', listener);
  window.addEventListener('popstate', listener);
  return () => {
    window.removeEventListener('hashchange', listener);
    window.removeEventListener('popstate', listener);
  };
}

export const useRoute = (): Route => useSyncExternalStore(subscribe, currentRoute);

/** Goes to a route; `replace` leaves no step to go back to. */
export function navigate(route: Route, replace = false): void {
  const address = `#${formatRoute(route)}`;
  if (window.location.hash === address) return;
  if (!replace) {
    window.location.hash = address;
    return;
  }
  window.history.replaceState(null, '', address);
  window.dispatchEvent(new PopStateEvent('popstate'));
}
