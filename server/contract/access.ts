import { ENDPOINTS, type EndpointId } from './endpoints.ts';
import type { FpgaState } from './nodes/nodes.ts';
import type { Route } from './route.ts';
import { ROUTES } from './routes.ts';

/** Who calls: with what, and what it is to the node and the job that are asked about. */
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
 * `session id` is a caller with another's key who was given the id of the session; `operator` has the operator token, and
 * `operator’s key` is a minted key that carries the right.
 */
export type Role = (typeof ROLES)[number];

/** A route as the table has it: followed logs and replacing submits are rows of their own. */
export interface AccessRow {
  id: EndpointId;
  /** What is asked for with it, e.g. `follow` for `?follow=1`. */
  asks: 'follow' | 'replace' | null;
}

const routes: Readonly<Record<string, Route>> = ROUTES;

const asksOf = (holder: Route['holder']): ('follow' | 'replace')[] =>
  holder === 'follow' || holder === 'replace' ? [holder] : [];

export const ACCESS_ROWS: readonly AccessRow[] = (Object.keys(ENDPOINTS) as EndpointId[]).flatMap((id) => [
  { id, asks: null },
  ...asksOf(routes[id]?.holder).map((asks) => ({ id, asks })),
]);

/** Null where the caller is let in; else the code that it is refused with. Job and design are those of the node's holder. */
function refusalOf(row: AccessRow, role: Role, enforced: boolean, hasSession: boolean): string | null {
  const route = routes[row.id] as Route;
  // The table is of callers on this computer; from elsewhere a `local` route wants a key, enforced or not.
  if (route.access === 'open' || route.access === 'local') return null;
  const withoutKey = role === 'no key' ? 'missing_api_key' : role === 'wrong key' ? 'invalid_api_key' : null;
  // What is about the caller's own key needs one, whoever it is.
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
 * What a caller of a role is told by a route about a node in a state: null where it is let in and the node takes it, else
 * the code of the refusal. A node has a session while it is `reserved`.
 */
export function answerTo(row: AccessRow, role: Role, state: FpgaState, enforced = true): string | null {
  const refusal = refusalOf(row, role, enforced, state === 'reserved');
  if (refusal !== null) return refusal;
  const { needs } = routes[row.id] as Route;
  // A design is replaced where one runs.
  if (row.asks === 'replace' && state === 'reserved') return null;
  return needs && !needs.states.includes(state) ? needs.otherwise : null;
}
