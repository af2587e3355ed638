import type { JobType } from '../contract/jobs.ts';
import type { JobInHand } from './job-in-hand.ts';

/** A job that waits for its turn. */
export interface WaitingJob {
  readonly jobId: string;
  readonly type: JobType;
  /** While it is on its way to the disk it can neither start nor be cancelled; rejects when it was not kept. */
  accepting: Promise<void> | null;
  /** While its cancellation is on its way to the disk it cannot start. */
  cancelling: Promise<void> | null;
  /** It is on disk as running already: there was nothing before it when it came. */
  readonly marked: boolean;
}

/** The jobs of one node that have not ended, in their order. */
export class JobLine {
  readonly waiting: WaitingJob[] = [];
  current: JobInHand | null = null;

  /** The contract's current_job_id: the one running, else the oldest queued one. */
  get currentJobId(): string | null {
    const current = this.current?.cancelled ? null : this.current;
    return current?.jobId ?? this.waiting[0]?.jobId ?? null;
  }

  /** The reset or release that is queued or running. */
  get pendingReset(): WaitingJob | JobInHand | null {
    if (this.current?.type === 'reset') return this.current;
    return this.waiting.find(({ type }) => type === 'reset') ?? null;
  }

  remove(jobId: string): void {
    const index = this.waiting.findIndex((waiting) => waiting.jobId === jobId);
    if (index >= 0) this.waiting.splice(index, 1);
  }
}
