import { EventEmitter, once } from 'node:events';
import { NODE_COUNT } from '../contract/boards/node-count.ts';
import { type AnyJob, hasEnded, type Job, type UnplacedJob } from '../contract/jobs/jobs.ts';
import type { LastBuild } from '../contract/nodes/nodes.ts';
import { jobsError } from '../errors/jobs.ts';
import type { StoredJob, StoredUnplacedJob } from '../store/index.ts';
import type { JobFilter } from './pool.ts';
import type { Shared } from './shared.ts';

/** The class of a job for retention. Runs have their own limit, because a node may do thousands in a minute. */
export type RetentionClass = 'runs' | 'others';
export const retentionClassOf = ({ type }: Pick<Job, 'type'>): RetentionClass =>
  type === 'run' ? 'runs' : 'others';

/** The jobs of one node. */
interface NodeJobs {
  /** Jobs that have ended, in the order of their ends. */
  readonly ended: Readonly<Record<RetentionClass, Map<string, StoredJob>>>;
  /** Jobs that have not ended, in the order of acceptance. */
  active: StoredJob[];
  /** The job that ended last. */
  last: string | null;
  /** The build that ended last. */
  lastBuild: StoredJob | null;
}

/**
 * The place in line of every waiting job; 1 is next. A job waits for one node or for any. Jobs before it in the line for
 * the same node, and for any node, come before it.
 */
function placesOf(waiting: readonly StoredUnplacedJob[]): Map<string, number> {
  const places = new Map<string, number>();
  const before = new Map<number | null, number>();
  for (const { job } of waiting) {
    const { waiting_for: node = null } = job;
    const [any, own] = [before.get(null) ?? 0, node === null ? 0 : (before.get(node) ?? 0)];
    places.set(job.job_id, 1 + any + own);
    before.set(node, (before.get(node) ?? 0) + 1);
  }
  return places;
}

/** The newest of the jobs that fit, newest first. */
function newestOf<T extends AnyJob>(
  jobs: readonly { job: T; seq: number }[],
  { fpgaId, statuses, types, owner, limit }: JobFilter,
): T[] {
  const fitting = jobs.filter(
    ({ job }) =>
      (fpgaId === undefined || job.fpga_id === fpgaId) &&
      (!statuses || statuses.includes(job.status)) &&
      (!types || types.includes(job.type)) &&
      (owner === undefined || job.owner === owner),
  );
  fitting.sort((a, b) => b.seq - a.seq);
  return fitting.slice(0, limit).map(({ job }) => job);
}

