import type { NodeView } from '../../../../server/contract/nodes/nodes.ts';

/**
 * What becomes of a design that is submitted to a node as it is now: it is built, takes the place of the design of one's own
 * session, waits in line, or is not taken.
 */
export function submitKind(
  { board, resetting, state, session }: NodeView,
  owner: string,
): 'submit' | 'replace' | 'wait' | 'never' {
  if (!board.present || resetting) return 'never';
  if (state === 'idle') return 'submit';
  if (session?.owner === owner) return 'replace';
  return state === 'error' ? 'never' : 'wait';
}
