import type { NodeView } from '../../../../server/contract/nodes/nodes.ts';
import type { BenchClient } from '../client/bench-client.ts';
import { markStale } from '../samples/samples.ts';

/** Whether the board may hold something else than was read before: it was away, or its session is over. */
const isOther = (before: NodeView, now: NodeView): boolean =>
  (before.session !== null && now.session?.session_id !== before.session.session_id) ||
  (!before.board.present && now.board.present);

const followed = new WeakSet<BenchClient>();

/**
 * From the first call on: values that were read before a reset, or before a board was programmed again because it or the
 * service was away, are marked as stale.
 */
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
    // The first that comes with the event stream does not say when the service was started.
    const [was, is] = [before?.started_at, status?.started_at];
    if (was === undefined || is === undefined || was === is) return;
    for (const { fpga_id } of client.nodes.getState().nodes ?? []) markStale(fpga_id);
  });
}
