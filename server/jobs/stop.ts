import { hasEnded, type Job } from '../contract/jobs.ts';
import { jobsError } from '../errors/jobs.ts';
import { endedAlready } from './ended-already.ts';
import type { Execution } from './execution.ts';

/**
 * Tells a build to end, as `by` wants it.
 * @param execution what the node does for it; undefined where it does nothing
 * @throws job_not_stoppable with why not, and what to do instead.
 */
export function stopBuild(job: Job, execution: Execution | undefined, by: string): void {
  if (execution?.stop(by)) return;
  throw jobsError('job_not_stoppable', { jobId: job.job_id, ...whyNot(job) });
}

function whyNot(job: Job): { message: string; remedy?: string } {
  const { status, type } = job;
  if (hasEnded(status)) return endedAlready(job, 'There is nothing to stop.');
  if (type !== 'build_and_program')
    return {
      message: `The job is a ${type}, and only builds can be stopped.`,
      remedy: 'Wait until it ends.',
    };
  if (status === 'queued')
    return { message: 'The job has not begun.', remedy: 'Cancel it: DELETE to the address of the job.' };
  return {
    message: 'The board is being programmed, and that is not broken off.',
    remedy: 'Wait until it ends, then release the node.',
  };
}
