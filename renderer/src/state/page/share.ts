import { useEffect, useRef } from 'react';
import { pageBase } from './at-bench.ts';
import type { Look, Route } from './routes.ts';

/** What a view shows, as far as an address can say it. */
export interface SharedView {
  job?: string | undefined;
  file?: string | undefined;
  line?: number | undefined;
  look?: Readonly<Record<string, string | undefined>>;
}

/** The mounted views, outermost first. */
const views: { read(): SharedView }[] = [];

/** While the view is mounted, links to the page contain what it shows. */
export function useSharedView(read: () => SharedView): void {
  const latest = useRef(read);
  latest.current = read;
  useEffect(() => {
    const view = { read: () => latest.current() };
    views.unshift(view);
    return () => void views.splice(views.indexOf(view), 1);
  }, []);
}

/** The route with all that its views show now. */
export function sharedRoute(route: Route): Route {
  if (route.kind !== 'node') return route;
  const { look: _old, ...place } = route;
  let shared: Extract<Route, { kind: 'node' }> = place;
  const look: Look = {};
  for (const { read } of views) {
    const { look: more = {}, job, file, line } = read();
    shared = {
      ...shared,
      ...(job !== undefined && { job }),
      ...(file !== undefined && { file }),
      ...(line !== undefined && { line }),
    };
    for (const [name, value] of Object.entries(more)) if (value) look[name] = value;
  }
  return Object.keys(look).length > 0 ? { ...shared, look } : shared;
}

/** Whether a host name is the computer itself. */
export const isLoopback = (host: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(host);

/** A link of the service for other computers. If this page came from another computer, its own address works. */
export const reachableLink = (url: string): string =>
  isLoopback(window.location.hostname) ? url : `${pageBase(window.location.href)}/${new URL(url).hash}`;

/**
 * The address of a route for somebody else. A page that was opened on the bench's own computer gets the address of the
 * bench on the LAN; `onlyHere` is true while it has none.
 * @param page address of this page
 * @param lan addresses of the bench on the LAN
 */
export function addressFor(
  hash: string,
  page: URL,
  lan: readonly string[],
): { address: string; onlyHere: boolean } {
  const shared = new URL(page);
  shared.hash = hash;
  if (!isLoopback(page.hostname)) return { address: shared.href, onlyHere: false };
  const [first] = lan;
  if (first === undefined) return { address: shared.href, onlyHere: true };
  return { address: new URL(shared.pathname + shared.search + shared.hash, first).href, onlyHere: false };
}
