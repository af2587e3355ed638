import type { NodePool } from './pool.ts';

/** What of the pool of nodes is used; see NodePool. */
interface SessionPool extends Pick<NodePool, 'renewSession'> {
  node(fpgaId: number): { session: { session_id: string } | null };
}

/**
 * Does something for the holder of a node's session that is no job. When it is done, the session is renewed as by a run;
 * what is refused renews nothing.
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
