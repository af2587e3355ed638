import type { Clock } from '../clock.ts';
import { NODE_COUNT } from '../contract/boards/boards.ts';
import {
  type AnyJob,
  hasEnded,
  type Job,
  type JobStatus,
  type JobType,
  type UnplacedJob,
} from '../contract/jobs/jobs.ts';
import type { LastBuild } from '../contract/nodes/nodes.ts';
import { jobsError } from '../errors/jobs.ts';
import type { EventHub } from '../events/events.ts';
import type { Store, StoredJob, StoredUnplacedJob } from '../store/index.ts';

/** What a job is to retention: of runs there may be thousands in a minute, so they have a room of their own. */
export type RetentionClass = 'runs' | 'others';
export const retentionClassOf = ({ type }: Pick<Job, 'type'>): RetentionClass =>
  type === 'run' ? 'runs' : 'others';

/** The jobs of one node. */
interface NodeJobs {
  readonly all: Map<string, StoredJob>;
  /** Those that have not ended, in the order of acceptance. */
  active: StoredJob[];
  /** The one that ended last. */
  last: string | null;
  /** The build that ended last. */
  lastBuild: StoredJob | null;
  /** How many have ended, by what they are to retention. */
  readonly ended: Record<RetentionClass, number>;
}

/** Which jobs of the whole bench are listed; what is absent does not matter. */
export interface JobFilter {
  statuses?: readonly JobStatus[];
  types?: readonly JobType[];
  owner?: string;
  limit?: number;
}

/**
 * The place in line of every job that waits, 1 for the next: behind the ones accepted earlier that may take the same
 * node, which for one that any node may take are those that any may take.
 */
