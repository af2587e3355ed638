import type { Job } from '../../../../server/contract/jobs/jobs.ts';
import { Icon } from '../../components/Icon.tsx';
import { Ago } from '../../components/Time.tsx';
import { jobTitle } from '../../format/job.ts';
import { useBench, useBenchStore } from '../../state/client/context.tsx';
import { text } from '../../text/text.ts';

/** The newest job of a node, if another owner made it. */
function useOthersLast(id: number): Job | undefined {
  const client = useBench();
  return useBenchStore(
    ({ jobs }) => jobs,
    ({ byId }) => {
      let last: Job | undefined;
      for (const job of byId.values())
        if (job.fpga_id === id && (last === undefined || job.created_at > last.created_at)) last = job;
      return last && !client.mine.has(last.job_id) && last.owner !== client.owner ? last : undefined;
    },
  );
}

/** What another owner did last on this node. */
export function LastChange({ id }: { id: number }) {
  const job = useOthersLast(id);
  if (!job) return null;
  return (
    <p className="node-others truncate" role="status">
      <Icon name="eye" size={14} /> {text.node.lastChange(job.owner, jobTitle(job))},{' '}
      <Ago at={job.created_at} />
    </p>
  );
}
