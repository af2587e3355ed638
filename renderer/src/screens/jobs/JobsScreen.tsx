import { useEffect, useMemo, useState } from 'react';
import { Button } from '../../components/Button.tsx';
import { EmptyState, ErrorState, Loading } from '../../components/Empty.tsx';
import { Segmented } from '../../components/Field.tsx';
import { useBench, useBenchStore } from '../../state/context.tsx';
import { listJobs, mergeJobs } from '../../state/jobs.ts';
import { text } from '../../text/text.ts';
import { JOB_STATUS_FILTERS, type JobFilter, jobFits } from './filter.ts';
import { JobTable } from '../../components/jobs/JobTable.tsx';

const t = text.jobs;
/** Ten nodes with 500 kept jobs each. */
const MOST = 5000;

const NO_FILTER: JobFilter = { status: 'all', type: 'all', node: 'all', query: '' };

/** All jobs of all nodes. */
export default function JobsScreen() {
  const client = useBench();
  const byId = useBenchStore(
    ({ jobs }) => jobs,
    (state) => state.byId,
  );
  const live = useBenchStore(
    ({ connection }) => connection,
    ({ connection }) => (connection.state === 'live' ? connection.since : undefined),
  );
  const [loaded, setLoaded] = useState(false);
  const [error, setError] = useState<unknown>();
  const [filter, setFilter] = useState(NO_FILTER);
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt and a new connection ask again
  useEffect(() => {
    client.service.jobs(MOST).then(
      (jobs) => {
        mergeJobs(client.jobs, jobs);
        setLoaded(true);
        setError(undefined);
      },
      (reason) => setError(reason),
    );
  }, [client, attempt, live]);
  const all = useMemo(() => listJobs(byId), [byId]);
  const shown = useMemo(() => all.filter((job) => jobFits(job, filter)), [all, filter]);
  return (
    <section className="screen" aria-label={t.title}>
      <header className="screen-head">
        <h1>{t.title}</h1>
        <p className="muted" role="status">
          {t.count(shown.length, all.length)}
        </p>
        <div className="row push">
          <input
            type="search"
            className="input jobs-query"
            data-search=""
            aria-label={t.filter}
            placeholder={t.filterPlaceholder}
            value={filter.query}
            onChange={(event) => setFilter({ ...filter, query: event.target.value })}
            onKeyDown={(event) => {
              if (event.key !== 'Escape') return;
              if (filter.query === '') event.currentTarget.blur();
              setFilter({ ...filter, query: '' });
              event.stopPropagation();
            }}
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
        <ErrorState error={error} onRetry={() => setAttempt(attempt + 1)} />
      ) : shown.length > 0 ? (
        <JobTable jobs={shown} label={t.title} withNode />
      ) : !loaded ? (
        <Loading />
      ) : all.length === 0 ? (
        <EmptyState icon="jobs" title={t.none}>
          {t.noneText}
        </EmptyState>
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
