import { addressOf, type EndpointId } from '../../server/contract/endpoints.ts';
import type { Route } from '../../server/contract/route.ts';
import { ROUTES } from '../../server/contract/routes.ts';
import { chapter, code, table } from './markdown.ts';

/** The tables of docs/endpoints.md, by subject of the routes. */
export function endpointsTables(): string {
  const routes = Object.entries<Route>(ROUTES) as [EndpointId, Route][];
  return [...new Set(routes.map(([, { tag }]) => tag))]
    .map((tag) => {
      const rows = routes
        .filter(([, route]) => route.tag === tag)
        .map(([id, { summary, access }]) => [code(addressOf(id)), code(id), summary, access]);
      return chapter(tag, table(['Request', 'Operation', 'Result', 'For'], rows));
    })
    .join('\n\n');
}
