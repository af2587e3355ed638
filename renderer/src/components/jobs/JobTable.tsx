// biome-ignore-all lint/a11y/useSemanticElements: rows out of sight are not drawn, which a <table> cannot say
// biome-ignore-all lint/a11y/useFocusableInteractive: a table of text is not a grid; its links are the stops

import type { AnyJob } from '../../../../server/contract/jobs/jobs.ts';
import { canBeStopped, jobOutcome, jobSeconds, jobTitle, outcomeOf } from '../../format/job.ts';
import { formatDuration } from '../../format/time.ts';
import { cancelJob, stopBuild } from '../../state/actions/actions.ts';
import { useBench } from '../../state/client/context.tsx';
import { hasEnded } from '../../state/jobs/jobs.ts';
import { hrefOfJobAt } from '../../state/page/at-bench.ts';
import { navigate } from '../../state/page/router.ts';
import { href, type Route } from '../../state/page/routes.ts';
import { text } from '../../text/text.ts';
import { StatusBadge } from '../Badge.tsx';
import { Button } from '../Button.tsx';
import { Ago, Elapsed } from '../Time.tsx';
import { useRows } from '../use-rows.ts';
import './job-table.css';

const t = text.jobs;
const ROW = 34;

/** The screen of the job; null while no node of this bench has it. */
const routeOf = ({ fpga_id: node, job_id: job }: AnyJob): Route | null =>
  node === null ? null : { kind: 'node', node, tab: 'log', job };

/** The job's title, with a link to the other bench that has it. */
function Title({ job, route }: { job: AnyJob; route: Route | null }) {
  const { bench, job_id } = job;
  if (route)
    return (
      <a className="jobs-link" href={href(route)}>
        {jobTitle(job)}
      </a>
    );
  if (!bench) return jobTitle(job);
  return (
    <>
      {jobTitle(job)}{' '}
      <a className="jobs-away" href={hrefOfJobAt(bench, job_id)}>
        {t.elsewhere(bench.name, bench.fpga_id)}
      </a>
    </>
  );
}

/** Whether the job failed by itself: a stopped build did not. */
const isBad = (job: AnyJob): boolean =>
  (job.failure !== undefined && outcomeOf(job) !== 'stopped') || job.bench?.problem !== undefined;

/** The actions on an open job, or its outcome. */
function Outcome({ job }: { job: AnyJob }) {
  const client = useBench();
  if (job.bench?.state === 'dead' && !hasEnded(job)) return jobOutcome(job);
  if (job.status === 'queued' && job.type === 'build_and_program')
    return (
      <>
        <Button className="jobs-cancel" onClick={() => cancelJob(client, job)}>
          {text.nodeActions.cancelQueued}
        </Button>
        {job.fpga_id === null && !job.bench && <span className="jobs-about"> {t.waiting}</span>}
      </>
    );
  if (canBeStopped(job))
    return (
      <>
        <Button className="jobs-cancel" onClick={() => stopBuild(client, job)}>
          {text.nodeActions.stop}
        </Button>
        {job.stage && <span className="jobs-about"> {text.stage[job.stage]}</span>}
      </>
    );
  return job.status === 'running' && job.stage ? text.stage[job.stage] : jobOutcome(job);
}

function Seconds({ job }: { job: AnyJob }) {
  if (job.status === 'running' && job.started_at) return <Elapsed from={job.started_at} />;
  const seconds = jobSeconds(job);
  return <span className="mono">{seconds === undefined ? '' : formatDuration(seconds)}</span>;
}

/** Jobs as a table. It draws only the visible rows, because there may be thousands. */
export function JobTable({
  jobs,
  label,
  withNode,
}: {
  jobs: readonly AnyJob[];
  label: string;
  withNode: boolean;
}) {
  const rows = useRows({ count: jobs.length, row: ROW, beyond: 12 });
  return (
    <div
      className={`jobs ${withNode ? '' : 'jobs-one'}`}
      role="table"
      aria-label={label}
      aria-rowcount={jobs.length + 1}
    >
      <div className="jobs-head" role="row" aria-rowindex={1}>
        <span role="columnheader">{t.status}</span>
        {withNode && (
          <span role="columnheader" className="num">
            {t.node}
          </span>
        )}
        <span role="columnheader">{t.job}</span>
        <span role="columnheader" className="jobs-owner">
          {t.owner}
        </span>
        <span role="columnheader" className="jobs-took num">
          {t.took}
        </span>
        <span role="columnheader" className="jobs-outcome">
          {t.outcome}
        </span>
        <span role="columnheader" className="jobs-when">
          {t.when}
        </span>
      </div>
      <div ref={rows.ref} className="jobs-scroll" role="rowgroup">
        <div className="jobs-rows" style={rows.style}>
          {rows.drawn.map((index) => {
            const job = jobs[index];
            if (!job) return null;
            const route = routeOf(job);
            return (
              // The keyboard uses the link in the row; the row is a larger target for the mouse.
              // biome-ignore lint/a11y/useKeyWithClickEvents: see above
              <div
                key={job.job_id}
                role="row"
                aria-rowindex={index + 2}
                className="jobs-row"
                onClick={(event) => {
                  if (route && (event.target as HTMLElement).closest('a, button') === null) navigate(route);
                }}
              >
                <span role="cell">
                  <StatusBadge outcome={outcomeOf(job)} />
                </span>
                {withNode && (
                  <span role="cell" className="jobs-where num">
                    {job.fpga_id ?? '–'}
                  </span>
                )}
                <span role="cell" className="truncate">
                  <Title job={job} route={route} />
                </span>
                <span role="cell" className="jobs-owner truncate">
                  {job.owner}
                </span>
                <span role="cell" className="jobs-took num">
                  <Seconds job={job} />
                </span>
                <span
                  role="cell"
                  className={`jobs-outcome truncate ${isBad(job) ? 'text-bad' : outcomeOf(job) === 'missed' ? 'text-warn' : 'muted'}`}
                  title={jobOutcome(job)}
                >
                  <Outcome job={job} />
                </span>
                <span role="cell" className="jobs-when muted">
                  <Ago at={job.created_at} />
                </span>
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}
