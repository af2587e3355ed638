import type { Clock } from '../clock.ts';
import { NODE_COUNT } from '../contract/boards.ts';
import { hasEnded, type Job, type JobStatus } from '../contract/jobs.ts';
import { jobsError } from '../errors/jobs.ts';
import type { EventHub } from '../events/events.ts';
import type { Store, StoredJob } from '../store/index.ts';

/** The jobs of one node. */
interface NodeJobs {
  readonly all: Map<string, StoredJob>;
  /** Those that have not ended, in the order of acceptance. */
  active: StoredJob[];
  /** The one that ended last. */
  last: string | null;
}

/** Every job that is known, as callers see it: queued, running, and the newest that have ended. */
export class JobIndex {
  readonly #store: Store;
  readonly #events: EventHub;
  readonly #clock: Clock;
  readonly #byId = new Map<string, StoredJob>();
  readonly #nodes: readonly NodeJobs[] = Array.from({ length: NODE_COUNT }, () => ({
    all: new Map(),
    active: [],
    last: null,
  }));
  readonly #waiting = new Map<string, Set<() => void>>();
  /** Ids of jobs that are on their way to the disk: nobody sees them yet, and their files are wanted. */
  readonly expected = new Set<string>();

  constructor(options: { store: Store; events: EventHub; clock: Clock }) {
    this.#store = options.store;
    this.#events = options.events;
    this.#clock = options.clock;
  }

  /** Takes a job in, new or changed, without telling anybody. */
  add(stored: StoredJob): void {
    const { job_id: id, fpga_id: fpgaId, status } = stored.job;
    const node = this.#node(fpgaId);
    this.#byId.set(id, stored);
    node.all.set(id, stored);
    const at = node.active.findIndex(({ job }) => job.job_id === id);
    if (hasEnded(status)) {
      node.last = id;
      if (at >= 0) node.active.splice(at, 1);
    } else if (at >= 0) node.active[at] = stored;
    else {
      // They arrive in their order but for those that had to write a file first.
      const later = node.active.findLastIndex(({ seq }) => seq < stored.seq) + 1;
      node.active.splice(later, 0, stored);
    }
  }

  /** Shows a job, new or changed, to everybody; true when its status is another one now. */
  show(stored: StoredJob): boolean {
    const { job } = stored;
    const before = this.#byId.get(job.job_id)?.job.status;
    this.add(stored);
    this.#events.publish({ type: 'job', job });
    if (before === job.status) return false;
    this.#wake(job.job_id);
    return true;
  }

  /**
   * Puts an ended job into its node's history; resolves when it is on disk there. Until then bench.json has it.
   * @throws store_unavailable; the history then tries again by itself.
   */
  async archive(ended: StoredJob): Promise<void> {
    const { job_id: id, fpga_id: fpgaId } = ended.job;
    const { bench, histories } = this.#store;
    bench.jobs.set(id, ended);
    await histories[fpgaId]?.append(ended);
    if (bench.jobs.get(id) === ended) bench.jobs.delete(id);
    this.#store.touch();
  }

  /** Forgets a job that is not kept any more. */
  remove({ job: { job_id: id, fpga_id: fpgaId } }: StoredJob): void {
    const node = this.#node(fpgaId);
    this.#byId.delete(id);
    node.all.delete(id);
    if (node.last === id) node.last = null;
    this.#events.publish({ type: 'job_removed', fpga_id: fpgaId, job_id: id });
    this.#wake(id);
  }

  /** Whether a job is known or on its way. */
  has(jobId: string): boolean {
    return this.#byId.has(jobId) || this.expected.has(jobId);
  }

  /** @throws job_not_found, also for a job of another node than the one named. */
  get(jobId: string, fpgaId?: number): StoredJob {
    const stored = this.#byId.get(jobId);
    if (!stored || (fpgaId !== undefined && stored.job.fpga_id !== fpgaId))
      throw jobsError('job_not_found', { jobId });
    return stored;
  }

  /** Jobs of a node that have not ended, in the order of acceptance: the first runs or is the next to. */
  active(fpgaId: number): readonly StoredJob[] {
    return this.#node(fpgaId).active;
  }

  /** Jobs of a node, oldest first. */
  ofNode(fpgaId: number): ReadonlyMap<string, StoredJob> {
    return this.#node(fpgaId).all;
  }

  /** The job of a node that ended last. */
  last(fpgaId: number): string | null {
    return this.#node(fpgaId).last;
  }

  /** Whether any job that is kept was of this build. */
  refersTo(buildId: string): boolean {
    for (const { job } of this.#byId.values()) if (job.build_id === buildId) return true;
    return false;
  }

  /** Newest first. */
  list(filter: { fpgaId?: number; statuses?: JobStatus[]; limit?: number }): Job[] {
    const all = filter.fpgaId === undefined ? this.#byId : this.ofNode(filter.fpgaId);
    const { statuses } = filter;
    const found = [...all.values()].filter(({ job }) => !statuses || statuses.includes(job.status));
    found.sort((a, b) => b.seq - a.seq);
    return found.slice(0, filter.limit ?? found.length).map(({ job }) => job);
  }

  /** Resolves when the status changes, `milliseconds` have passed or the signal fires. */
  wait(jobId: string, milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(jobId) ?? new Set();
      const done = () => {
        cancel();
        waiting.delete(done);
        if (waiting.size === 0) this.#waiting.delete(jobId);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const cancel = this.#clock.after(milliseconds, done);
      waiting.add(done);
      this.#waiting.set(jobId, waiting);
      if (signal?.aborted) done();
      else signal?.addEventListener('abort', done, { once: true });
    });
  }

  #wake(jobId: string): void {
    for (const done of [...(this.#waiting.get(jobId) ?? [])]) done();
  }

  #node(fpgaId: number): NodeJobs {
    const node = this.#nodes[fpgaId];
    if (!node) throw new RangeError(`There is no node ${fpgaId}.`);
    return node;
  }
}
