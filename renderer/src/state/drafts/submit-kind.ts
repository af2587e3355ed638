import type { NodeView } from '../../../../server/contract/nodes/nodes.ts';

/**
 * What a submit does on the node in its current state: build, replace the design of the own session, wait in the queue,
 * or nothing.
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
