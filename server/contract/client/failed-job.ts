import type { Job } from '../jobs/jobs.ts';

/** The facts about a job that failed. */
type EndedJob = Pick<Job, 'job_id' | 'type' | 'status'> & { fpga_id: number | null };

/** A job that did not complete: the reason, its code and the end of the log. */
export class JobFailedError extends Error {
  override readonly name = 'JobFailedError';
  readonly job: EndedJob;
  /** A code of docs/errors.md; `job_cancelled`, or `no_acknowledge` where the design did not answer. */
  readonly code: string;
  /** The reason, without the log. */
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

/** The text of an error line of a log; undefined for other lines. */
export const errorIn = (line: string): string | undefined => /\] error: (.+)$/.exec(line)?.[1];
