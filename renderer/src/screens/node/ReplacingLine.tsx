import { overallFraction } from '../../../../server/contract/jobs/progress.ts';
import { Icon } from '../../components/Icon.tsx';
import { Progress } from '../../components/Progress.tsx';
import { jobTitle } from '../../format/job.ts';
import { useJob } from '../../state/client/context.tsx';
import { text } from '../../text/text.ts';

const t = text.node;

/** The replacement that is being built while the design runs. */
export function ReplacingLine({ jobId }: { jobId: string }) {
  const job = useJob(jobId);
  if (!job) return null;
  const fraction = overallFraction(job);
  const stage = job.status === 'queued' || !job.stage ? text.status.queued : text.stage[job.stage];
  const file = job.submit?.filename ?? text.nodeActions.noDesign;
  return (
    <div className="node-note node-replacing" role="status" title={t.replacing(file, job.owner)}>
      <Icon name="building" size={14} />
      <span className="truncate">{t.replacedBy(file)}</span>
      <Progress label={`${jobTitle(job)}: ${stage}`} fraction={job.status === 'queued' ? 0 : fraction} />
      <span className="node-replacing-stage">{stage}</span>
    </div>
  );
}
