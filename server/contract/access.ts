import { ENDPOINTS, type EndpointId } from './endpoints.ts';
import type { FpgaState } from './nodes/nodes.ts';
import type { Route } from './route.ts';
import { ROUTES } from './routes.ts';

/** The caller's credentials, and its relation to the node and the job of the request. */
export const ROLES = [
  'no key',
  'wrong key',
  'key of another',
  'key of the holder',
  'session id',
  'operator',
  'operator’s key',
] as const;
/**
 * `session id` is a caller with another's key who got the id of the session. `operator` has the operator token, and
 * `operator’s key` is a key with that right.
 */
export type Role = (typeof ROLES)[number];

/** A row of the access table; followed logs and replacing submits have rows of their own. */
export interface AccessRow {
  id: EndpointId;
  /** The query that it asks with, e.g. `follow` for `?follow=1`. */
  asks: 'follow' | 'replace' | null;
}

const routes: Readonly<Record<string, Route>> = ROUTES;

const asksOf = (holder: Route['holder']): ('follow' | 'replace')[] =>
  holder === 'follow' || holder === 'replace' ? [holder] : [];

export const ACCESS_ROWS: readonly AccessRow[] = (Object.keys(ENDPOINTS) as EndpointId[]).flatMap((id) => [
  { id, asks: null },
  ...asksOf(routes[id]?.holder).map((asks) => ({ id, asks })),
]);

/** Null where the caller is admitted; else the error code. Job and design belong to the node's holder. */
function refusalOf(row: AccessRow, role: Role, enforced: boolean, hasSession: boolean): string | null {
  const route = routes[row.id] as Route;
  // The table is for callers on this computer; from elsewhere a `local` route needs a key, enforced or not.
  if (route.access === 'open' || route.access === 'local') return null;
  const withoutKey = role === 'no key' ? 'missing_api_key' : role === 'wrong key' ? 'invalid_api_key' : null;
  // A route about the caller's own key needs one from every caller.
  if (route.errors?.includes('missing_api_key') && role === 'operator') return 'missing_api_key';
  if (route.errors?.includes('missing_api_key') && withoutKey) return withoutKey;
  if (role === 'operator' || role === 'operator’s key') return null;
  if (enforced && withoutKey) return withoutKey;
  if (route.access === 'operator') return 'operator_only';
  if (!enforced || role === 'key of the holder') return null;
  if (route.holder === 'design') return 'not_design_owner';
  const lent = role === 'session id' && hasSession;
  if (route.holder === 'node' || route.holder === 'stream' || row.asks === 'replace')
    return hasSession && !lent ? 'not_session_holder' : null;
  if (route.holder === 'job' || row.asks === 'follow') return lent ? null : 'not_session_holder';
  return null;
}

/**
 * The answer to a role on a route of a node in a state: null where the caller is admitted and the node accepts the
 * request, else the error code. A node has a session while it is `reserved`.
 */
export function answerTo(row: AccessRow, role: Role, state: FpgaState, enforced = true): string | null {
  const refusal = refusalOf(row, role, enforced, state === 'reserved');
  if (refusal !== null) return refusal;
  const { needs } = routes[row.id] as Route;
  // A replacement needs a running design.
  if (row.asks === 'replace' && state === 'reserved') return null;
  return needs && !needs.states.includes(state) ? needs.otherwise : null;
}
