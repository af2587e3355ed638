import type { NodeView } from '../../../../server/contract/nodes.ts';
import { EmptyState, ErrorState, Loading } from '../../components/Empty.tsx';
import { JobTable } from '../../components/jobs/JobTable.tsx';
import type { JobHistory } from '../../state/use-job-history.ts';
import { text } from '../../text/text.ts';

const t = text.node.history;

export function HistoryTab({ node, jobs }: { node: NodeView; jobs: JobHistory }) {
  if (jobs.error !== undefined && jobs.list.length === 0)
    return <ErrorState error={jobs.error} onRetry={jobs.retry} />;
  if (jobs.list.length === 0)
    return jobs.loaded ? (
      <EmptyState icon="repeat" title={t.none}>
        {t.noneText}
      </EmptyState>
    ) : (
      <Loading />
    );
  return <JobTable jobs={jobs.list} label={`${t.title} ${node.fpga_id}`} withNode={false} />;
}