/** Every job as callers see it: queued, running, and the ended ones that retention keeps. */
export class JobIndex {
  readonly #shared: Shared;
  readonly #byId = new Map<string, StoredJob>();
  readonly #nodes: readonly NodeJobs[] = Array.from({ length: NODE_COUNT }, () => ({
    ended: { runs: new Map(), others: new Map() },
    active: [],
    last: null,
    lastBuild: null,
  }));
  /** Jobs without a node by id, in the order of acceptance. */
  readonly unplaced = new Map<string, StoredUnplacedJob>();
  /** Has an event for each job, by its id. */
  readonly #changes = new EventEmitter().setMaxListeners(0);
  /** The first words that a run wrote or read, while its end is announced. */
  readonly firstWords = new Map<string, readonly number[]>();
  /** Ids of jobs on their way to the disk. Callers don't see them yet, but their files must stay. */
  readonly expected = new Set<string>();

  constructor(shared: Shared) {
    this.#shared = shared;
  }

  /** Adds or replaces a job without announcing it. */
  add(stored: StoredJob): void {
    const { job_id: id, fpga_id: fpgaId, status } = stored.job;
    const node = this.#node(fpgaId);
    this.unplaced.delete(id);
    this.#byId.set(id, stored);
    const at = node.active.findIndex(({ job }) => job.job_id === id);
    if (hasEnded(status)) {
      node.ended[retentionClassOf(stored.job)].set(id, stored);
      node.last = id;
      if (stored.job.type === 'build_and_program') node.lastBuild = stored;
      if (at >= 0) node.active.splice(at, 1);
    } else if (at >= 0) node.active[at] = stored;
    else {
      // Jobs arrive in order, except those that wrote a file first.
      const later = node.active.findLastIndex(({ seq }) => seq < stored.seq) + 1;
      node.active.splice(later, 0, stored);
    }
  }

  /** Adds or replaces a job and announces it; true when it came or ended, which its node shows. */
  show(stored: StoredJob): boolean {
    const { job } = stored;
    const before = this.#byId.get(job.job_id)?.job.status;
    this.add(stored);
    this.#shared.events.publish({ type: 'job', job });
    if (before === job.status) return false;
    this.#changes.emit(job.job_id);
    return before === undefined || hasEnded(job.status);
  }

  /** Adds or replaces a job without a node and announces it. */
  showUnplaced(stored: StoredUnplacedJob): void {
    const { job } = stored;
    const before = this.unplaced.get(job.job_id)?.job.status;
    this.unplaced.set(job.job_id, stored);
    this.#shared.events.publish({ type: 'unplaced_job', job: this.#inLine(stored, this.#places()) });
    if (before !== undefined && before !== job.status) this.#changes.emit(job.job_id);
  }

  /** Removes a job without a node. */
  removeUnplaced(jobId: string): void {
    this.unplaced.delete(jobId);
    this.#shared.events.publish({ type: 'unplaced_job_removed', job_id: jobId });
    this.#changes.emit(jobId);
  }

  /** The job as callers see it, with or without a node. @throws job_not_found. */
  find(jobId: string): AnyJob {
    const unplaced = this.unplaced.get(jobId);
    return unplaced ? this.#inLine(unplaced, this.#places()) : this.get(jobId).job;
  }

  /**
   * Appends an ended job to its node's history; resolves when it is on disk. Until then bench.json has it.
   * @throws store_unavailable; the history then retries by itself.
   */
  async archive(ended: StoredJob): Promise<void> {
    const { job_id: id, fpga_id: fpgaId } = ended.job;
    const { bench, histories } = this.#shared.store;
    bench.jobs.set(id, ended);
    await histories[fpgaId]?.append(ended);
    if (bench.jobs.get(id) === ended) bench.jobs.delete(id);
    // Until that write the history is right and bench.json is stale.
    this.#shared.store.touchLater();
  }

  /** Removes an ended job that retention drops. */
  remove({ job }: StoredJob): void {
    const { job_id: id, fpga_id: fpgaId } = job;
    const node = this.#node(fpgaId);
    node.ended[retentionClassOf(job)].delete(id);
    this.#byId.delete(id);
    if (node.last === id) node.last = null;
    if (node.lastBuild?.job.job_id === id) node.lastBuild = null;
    this.#shared.events.publish({ type: 'job_removed', fpga_id: fpgaId, job_id: id });
    this.#changes.emit(id);
  }

  /** Whether a job is known or on its way to the disk. */
  has(jobId: string): boolean {
    return this.#byId.has(jobId) || this.unplaced.has(jobId) || this.expected.has(jobId);
  }

  /** @throws job_not_found, also for a job of a node other than the one named. */
  get(jobId: string, fpgaId?: number): StoredJob {
    const stored = this.#byId.get(jobId);
    if (!stored || (fpgaId !== undefined && stored.job.fpga_id !== fpgaId))
      throw jobsError('job_not_found', { jobId });
    return stored;
  }

  /** The log of an ended job whose record contains it. */
  logOf(jobId: string): string | undefined {
    return this.#byId.get(jobId)?.log;
  }

  /** Jobs of a node that have not ended, in the order of acceptance: the first one runs or is next. */
  active(fpgaId: number): readonly StoredJob[] {
    return this.#node(fpgaId).active;
  }

  /** Jobs of an owner on all nodes that have not ended. It counts only where all jobs together may reach `most`. */
  unended(owner: string, most: number): number {
    const all = this.#nodes.reduce((sum, { active }) => sum + active.length, 0);
    if (all < most) return 0;
    return this.#nodes.reduce(
      (sum, { active }) => sum + active.filter(({ job }) => job.owner === owner).length,
      0,
    );
  }

  /** Jobs of all nodes. */
  get all(): Iterable<StoredJob> {
    return this.#byId.values();
  }

  /** The ended jobs of a node by retention class, those that ended first before the others. */
  ended(fpgaId: number): Readonly<Record<RetentionClass, ReadonlyMap<string, StoredJob>>> {
    return this.#node(fpgaId).ended;
  }

  /** The job of a node that ended last. */
  last(fpgaId: number): string | null {
    return this.#node(fpgaId).last;
  }

  /** A summary of the build that ended last on a node. */
  lastBuild(fpgaId: number): LastBuild | null {
    const stored = this.#node(fpgaId).lastBuild;
    if (!stored) return null;
    const { job_id, owner, submit, updated_at: at, figures, failure = null, status } = stored.job;
    return {
      job_id,
      status: status as LastBuild['status'],
      owner,
      file: submit?.filename ?? '',
      at,
      fmax: figures?.fmax_mhz ?? null,
      luts: figures?.luts ?? null,
      luts_available: figures?.luts_available ?? null,
      timing_met: figures?.timing_met ?? null,
      failure,
    };
  }

  /** Jobs without a node as callers see them, newest first. */
  listUnplaced(filter: JobFilter): UnplacedJob[] {
    return newestOf(this.#allInLine(), filter);
  }

  /** Announces changed places in line to waiting jobs. Returns all places. */
  tellPlaces(before: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
    const places = this.#places();
    for (const [jobId, place] of places) {
      if (before.get(jobId) === place) continue;
      const stored = this.unplaced.get(jobId) as StoredUnplacedJob;
      this.#shared.events.publish({ type: 'unplaced_job', job: this.#inLine(stored, places) });
    }
    return places;
  }

  #inLine({ job }: StoredUnplacedJob, places: ReadonlyMap<string, number>): UnplacedJob {
    const { waiting_for: waitingFor = null } = job;
    const place = places.get(job.job_id) ?? null;
    const { boards, holds } = this.#shared;
    const nodes = () => boards.list().filter(({ slot, present }) => slot !== null && present).length;
    const expected = place === null ? null : holds.expectedWait(place, waitingFor === null ? nodes() : 1);
    return { ...job, waiting_for: waitingFor, place, expected_wait_s: expected };
  }

  #places(): Map<string, number> {
    const waiting = [...this.unplaced.values()].filter(({ job }) => job.status === 'queued');
    return placesOf(this.#shared.shares.order(waiting));
  }

  /** Whether any stored job has this build. */
  refersTo(buildId: string): boolean {
    for (const { job } of this.#byId.values()) if (job.build_id === buildId) return true;
    return false;
  }

  /** Newest first. */
  list(filter: JobFilter): Job[] {
    return newestOf([...this.#byId.values()], filter);
  }

  /** Jobs of all nodes and those without one, newest first. */
  listAll(filter: JobFilter): AnyJob[] {
    return newestOf<AnyJob>([...this.#byId.values(), ...this.#allInLine()], filter);
  }

  #allInLine(): { job: UnplacedJob; seq: number }[] {
    const places = this.#places();
    return [...this.unplaced.values()].map((stored) => ({
      job: this.#inLine(stored, places),
      seq: stored.seq,
    }));
  }

  /** Resolves when the status changes, a node takes the job, `milliseconds` have passed or the signal fires. */
  async wait(jobId: string, milliseconds: number, signal?: AbortSignal): Promise<void> {
    const ends = new AbortController();
    const end = () => ends.abort();
    const cancel = this.#shared.clock.after(milliseconds, end);
    signal?.addEventListener('abort', end, { once: true });
    if (!signal?.aborted) await once(this.#changes, jobId, { signal: ends.signal }).catch(() => {});
    signal?.removeEventListener('abort', end);
    cancel();
  }

  #node(fpgaId: number): NodeJobs {
    return this.#nodes[fpgaId] as NodeJobs;
  }
}
