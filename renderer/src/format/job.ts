import type { AnyJob, Job, Stage } from '../../../server/contract/jobs/jobs.ts';
import { text } from '../text/text.ts';
import { hexAddress } from './words.ts';

/** What a job is, in a few words: `Build echo.v`, `Read 4 words at 0x0010`. */
export function jobTitle(job: AnyJob): string {
  if (job.type === 'build_and_program' && job.submit) return text.job.build(job.submit.filename);
  if (job.type === 'run' && job.run)
    return (job.run.op === 1 ? text.job.write : text.job.read)(job.run.count, hexAddress(job.run.address));
  return text.job[job.type];
}

/** Where a build has come to its board. */
const AT_BOARD: ReadonlySet<Stage> = new Set(['program', 'identify', 'script']);

/** A build that runs and has not come to its board: it can be stopped. */
export const isBuilding = (job: AnyJob): job is Job =>
  job.type === 'build_and_program' &&
  job.status === 'running' &&
  job.fpga_id !== null &&
  !AT_BOARD.has(job.stage ?? 'scan');

/** A build of another bench that may be stopped there; where it has come to, that bench alone knows. */
const isBuildingElsewhere = ({ status, bench }: AnyJob): boolean =>
  status === 'running' && bench?.state === 'live' && bench.fpga_id !== null;

/** Whether its build is offered to be stopped. */
export const canBeStopped = (job: AnyJob): boolean => isBuilding(job) || isBuildingElsewhere(job);

/** What came of it, in a sentence or two. */
export function jobOutcome(job: AnyJob): string {
  if (job.failure) return job.failure.message;
  if (job.bench?.problem) return job.bench.problem.message;
  if (job.type === 'run' && job.status === 'complete' && job.ok === false) return text.job.notAcknowledged;
  return [job.summary, job.cached ? text.job.cached : '', scriptOutcome(job)].filter(Boolean).join(', ');
}

/** How the script that is kept with its design went, in a few words; empty where none was run. */
export function scriptOutcome({ script }: AnyJob): string {
  if (!script) return '';
  const { passed, failed, left_out: leftOut } = script;
  const all = passed + failed + leftOut;
  return failed + leftOut === 0 ? text.job.scriptPassed(all) : text.job.scriptFailed(failed + leftOut, all);
}

/** Seconds from start to end, of a job that has both. */
export function jobSeconds(job: AnyJob): number | undefined {
  if (!job.started_at || job.status === 'queued' || job.status === 'running') return undefined;
  return (Date.parse(job.updated_at) - Date.parse(job.started_at)) / 1000;
}
