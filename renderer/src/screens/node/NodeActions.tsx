import type { NodeView } from '../../../../server/contract/nodes/nodes.ts';
import { Button } from '../../components/Button.tsx';
import { isBuilding } from '../../format/job.ts';
import { cancelJob, releaseNode, resetNode, stopBuild } from '../../state/actions/actions.ts';
import { useBench, useJob } from '../../state/client/context.tsx';
import { text } from '../../text/text.ts';

const t = text.nodeActions;

/** What can be done with a node in its state. */
export function NodeActions({ node }: { node: NodeView }) {
  const client = useBench();
  const jobs = [useJob(node.current_job_id), useJob(node.replacement)];
  const waiting = jobs.find((job) => job?.status === 'queued' && job.type === 'build_and_program');
  const building = jobs.find((job) => job && isBuilding(job));
  return (
    <div className="node-actions">
      {waiting && (
        <Button icon="cancelled" onClick={() => cancelJob(client, waiting)}>
          {t.cancelJob}
        </Button>
      )}
      {building && (
        <Button icon="stop" onClick={() => stopBuild(client, building)}>
          {t.stopBuild}
        </Button>
      )}
      {node.session && (
        <Button disabled={node.resetting} onClick={() => releaseNode(client, node)}>
          {t.release}
        </Button>
      )}
      {(node.state === 'reserved' || node.state === 'error') && (
        <Button
          kind={node.state === 'error' ? 'primary' : 'plain'}
          icon="power"
          disabled={node.resetting}
          onClick={() => resetNode(client, node)}
        >
          {t.reset}
        </Button>
      )}
    </div>
  );
}
