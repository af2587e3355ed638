import { useMemo, useState } from 'react';
import { Button } from '../../components/Button.tsx';
import { EmptyState, ErrorState, Loading } from '../../components/Empty.tsx';
import { JOB_STATUS_FILTERS, type JobFilter, jobFits } from '../../components/jobs/filter.ts';
import { JobTable } from '../../components/jobs/JobTable.tsx';
import { SearchField } from '../../components/SearchField.tsx';
import { Segmented } from '../../components/Segmented.tsx';
import { useBenchHistory } from '../../state/client/use-job-history.ts';
import { text } from '../../text/text.ts';
import './jobs.css';

const t = text.jobs;

const NO_FILTER: JobFilter = { status: 'all', type: 'all', node: 'all', query: '' };

/** The Jobs screen: all jobs of all nodes. */
export default function JobsScreen() {
  const [filter, setFilter] = useState(NO_FILTER);
  const { list: all, loaded, error, retry } = useBenchHistory();
  const shown = useMemo(() => all.filter((job) => jobFits(job, filter)), [all, filter]);
  return (
    <section className="screen" aria-label={t.title}>
      <header className="screen-head">
        <h1>{t.title}</h1>
        <p className="muted" role="status">
          {t.count(shown.length, all.length)}
        </p>
        <div className="row push">
          <SearchField
            className="jobs-query"
            label={t.filter}
            placeholder={t.filterPlaceholder}
            value={filter.query}
            onChange={(query) => setFilter({ ...filter, query })}
          />
          <select
            className="input jobs-node"
            aria-label={t.filterNode}
            value={String(filter.node)}
            onChange={(event) =>
              setFilter({
                ...filter,
                node: event.target.value === 'all' ? 'all' : Number(event.target.value),
              })
            }
          >
            <option value="all">{t.allNodes}</option>
            {Array.from({ length: 10 }, (_, id) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the nodes' numbers are their names
              <option key={id} value={id}>
                {text.bench.node(id)}
              </option>
            ))}
          </select>
          <Segmented
            label={t.filterType}
            value={filter.type}
            onChange={(type) => setFilter({ ...filter, type })}
            options={(['all', 'build_and_program', 'run', 'reset'] as const).map((id) => ({
              id,
              label: id === 'all' ? text.all : text.job[id],
            }))}
          />
          <Segmented
            label={t.filterStatus}
            value={filter.status}
            onChange={(status) => setFilter({ ...filter, status })}
            options={JOB_STATUS_FILTERS.map((id) => ({ id, label: t.statuses[id] }))}
          />
        </div>
      </header>
      {error !== undefined && all.length === 0 ? (
        <ErrorState error={error} onRetry={retry} />
      ) : shown.length > 0 ? (
        <JobTable jobs={shown} label={t.title} withNode />
      ) : !loaded ? (
        <Loading />
      ) : all.length === 0 ? (
        <EmptyState icon="jobs" title={t.none} text={t.noneText} />
      ) : (
        <EmptyState
          icon="search"
          title={t.noneFit}
          action={<Button onClick={() => setFilter(NO_FILTER)}>{t.clearFilter}</Button>}
        />
      )}
    </section>
  );
}
