import { useMemo, useState } from 'react';
import type { NodeView } from '../../../../server/contract/nodes/nodes.ts';
import { Button } from '../../components/Button.tsx';
import { EmptyState, ErrorState, Loading } from '../../components/Empty.tsx';
import { jobFits } from '../../components/jobs/filter.ts';
import { JobTable } from '../../components/jobs/JobTable.tsx';
import { SearchField } from '../../components/SearchField.tsx';
import type { JobHistory } from '../../state/client/use-job-history.ts';
import type { Look } from '../../state/page/routes.ts';
import { text } from '../../text/text.ts';
import { SideBySide } from './SideBySide.tsx';

const t = text.node.history;

/** The History tab: builds, resets and runs of the node, newest first. */
export function HistoryTab({
  node,
  jobs,
  look,
}: {
  node: NodeView;
  jobs: JobHistory;
  look: Look | undefined;
}) {
  const [query, setQuery] = useState('');
  const [comparing, setComparing] = useState(look?.['now'] !== undefined);
  const shown = useMemo(
    () => jobs.list.filter((job) => jobFits(job, { status: 'all', type: 'all', node: 'all', query })),
    [jobs.list, query],
  );
  if (jobs.error !== undefined && jobs.list.length === 0)
    return <ErrorState error={jobs.error} onRetry={jobs.retry} />;
  if (jobs.list.length === 0 && jobs.loaded)
    return <EmptyState icon="history" title={t.none} text={t.noneText} />;
  if (comparing)
    return (
      <>
        <div className="history-bar">
          <Button icon="left" onClick={() => setComparing(false)}>
            {text.node.sideBySide.close}
          </Button>
        </div>
        <SideBySide jobs={jobs.list} look={look} />
      </>
    );
  return (
    <>
      <div className="history-bar">
        <SearchField
          className="history-query"
          label={t.filter}
          placeholder={text.jobs.filterPlaceholder}
          value={query}
          onChange={setQuery}
        />
        <p className="muted" role="status">
          {text.jobs.count(shown.length, jobs.list.length)}
        </p>
        <Button className="push" onClick={() => setComparing(true)}>
          {text.node.sideBySide.open}
        </Button>
      </div>
      {jobs.list.length === 0 ? (
        <Loading />
      ) : shown.length === 0 ? (
        <EmptyState
          icon="search"
          title={text.jobs.noneFit}
          action={<Button onClick={() => setQuery('')}>{text.jobs.clearFilter}</Button>}
        />
      ) : (
        <JobTable jobs={shown} label={`${t.title} ${node.fpga_id}`} withNode={false} />
      )}
    </>
  );
}
