import type { Job } from '../jobs/jobs.ts';

/** What is known of a job that failed, whatever became of it. */
type EndedJob = Pick<Job, 'job_id' | 'type' | 'status'> & { fpga_id: number | null };

/** A job that did not end as it should: why, with its code and the end of its log. */
export class JobFailedError extends Error {
  override readonly name = 'JobFailedError';
  readonly job: EndedJob;
  /** A code of docs/errors.md; `job_cancelled`, or `no_acknowledge` where the design did not answer. */
  readonly code: string;
  /** Why it failed, without the log. */
  readonly sentence: string;
  /** The last lines of the job's log. */
  readonly logTail: readonly string[];

  constructor(job: EndedJob, code: string, sentence: string, logTail: readonly string[]) {
    super(logTail.length === 0 ? sentence : `${sentence}\n${logTail.map((line) => `  ${line}`).join('\n')}`);
    this.job = job;
    this.code = code;
    this.sentence = sentence;
    this.logTail = logTail;
  }
}

/** What a line of a log says, where it is one of an error. */
export const errorIn = (line: string): string | undefined => /\] error: (.+)$/.exec(line)?.[1];
