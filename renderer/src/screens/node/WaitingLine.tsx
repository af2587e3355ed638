import type { NodeView } from '../../../../server/contract/nodes/nodes.ts';
import { Button } from '../../components/Button.tsx';
import { Icon } from '../../components/Icon.tsx';
import { cancelJob } from '../../state/actions/actions.ts';
import { useBench } from '../../state/client/context.tsx';
import { useInLine } from '../../state/client/use-in-line.ts';
import { text } from '../../text/text.ts';

const t = text.node;

/** The queue of this node, next first; the person can cancel their own. */
export function WaitingLine({ node }: { node: NodeView }) {
  const client = useBench();
  const [next, ...others] = useInLine(node.fpga_id);
  if (!next) return null;
  const own = [next, ...others].find(
    ({ owner, job_id }) => owner === client.owner || client.mine.has(job_id),
  );
  const shown = own ?? next;
  const file = shown.submit?.filename ?? text.nodeActions.noDesign;
  const place = shown.place ?? 1;
  return (
    <div className="node-note" role="status">
      <Icon name="queued" />
      <p>{own ? t.waitsOwn(file, place) : t.waitsInLine(file, shown.owner, place)}</p>
      {own && <Button onClick={() => cancelJob(client, own)}>{text.nodeActions.cancelQueued}</Button>}
    </div>
  );
}
