import type { Job } from '../../../server/contract/jobs.ts';
import { text } from '../text/text.ts';
import { hexAddress } from './words.ts';

/** What a job is, in a few words: `Build echo.v`, `Read 4 words at 0x0010`. */
export function jobTitle(job: Job): string {
  if (job.type === 'build_and_program' && job.submit) return text.job.build(job.submit.filename);
  if (job.type === 'run' && job.run)
    return (job.run.op === 1 ? text.job.write : text.job.read)(job.run.count, hexAddress(job.run.address));
  return text.job[job.type];
}

/** What came of it, in a sentence or two. */
export function jobOutcome(job: Job): string {
  if (job.failure) return job.failure.message;
  if (job.type === 'run' && job.status === 'complete' && job.ok === false) return text.job.notAcknowledged;
  return [job.summary, job.cached ? text.job.cached : ''].filter(Boolean).join(', ');
}

/** Seconds from start to end, of a job that has both. */
export function jobSeconds(job: Job): number | undefined {
  if (!job.started_at || job.status === 'queued' || job.status === 'running') return undefined;
  return (Date.parse(job.updated_at) - Date.parse(job.started_at)) / 1000;
}
