import { useEffect } from 'react';
import { ServiceError } from '../../../server/contract/client/failures.ts';
import { sentences } from '../../../server/contract/sentences.ts';
import { EmptyState, ErrorState, Loading } from '../components/Empty.tsx';
import { useJob } from '../state/client/context.tsx';
import { useQuery } from '../state/client/query.ts';
import { hrefOfJobAt } from '../state/page/at-bench.ts';
import { navigate } from '../state/page/router.ts';
import { href } from '../state/page/routes.ts';
import { text } from '../text/text.ts';

/** `/job/ID`: finds the node that the job belongs to and goes there. */
export default function JobRedirect({ jobId }: { jobId: string }) {
  const known = useJob(jobId);
  const { data, error, reload } = useQuery(known ? undefined : ['job', jobId], (service, signal) =>
    service.findJob({ job_id: jobId }, { signal }),
  );
  const node = (known ?? data)?.fpga_id;
  useEffect(() => {
    if (typeof node === 'number') navigate({ kind: 'node', node, tab: 'log', job: jobId }, true);
  }, [node, jobId]);
  if (error instanceof ServiceError && error.status === 404)
    return (
      <EmptyState
        icon="search"
        title={text.shell.jobUnknown}
        action={<a href={href({ kind: 'jobs' })}>{text.shell.jobs}</a>}
        text={text.shell.jobUnknownText}
      />
    );
  if (error !== undefined) return <ErrorState error={error} onRetry={reload} />;
  const bench = data?.bench;
  if (bench)
    return (
      <EmptyState
        icon="jobs"
        title={text.jobs.elsewhereTitle(bench.name)}
        action={<a href={hrefOfJobAt(bench, jobId)}>{text.jobs.openThere(bench.name)}</a>}
        text={
          bench.problem ? sentences(bench.problem.message, bench.problem.remedy) : text.jobs.elsewhereText
        }
      />
    );
  if (node === null)
    return (
      <EmptyState
        icon="queued"
        title={text.jobs.waiting}
        action={<a href={href({ kind: 'jobs' })}>{text.shell.jobs}</a>}
        text={text.jobs.waitingText}
      />
    );
  return <Loading label={text.shell.findingJob} />;
}
