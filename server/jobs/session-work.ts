import type { NodePool } from './node-pool.ts';

/** The part of the node pool that this file needs; see NodePool. */
interface SessionPool extends Pick<NodePool, 'renewSession'> {
  node(fpgaId: number): { session: { session_id: string } | null };
}

/**
 * Runs work other than a job for the holder of a node's session. Afterwards the session is renewed, as by a run;
 * refused work renews nothing.
 * @throws what the work throws.
 */
export async function workInSession<T>(
  pool: SessionPool,
  fpgaId: number,
  work: () => Promise<T>,
): Promise<T> {
  const { session } = pool.node(fpgaId);
  const done = await work();
  if (session !== null) pool.renewSession(fpgaId, session.session_id);
  return done;
}
