import type { Failure } from '../../../server/contract/diagnostics.ts';
import type { AnyJob, Job, JobStatus, Stage } from '../../../server/contract/jobs/jobs.ts';
import { text } from '../text/text.ts';
import { hexAddress } from './words.ts';

/** A short title: `Build echo.v`, `Read 4 words at 0x0010`. */
export function jobTitle(job: AnyJob): string {
  if (job.type === 'build_and_program' && job.submit) return text.job.build(job.submit.filename);
  if (job.type === 'run' && job.run)
    return (job.run.op === 1 ? text.job.write : text.job.read)(job.run.count, hexAddress(job.run.address));
  return text.job[job.type];
}

/** Stages in which a build uses its board. */
const AT_BOARD: ReadonlySet<Stage> = new Set(['program', 'identify', 'script']);

/** A running build that does not use its board yet: it can be stopped. */
export const isBuilding = (job: AnyJob): job is Job =>
  job.type === 'build_and_program' &&
  job.status === 'running' &&
  job.fpga_id !== null &&
  !AT_BOARD.has(job.stage ?? 'scan');

/** A build at another bench that may be stopped there; only that bench knows its stage. */
const isBuildingElsewhere = ({ status, bench }: AnyJob): boolean =>
  status === 'running' && bench?.state === 'live' && bench.fpga_id !== null;

/** Whether the page offers to stop the job. */
export const canBeStopped = (job: AnyJob): boolean => isBuilding(job) || isBuildingElsewhere(job);

/** The outcome of a job, in a sentence or two. */
export function jobOutcome(job: AnyJob): string {
  if (job.failure) return job.failure.message;
  if (job.bench?.problem) return job.bench.problem.message;
  if (job.type === 'run' && job.status === 'complete' && job.ok === false) return text.job.notAcknowledged;
  return [job.summary, job.cached ? text.job.cached : '', scriptOutcome(job)].filter(Boolean).join(', ');
}

/** The result of the design's script, in a few words; empty without one. */
export function scriptOutcome({ script }: AnyJob): string {
  if (!script) return '';
  const { passed, failed, skipped } = script;
  const all = passed + failed + skipped;
  return failed + skipped === 0 ? text.job.scriptPassed(all) : text.job.scriptFailed(failed + skipped, all);
}

/** How a job ended, or where it is. `missed`: the design runs, but misses its timing target. */
export type Outcome = JobStatus | 'stopped' | 'missed';

/** The outcome of a job or of a node's last build. A build that somebody stopped has not failed. */
export function outcomeOf({
  status,
  failure,
  figures,
  timing_met: met = figures?.timing_met,
}: Pick<AnyJob, 'status' | 'figures'> & {
  failure?: Failure | null | undefined;
  timing_met?: boolean | null;
}): Outcome {
  if (status === 'failed' && failure?.error === 'stopped_by_user') return 'stopped';
  return status === 'complete' && met === false ? 'missed' : status;
}

/** Seconds from start to end, if the job has both. */
export function jobSeconds(job: AnyJob): number | undefined {
  if (!job.started_at || job.status === 'queued' || job.status === 'running') return undefined;
  return (Date.parse(job.updated_at) - Date.parse(job.started_at)) / 1000;
}
