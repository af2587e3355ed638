import type { Job } from '../../../../server/contract/jobs/jobs.ts';
import type { NodeView } from '../../../../server/contract/nodes/nodes.ts';
import { useBench, useJob } from '../../state/client/context.tsx';
import { text } from '../../text/text.ts';

interface NodeSubject {
  /** The file on the board, or of the build under way. */
  file: string | undefined;
  owner: string | undefined;
  mine: boolean;
  /** The state in words. */
  state: string;
  /** The job under way: the replacement first. */
  job: Job | undefined;
  /** All of it in one line, for screen readers and hints. */
  label: string;
}

/** What a card says first: file, owner and state. */
export function useNodeSubject(node: NodeView): NodeSubject {
  const client = useBench();
  const current = useJob(node.current_job_id);
  const replacement = useJob(node.replacement);
  const { fpga_id: id, session, design } = node;
  const working = current !== undefined && (current.status === 'running' || current.status === 'queued');
  const owner = session?.owner ?? (working ? current.owner : undefined);
  const file = design?.filename ?? (working ? current.submit?.filename : undefined);
  const state = node.resetting ? text.state.resetting : text.state[node.state];
  return {
    file,
    owner,
    mine: owner !== undefined && owner === client.owner,
    state,
    job: replacement ?? (working ? current : undefined),
    label: [text.bench.node(id), state, owner, file].filter(Boolean).join(', '),
  };
}
