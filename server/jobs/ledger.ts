import type { Job, JobStatus } from '../contract/jobs.ts';
import { NODE_COUNT } from '../contract/boards.ts';
import { jobsError } from '../errors/jobs.ts';
import type { EventHub } from '../events/events.ts';
import type { StoredJob } from '../store/index.ts';

export const hasEnded = (status: JobStatus): boolean =>
  status === 'complete' || status === 'failed' || status === 'cancelled';

/** Every job that is known, as callers see it: queued, running, and the newest that have ended. */
export class JobLedger {
  readonly #events: EventHub;
  readonly #jobs = new Map<string, StoredJob>();
  /** Ids by node, in the order of acceptance. */
  readonly #byNode: Set<string>[] = Array.from({ length: NODE_COUNT }, () => new Set<string>());
  readonly #waiting = new Map<string, Set<() => void>>();
  /** The job that ended last, by node. */
  readonly #last: (string | null)[] = Array.from({ length: NODE_COUNT }, () => null);

  constructor(events: EventHub) {
    this.#events = events;
  }

  /** Takes a job in without telling anybody: at start, or before it is on disk. */
  add(stored: StoredJob): void {
    const { job } = stored;
    this.#jobs.set(job.job_id, stored);
    this.#ids(job.fpga_id).add(job.job_id);
    if (hasEnded(job.status)) this.#last[job.fpga_id] = job.job_id;
  }

  /** Shows a job, new or changed, to everybody. */
  show(stored: StoredJob): void {
    const { job } = stored;
    const before = this.#jobs.get(job.job_id)?.job.status;
    this.add(stored);
    this.#events.publish({ type: 'job', job });
    if (before !== job.status) this.#wake(job.job_id);
  }

  /** Forgets a job; `announced` when callers may know of it. */
  remove(fpgaId: number, jobId: string, announced: boolean): void {
    this.#jobs.delete(jobId);
    this.#ids(fpgaId).delete(jobId);
    if (this.#last[fpgaId] === jobId) this.#last[fpgaId] = null;
    if (announced) this.#events.publish({ type: 'job_removed', fpga_id: fpgaId, job_id: jobId });
    this.#wake(jobId);
  }

  has(jobId: string): boolean {
    return this.#jobs.has(jobId);
  }

  /** @throws job_not_found, also for a job of another node. */
  get(fpgaId: number, jobId: string): StoredJob {
    const stored = this.#jobs.get(jobId);
    if (stored?.job.fpga_id !== fpgaId) throw jobsError('job_not_found', { jobId });
    return stored;
  }

  /** @throws job_not_found. */
  find(jobId: string): StoredJob {
    const stored = this.#jobs.get(jobId);
    if (!stored) throw jobsError('job_not_found', { jobId });
    return stored;
  }

  /** How many jobs of a node are known. */
  count(fpgaId: number): number {
    return this.#ids(fpgaId).size;
  }

  /** Jobs of a node, oldest first. */
  *ofNode(fpgaId: number): Iterable<StoredJob> {
    for (const jobId of this.#ids(fpgaId)) yield this.#jobs.get(jobId) as StoredJob;
  }

  /** The job of a node that ended last. */
  last(fpgaId: number): string | null {
    return this.#last[fpgaId] ?? null;
  }

  /** Whether any job that is kept was of this build. */
  refersTo(buildId: string): boolean {
    for (const { job } of this.#jobs.values()) if (job.build_id === buildId) return true;
    return false;
  }

  /** Newest first. */
  list(filter: { fpgaId?: number; statuses?: JobStatus[]; limit?: number }): Job[] {
    const nodes = filter.fpgaId === undefined ? this.#byNode.keys() : [filter.fpgaId];
    const found: StoredJob[] = [];
    for (const fpgaId of nodes) {
      for (const stored of this.ofNode(fpgaId)) {
        if (!filter.statuses || filter.statuses.includes(stored.job.status)) found.push(stored);
      }
    }
    found.sort((a, b) => b.seq - a.seq);
    return found.slice(0, filter.limit ?? found.length).map(({ job }) => job);
  }

  /** Resolves when the status changes, `milliseconds` have passed or the signal fires. */
  wait(jobId: string, milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(jobId) ?? new Set();
      const done = () => {
        clearTimeout(timer);
        waiting.delete(done);
        if (waiting.size === 0) this.#waiting.delete(jobId);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, milliseconds);
      waiting.add(done);
      this.#waiting.set(jobId, waiting);
      if (signal?.aborted) done();
      else signal?.addEventListener('abort', done, { once: true });
    });
  }

  #wake(jobId: string): void {
    for (const done of [...(this.#waiting.get(jobId) ?? [])]) done();
  }

  #ids(fpgaId: number): Set<string> {
    return this.#byNode[fpgaId] as Set<string>;
  }
}
