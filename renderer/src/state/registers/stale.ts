import type { NodeView } from '../../../../server/contract/nodes/nodes.ts';
import type { BenchClient } from '../client/bench-client.ts';
import { markStale } from '../samples/samples.ts';

/** Whether the board may have lost the values that were read: it was away, or its session is over. */
const isOther = (before: NodeView, now: NodeView): boolean =>
  (before.session !== null && now.session?.session_id !== before.session.session_id) ||
  (!before.board.present && now.board.present);

const followed = new WeakSet<BenchClient>();

/** Marks values as stale after a reset, or after the board was programmed again because it or the service was away. */
export function followStale(client: BenchClient): void {
  if (followed.has(client)) return;
  followed.add(client);
  client.nodes.subscribe(({ nodes }, { nodes: before }) => {
    nodes?.forEach((node, index) => {
      const old = before?.[index];
      if (old && old !== node && isOther(old, node)) markStale(node.fpga_id);
    });
  });
  client.status.subscribe(({ status }, { status: before }) => {
    // The first status, from the event stream, lacks the start time of the service.
    const [was, is] = [before?.started_at, status?.started_at];
    if (was === undefined || is === undefined || was === is) return;
    for (const { fpga_id } of client.nodes.getState().nodes ?? []) markStale(fpga_id);
  });
}
