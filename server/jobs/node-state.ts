import type { Store, StoredJob, StoredNode, StoredUnplacedJob } from '../store/index.ts';
import { type Cause, type Happenings, type StagedHappening, toldOf } from './happenings.ts';
import type { JobIndex } from './job-index.ts';

/** A change of a node and of one of its jobs. */
export interface Change {
  /**
   * What is shown of the node while the disk keeps what it has: it lasts until the node's state changes. A crash
   * meanwhile leaves the node as it was before.
   */
  shown?: Partial<StoredNode>;
  /** What changes of the node; a function sees it as it will be by then, with all that is on its way. */
  node?: Partial<StoredNode> | ((node: StoredNode) => Partial<StoredNode>);
  job?: StoredJob;
  /** What the disk is to have of the job where that differs from what is shown. */
  kept?: StoredJob;
  /** The record without a node that the job had until now. */
  placed?: StoredUnplacedJob;
  /** What others are told of it. A session does not end, or pass on, without. */
  cause?: Cause | undefined;
}

/**
 * What kind of change it is:
 * - `request`: somebody asked for it. It is shown when it is on disk; what cannot be kept is taken back.
 * - `start`: the same for a job that begins at once, in the cheapest way: a line in the node's history. What changes of
 *   the node with it may be lost in a crash.
 * - `fact`: it has happened. It is shown when it is on disk, and when the disk could not take it all the same.
 * - `soon`: it has happened and nobody waits for it. It is shown at once and on disk within a moment.
 * - `known`: it is shown at once, and what the disk has says as much.
 */
export type ChangeKind = 'request' | 'start' | 'fact' | 'soon' | 'known';

/** One node as everybody sees it, and the one operation that changes it and its jobs. */
export class NodeState {
  readonly #store: Store;
  readonly #jobs: JobIndex;
  readonly #happenings: Happenings;
  readonly #transactions: () => number;
  readonly #publish: () => void;
  readonly #watch: (node: StoredNode) => void;
  #now: StoredNode;
  #shown: Partial<StoredNode> = {};
  /** The node without the changes that are on their way. */
  #base: StoredNode;
  /** Changes of the node in their order, from the first that is on its way to the disk. */
  #staged: { patch: Partial<StoredNode>; settled: boolean }[] = [];

  constructor(options: {
    store: Store;
    jobs: JobIndex;
    happenings: Happenings;
    node: StoredNode;
    /** Transactions that are remembered of the node. */
    transactions: () => number;
    /** Announces the node as it is now. */
    publish: () => void;
    /** Told when the node's session has begun, was renewed or has ended. */
    watch: (node: StoredNode) => void;
  }) {
    this.#store = options.store;
    this.#jobs = options.jobs;
    this.#happenings = options.happenings;
    this.#transactions = options.transactions;
    this.#publish = options.publish;
    this.#watch = options.watch;
    this.#now = options.node;
    this.#base = options.node;
  }

  get now(): StoredNode {
    return this.#now;
  }

  /**
   * Every change of state goes this way: staged, made durable, shown and published, or taken back.
   * @throws store_unavailable for a request that could not be kept: everything is as it was before.
   */
  async commit(change: Change, kind: ChangeKind): Promise<void> {
    const { undo, settle } = this.#stage(change);
    if (kind === 'soon') this.#store.touch();
    else if (kind === 'known') this.#store.touchLater();
    else if (kind === 'request') await this.#store.commit(undo);
    else if (kind === 'start') await this.#accept(change, undo);
    // The store's health tells of what it could not write, and it tries again by itself.
    else await this.#durable(change).catch(() => {});
    settle();
  }

  /** For the next write to disk; `undo` takes it back and leaves what others have changed meanwhile. */
  #stage({ node, job, kept = job, placed, cause, shown }: Change) {
    const { bench } = this.#store;
    const { fpga_id: id } = this.#now;
    const before = bench.nodes[id] ?? this.#now;
    const patch = typeof node === 'function' ? node(before) : node;
    if (patch?.session === null && before.session !== null && !cause)
      throw new Error(`The session of node ${id} ends, and nobody is told why.`);
    const told =
      cause &&
      toldOf(before, cause, {
        job: job?.job,
        design: patch?.design?.filename ?? null,
        transactions: this.#transactions(),
      });
    const happening = told ? this.#happenings.stage(told) : null;
    const entry = { patch: patch ?? {}, settled: false };
    if (patch) this.#staged.push(entry);
    this.#fold();
    const jobBefore = kept && bench.jobs.get(kept.job.job_id);
    if (kept) bench.jobs.set(kept.job.job_id, kept);
    if (placed) bench.unplaced.delete(placed.job.job_id);
    return {
      settle: () => {
        entry.settled = true;
        if (patch?.state !== undefined && patch.state !== this.#shown.state) this.#shown = {};
        if (shown) this.#shown = shown;
        this.#fold();
        this.#show(shown ? { ...patch, ...shown } : patch, job, happening);
      },
      undo: () => {
        happening?.undo();
        this.#staged = this.#staged.filter((one) => one !== entry);
        this.#fold();
        if (placed) bench.unplaced.set(placed.job.job_id, placed);
        if (!kept || bench.jobs.get(kept.job.job_id) !== kept) return;
        if (jobBefore) bench.jobs.set(kept.job.job_id, jobBefore);
        else bench.jobs.delete(kept.job.job_id);
      },
    };
  }

  /** The node on disk is what it was, with all changes that are settled or on their way. */
  #fold(): void {
    while (this.#staged[0]?.settled) this.#base = { ...this.#base, ...this.#staged.shift()?.patch };
    const { nodes } = this.#store.bench;
    const patches = this.#staged.map(({ patch }) => patch);
    nodes[this.#now.fpga_id] = Object.assign({ ...this.#base }, ...patches);
    // In the order in which they began, not in that in which the disk had them: a renewal of a session is no way back
    // to one that was handed over meanwhile.
    const settled = this.#staged.filter((one) => one.settled).map(({ patch }) => patch);
    this.#now = Object.assign({ ...this.#base }, ...settled, this.#shown);
  }

  async #accept({ job, kept = job }: Change, undo: () => void): Promise<void> {
    try {
      if (kept) await this.#store.histories[this.#now.fpga_id]?.accept(kept);
      this.#store.touchLater();
    } catch (error) {
      undo();
      // Others' writes may have taken it to the disk meanwhile.
      this.#store.touch();
      throw error;
    }
  }

  /** In the cheapest way: a line in the history where the end of a job is all there is, else bench.json. */
  async #durable({ node, job }: Change): Promise<void> {
    if (node || !job) return await this.#store.commit();
    await this.#jobs.archive(job);
  }

  #show(
    node: Partial<StoredNode> | undefined,
    job: StoredJob | undefined,
    happening: StagedHappening | null,
  ): void {
    // Before the node: who hears of a new session has heard how it came to be.
    happening?.show();
    if (node?.session !== undefined) this.#watch(this.#now);
    const moved = job ? this.#jobs.show(job) : false;
    if (node || moved) this.#publish();
  }
}
