import type { Store, StoredJob, StoredNode, StoredUnplacedJob } from '../../store/index.ts';
import { type Cause, describeActivity, type StagedActivity } from '../activity.ts';
import type { JobIndex } from '../job-index.ts';
import type { Services } from '../services.ts';

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
 * How a change is made:
 * - `committed`: it is shown when it is on disk; what cannot be written is taken back. For what somebody asks for.
 * - `appended`: the same in the cheapest way, as a line in the node's history. For a job that begins at once; what
 *   changes of the node with it may be lost in a crash.
 * - `recorded`: it is shown when it is on disk, and also when the disk could not take it. For what has happened.
 * - `deferred`: it is shown at once and on disk within a moment. For what nobody waits for.
 * - `volatile`: it is shown at once, and the disk has it with whatever is written next.
 */
export type ChangeKind = 'committed' | 'appended' | 'recorded' | 'deferred' | 'volatile';

/** One node as everybody sees it, and the one operation that changes it and its jobs. */
export class NodeState {
  readonly #services: Services;
  readonly #store: Store;
  readonly #jobs: JobIndex;
  #now: StoredNode;
  #shown: Partial<StoredNode> = {};
  /** The node without the changes that are on their way. */
  #base: StoredNode;
  /** Changes of the node in their order, from the first that is on its way to the disk. */
  #staged: { patch: Partial<StoredNode>; settled: boolean }[] = [];
  /** An `appended` change is on its way to the disk. */
  #appending: Promise<void> | null = null;

  constructor(node: StoredNode, services: Services) {
    this.#services = services;
    this.#store = services.store;
    this.#jobs = services.jobs;
    this.#now = node;
    this.#base = node;
  }

  /** The node as callers see it. */
  get now(): StoredNode {
    return this.#now;
  }

  /** The node as the next write to disk has it. */
  get staged(): StoredNode {
    return this.#store.bench.nodes[this.#now.fpga_id] ?? this.#now;
  }

  /**
   * Every change of state goes this way: staged, made durable and shown, or taken back. Answers whether callers see
   * another node than before; a promise where that takes its time.
   * @throws store_unavailable for what is `committed` or `appended` and cannot be written: everything is as it was.
   */
  commit(change: Change, kind: ChangeKind): boolean | Promise<boolean> {
    if (kind === 'deferred' || kind === 'volatile') {
      const { settle } = this.#stage(change);
      if (kind === 'deferred') this.#store.touch();
      else this.#store.touchLater();
      return settle();
    }
    return this.#commitDurably(change, kind);
  }

  async #commitDurably(change: Change, kind: 'committed' | 'appended' | 'recorded'): Promise<boolean> {
    // It is kept in another file than those that were asked for later, which are not to be there before it.
    if (kind === 'committed') while (this.#appending) await this.#appending;
    const { undo, settle } = this.#stage(change);
    if (kind === 'committed') await this.#store.commit(undo);
    else if (kind === 'appended') await this.#append(change, undo);
    // The store's health says what it could not write, and it tries again by itself.
    else await this.#record(change).catch(() => {});
    return settle();
  }

  /** For the next write to disk; `undo` takes it back and leaves what others have changed meanwhile. */
  #stage({ node, job, kept = job, placed, cause, shown }: Change) {
    const { bench } = this.#store;
    const { activity, transactions } = this.#services;
    const before = this.staged;
    const { fpga_id: id } = before;
    const patch = typeof node === 'function' ? node(before) : node;
    if (patch?.session === null && before.session !== null && !cause)
      throw new Error(`The session of node ${id} ends, and nobody is told why.`);
    const told =
      cause &&
      describeActivity(before, cause, {
        job: job?.job,
        design: patch?.design?.filename ?? null,
        transactions: transactions(id),
      });
    const activityEntry = told ? activity.stage(told) : null;
    const entry = { patch: patch ?? {}, settled: false };
    if (patch) this.#staged.push(entry);
    this.#fold();
    const jobBefore = kept && bench.jobs.get(kept.job.job_id);
    if (kept) bench.jobs.set(kept.job.job_id, kept);
    if (placed) bench.unplaced.delete(placed.job.job_id);
    return {
      settle: (): boolean => {
        entry.settled = true;
        if (patch?.state !== undefined && patch.state !== this.#shown.state) this.#shown = {};
        if (shown) this.#shown = shown;
        this.#fold();
        return this.#show(Boolean(patch ?? shown), job, activityEntry);
      },
      undo: (): void => {
        activityEntry?.undo();
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

  async #append({ job, kept = job }: Change, undo: () => void): Promise<void> {
    if (!kept) throw new Error('Only jobs have a line in a history.');
    const accepted = this.#store.histories[this.#now.fpga_id]?.accept(kept) ?? Promise.resolve();
    const appending = accepted
      .catch(() => {})
      .then(() => {
        if (this.#appending === appending) this.#appending = null;
      });
    this.#appending = appending;
    try {
      await accepted;
      this.#store.touchLater();
    } catch (error) {
      undo();
      // Others' writes may have taken it to the disk meanwhile.
      this.#store.touch();
      throw error;
    }
  }

  /** In the cheapest way: a line in the history where the end of a job is all there is, else bench.json. */
  async #record({ node, job }: Change): Promise<void> {
    if (node || !job) return await this.#store.commit();
    await this.#jobs.archive(job);
  }

  #show(changed: boolean, job: StoredJob | undefined, activityEntry: StagedActivity | null): boolean {
    // Before the node: who hears of a new session has heard how it came to be.
    activityEntry?.show();
    const moved = job ? this.#jobs.show(job) : false;
    return changed || moved;
  }
}
