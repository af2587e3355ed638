import { useEffect, useState } from 'react';
import { EmptyState, ErrorState, Loading } from '../components/Empty.tsx';
import { useBench, useJob } from '../state/context.tsx';
import { text } from '../text/text.ts';
import { navigate } from '../state/router.ts';
import { href, type NodeTab } from '../state/routes.ts';

/** The tab that shows a job best. */
export const tabOf = (type: string): NodeTab => (type === 'run' ? 'registers' : 'log');

/** `/job/ID`: finds the node that the job belongs to and goes there. */
export function JobRedirect({ jobId }: { jobId: string }) {
  const client = useBench();
  const job = useJob(jobId);
  const [failure, setFailure] = useState<{ error: unknown } | 'unknown' | undefined>();
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: an attempt is a reason to ask again
  useEffect(() => {
    if (job) {
      navigate({ screen: 'node', node: job.fpga_id, tab: 'log', job: job.job_id }, true);
      return;
    }
    let over = false;
    setFailure(undefined);
    client.service.findJob(jobId).then(
      (found) => {
        if (over) return;
        if (found) navigate({ screen: 'node', node: found.fpga_id, tab: 'log', job: found.job_id }, true);
        else setFailure('unknown');
      },
      (error) => !over && setFailure({ error }),
    );
    return () => {
      over = true;
    };
  }, [client, job, jobId, attempt]);
  if (failure === 'unknown')
    return (
      <EmptyState
        icon="search"
        title={text.shell.jobUnknown}
        action={<a href={href({ screen: 'jobs' })}>{text.shell.jobs}</a>}
      >
        {text.shell.jobUnknownText}
      </EmptyState>
    );
  if (failure) return <ErrorState error={failure.error} onRetry={() => setAttempt(attempt + 1)} />;
  return <Loading label={text.shell.findingJob} />;
}
