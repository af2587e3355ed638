import { createStore } from 'zustand/vanilla';
import type { NodeView } from '../../../../server/contract/nodes/nodes.ts';
import type { BenchClient } from '../client/bench-client.ts';

/** Sessions of other holders that the person of this window has joined. */
const joined = createStore<{ sessions: ReadonlySet<string> }>(() => ({ sessions: new Set() }));

/**
 * The window's part at a node: the holder, a guest in another holder's session, a viewer, or `free` without a session.
 */
export type Part = 'free' | 'holder' | 'guest' | 'viewer';

export function partOf(client: BenchClient, { session }: Pick<NodeView, 'session'>): Part {
  if (session === null) return 'free';
  if (session.owner === client.owner) return 'holder';
  return joined.getState().sessions.has(`${session.session_id} ${session.owner}`) ? 'guest' : 'viewer';
}

/** Whether the bench lets this window join another holder's session. */
export function mayJoin(client: BenchClient): boolean {
  const { status } = client.status.getState();
  return status?.enforcement === false || client.desktop !== undefined;
}

export function joinSession({ session }: Pick<NodeView, 'session'>): void {
  if (session)
    joined.setState(({ sessions }) => ({
      sessions: new Set([...sessions, `${session.session_id} ${session.owner}`]),
    }));
}

export const joinedSessions = joined;