function placesOf(unplaced: ReadonlyMap<string, StoredUnplacedJob>): Map<string, number> {
  const places = new Map<string, number>();
  const before = new Map<number | null, number>();
  const waiting = [...unplaced.values()].filter(({ job }) => job.status === 'queued');
  for (const { job } of waiting.sort((a, b) => a.seq - b.seq)) {
    const { waiting_for: node = null } = job;
    const [any, own] = [before.get(null) ?? 0, node === null ? 0 : (before.get(node) ?? 0)];
    places.set(job.job_id, 1 + any + own);
    before.set(node, (before.get(node) ?? 0) + 1);
  }
  return places;
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
    lastBuild: null,
    ended: { runs: 0, others: 0 },
  }));
  /** Jobs without a node, in the order of acceptance. */
  readonly #unplaced = new Map<string, StoredUnplacedJob>();
  readonly #waiting = new Map<string, Set<() => void>>();
  /** The first words that a run wrote or read, while its end is being shown. */
  readonly firstWords = new Map<string, readonly number[]>();
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
    const before = this.#byId.get(id);
    if (hasEnded(status) && !(before && hasEnded(before.job.status)))
      node.ended[retentionClassOf(stored.job)]++;
    this.#unplaced.delete(id);
    this.#byId.set(id, stored);
    node.all.set(id, stored);
    const at = node.active.findIndex(({ job }) => job.job_id === id);
    if (hasEnded(status)) {
      node.last = id;
      if (stored.job.type === 'build_and_program') node.lastBuild = stored;
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

  /** Takes a job without a node in, new or changed, without telling anybody. */
  addUnplaced(stored: StoredUnplacedJob): void {
    this.#unplaced.set(stored.job.job_id, stored);
  }

  /** Shows a job without a node, new or changed, to everybody. */
  showUnplaced(stored: StoredUnplacedJob): void {
    const { job } = stored;
    const before = this.#unplaced.get(job.job_id)?.job.status;
    this.addUnplaced(stored);
    this.#events.publish({ type: 'unplaced_job', job: this.#inLine(stored, placesOf(this.#unplaced)) });
    if (before !== undefined && before !== job.status) this.#wake(job.job_id);
  }

  /** Forgets a job without a node. */
  removeUnplaced(jobId: string): void {
    this.#unplaced.delete(jobId);
    this.#events.publish({ type: 'unplaced_job_removed', job_id: jobId });
    this.#wake(jobId);
  }

  /** Jobs without a node by id, in the order of acceptance. */
  get unplaced(): ReadonlyMap<string, StoredUnplacedJob> {
    return this.#unplaced;
  }

  /** The job as callers see it, with or without a node. @throws job_not_found. */
  find(jobId: string): AnyJob {
    const unplaced = this.#unplaced.get(jobId);
    return unplaced ? this.#inLine(unplaced, placesOf(this.#unplaced)) : this.get(jobId).job;
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
    // Until then the history knows better.
    this.#store.touchLater();
  }

  /** Forgets a job that is not kept any more. */
  remove({ job }: StoredJob): void {
    const { job_id: id, fpga_id: fpgaId } = job;
    const node = this.#node(fpgaId);
    const known = this.#byId.get(id);
    if (known && hasEnded(known.job.status)) node.ended[retentionClassOf(job)]--;
    this.#byId.delete(id);
    node.all.delete(id);
    if (node.last === id) node.last = null;
    if (node.lastBuild?.job.job_id === id) node.lastBuild = null;
    this.#events.publish({ type: 'job_removed', fpga_id: fpgaId, job_id: id });
    this.#wake(id);
  }

  /** Whether a job is known or on its way. */
  has(jobId: string): boolean {
    return this.#byId.has(jobId) || this.#unplaced.has(jobId) || this.expected.has(jobId);
  }

  /** @throws job_not_found, also for a job of another node than the one named. */
  get(jobId: string, fpgaId?: number): StoredJob {
    const stored = this.#byId.get(jobId);
    if (!stored || (fpgaId !== undefined && stored.job.fpga_id !== fpgaId))
      throw jobsError('job_not_found', { jobId });
    return stored;
  }

  /** The log of a job that has ended where it is kept in its record. */
  logOf(jobId: string): string | undefined {
    return this.#byId.get(jobId)?.log;
  }

  /** Jobs of a node that have not ended, in the order of acceptance: the first runs or is the next to. */
  active(fpgaId: number): readonly StoredJob[] {
    return this.#node(fpgaId).active;
  }

  /** Jobs of an owner that have not ended, on all nodes; counted only where all jobs together may be `most`. */
  unended(owner: string, most: number): number {
    const all = this.#nodes.reduce((sum, { active }) => sum + active.length, 0);
    if (all < most) return 0;
    return this.#nodes.reduce(
      (sum, { active }) => sum + active.filter(({ job }) => job.owner === owner).length,
      0,
    );
  }

  /** Jobs of a node, oldest first. */
  ofNode(fpgaId: number): ReadonlyMap<string, StoredJob> {
    return this.#node(fpgaId).all;
  }

  /** Jobs of a node that have ended and are kept. */
  ended(fpgaId: number): Readonly<Record<RetentionClass, number>> {
    return this.#node(fpgaId).ended;
  }

  /** The job of a node that ended last. */
  last(fpgaId: number): string | null {
    return this.#node(fpgaId).last;
  }

  /** What came of the build of a node that ended last, in short. */
  lastBuild(fpgaId: number): LastBuild | null {
    const stored = this.#node(fpgaId).lastBuild;
    if (!stored) return null;
    const { job_id, owner, submit, updated_at: at, figures, failure = null, status } = stored.job;
    if (status === 'queued' || status === 'running') return null;
    return {
      job_id,
      status,
      owner,
      file: submit?.filename ?? '',
      at,
      fmax: figures?.fmax_mhz ?? null,
      luts: figures?.luts ?? null,
      luts_available: figures?.luts_available ?? null,
      failure,
    };
  }

  /** Jobs without a node as callers see them, newest first. */
  listUnplaced(limit: number): UnplacedJob[] {
    const places = placesOf(this.#unplaced);
    return [...this.#unplaced.values()]
      .sort((a, b) => b.seq - a.seq)
      .slice(0, limit)
      .map((stored) => this.#inLine(stored, places));
  }

  /** Tells the jobs that wait of their place in line, where it is another one than `before`. Returns all places. */
  tellPlaces(before: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
    const places = placesOf(this.#unplaced);
    for (const [jobId, place] of places) {
      const stored = this.#unplaced.get(jobId);
      if (stored && before.get(jobId) !== place)
        this.#events.publish({ type: 'unplaced_job', job: this.#inLine(stored, places) });
    }
    return places;
  }

  #inLine({ job }: StoredUnplacedJob, places: ReadonlyMap<string, number>): UnplacedJob {
    return { ...job, waiting_for: job.waiting_for ?? null, place: places.get(job.job_id) ?? null };
  }

  /** Whether any job that is kept was of this build. */
  refersTo(buildId: string): boolean {
    for (const { job } of this.#byId.values()) if (job.build_id === buildId) return true;
    return false;
  }

  /** Newest first. */
  list(filter: {
    fpgaId?: number;
    statuses?: JobStatus[];
    types?: readonly JobType[];
    limit?: number;
  }): Job[] {
    const all = filter.fpgaId === undefined ? this.#byId : this.ofNode(filter.fpgaId);
    const { statuses, types } = filter;
    const fits = ({ job }: StoredJob) =>
      (!statuses || statuses.includes(job.status)) && (!types || types.includes(job.type));
    const found = [...all.values()].filter(fits);
    found.sort((a, b) => b.seq - a.seq);
    return found.slice(0, filter.limit ?? found.length).map(({ job }) => job);
  }

  /** Jobs of all nodes and those without one, newest first. */
  listAll({ statuses, types, owner, limit }: JobFilter): AnyJob[] {
    const fits = ({ job }: { job: AnyJob }) =>
      (!statuses || statuses.includes(job.status)) &&
      (!types || types.includes(job.type)) &&
      (owner === undefined || job.owner === owner);
    const places = placesOf(this.#unplaced);
    const unplaced = [...this.#unplaced.values()].map((stored) => ({
      job: this.#inLine(stored, places),
      seq: stored.seq,
    }));
    const found: { job: AnyJob; seq: number }[] = [
      ...[...this.#byId.values()].filter(fits),
      ...unplaced.filter(fits),
    ];
    found.sort((a, b) => b.seq - a.seq);
    return found.slice(0, limit ?? found.length).map(({ job }) => job);
  }

  /** Resolves when the status changes or a node takes the job, `milliseconds` have passed or the signal fires. */
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
