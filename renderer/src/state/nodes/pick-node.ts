import type { AnyJob } from '../../../../server/contract/jobs/jobs.ts';
import type { NodeView } from '../../../../server/contract/nodes/nodes.ts';

/**
 * The node on which a member begins: the own one, else one with the shortest line. A class begins together: chance
 * spreads it over equal nodes.
 * @param chance from 0 to below 1
 */
export function pickNode(
  nodes: readonly Pick<NodeView, 'fpga_id' | 'state' | 'session'>[],
  waiting: Iterable<Pick<AnyJob, 'waiting_for'>>,
  owner: string,
  chance: number,
): number {
  const own = nodes.find(({ session }) => session?.owner === owner);
  if (own) return own.fpga_id;
  const lines = new Map<number, number>();
  for (const { waiting_for: node } of waiting) if (node != null) lines.set(node, (lines.get(node) ?? 0) + 1);
  const lineOf = ({ fpga_id: id, state }: (typeof nodes)[number]) =>
    (lines.get(id) ?? 0) + (state === 'idle' ? 0 : state === 'error' ? 1000 : 1);
  const shortest = Math.min(...nodes.map(lineOf));
  const best = nodes.filter((node) => lineOf(node) === shortest);
  return best[Math.floor(chance * best.length)]?.fpga_id ?? 0;
}
