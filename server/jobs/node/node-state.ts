import type { StoredJob, StoredNode, StoredUnplacedJob } from '../../store/index.ts';
import { type Cause, describeActivity, type StagedActivity } from '../activity.ts';
import type { Services } from '../services.ts';

/** A change of a node and of one of its jobs. */
export interface Change {
  /**
   * A patch of the node that callers see but the disk does not have. It lasts until the node's state changes. After a
   * crash the node is as it was before.
   */
  shown?: Partial<StoredNode>;
  /** The change of the node. A function gets the node with all pending changes applied. */
  node?: Partial<StoredNode> | ((node: StoredNode) => Partial<StoredNode>) | undefined;
  job?: StoredJob;
  /** The job as stored, where that differs from the job as shown. */
  kept?: StoredJob;
  /** The job's record without a node, which this change removes. */
  placed?: StoredUnplacedJob;
  /** The cause for the activity log. A session never ends or changes hands without one. */
  cause?: Cause | undefined;
}

/**
 * How a change is made:
 * - `committed`: shown when it is on disk, and taken back when the write fails. For requests.
 * - `appended`: the same with one line in the node's history, the cheapest way. For a job that begins at once; a crash
 *   may lose the change of the node with it.
 * - `recorded`: shown when it is on disk, and also when the write fails. For facts.
 * - `deferred`: shown at once and on disk soon. For changes without a waiting caller.
 * - `volatile`: shown at once, and written with the next other change.
 */
export type ChangeKind = 'committed' | 'appended' | 'recorded' | 'deferred' | 'volatile';

/** One node as callers see it, with the only operation that changes it and its jobs. */
export class NodeState {
  readonly #services: Services;
  #now: StoredNode;
  #shown: Partial<StoredNode> = {};
  /** The node without pending changes. */
  #base: StoredNode;
  /** Pending changes of the node in order, from the oldest that is not on disk. */
  #staged: { patch: Partial<StoredNode>; settled: boolean }[] = [];
  /** The pending `appended` change. */
  #appending: Promise<void> | null = null;

  constructor(node: StoredNode, services: Services) {
    this.#services = services;
    this.#now = node;
    this.#base = node;
  }

  /** The node as callers see it. */
  get now(): StoredNode {
    return this.#now;
  }

  /** The node as the next write to disk has it. */
  get staged(): StoredNode {
    return this.#services.store.bench.nodes[this.#now.fpga_id] as StoredNode;
  }

  /**
   * Makes every change of state: stages it, makes it durable and shows it, or takes it back. Returns whether callers
   * see a different node; a promise where that takes time.
   * @throws store_unavailable for a `committed` or `appended` change that can't be written: everything is as before.
   */
  commit(change: Change, kind: ChangeKind): boolean | Promise<boolean> {
    if (kind === 'deferred' || kind === 'volatile') {
      const { settle } = this.#stage(change);
      if (kind === 'deferred') this.#services.store.touch();
      else this.#services.store.touchLater();
      return settle();
    }
    return this.#commitDurably(change, kind);
  }

  async #commitDurably(change: Change, kind: 'committed' | 'appended' | 'recorded'): Promise<boolean> {
    // An appended change goes to another file than later changes, and must be on disk before them.
    if (kind === 'committed') while (this.#appending) await this.#appending;
    const { undo, settle } = this.#stage(change);
    if (kind === 'committed') await this.#services.store.commit(undo);
    else if (kind === 'appended') await this.#append(change, undo);
    // The store's health reports the failure, and the store retries by itself.
    else await this.#record(change).catch(() => {});
    return settle();
  }

  /** Stages a change for the next write. `undo` takes it back and keeps later changes. */
  #stage({ node, job, kept = job, placed, cause, shown }: Change) {
    const { bench } = this.#services.store;
    const { activity, transactions } = this.#services;
    const before = this.staged;
    const { fpga_id: id } = before;
    const patch = typeof node === 'function' ? node(before) : node;
    if (patch?.session === null && before.session !== null && !cause)
      throw new Error(`The session of node ${id} ends without a cause.`);
    const details =
      cause &&
      describeActivity(before, cause, {
        job: job?.job,
        design: patch?.design?.filename ?? null,
        transactions: transactions(id),
      });
    const activityEntry = details ? activity.stage(details) : null;
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

  /** Merges the oldest settled changes into the node on disk. */
  #fold(): void {
    while (this.#staged[0]?.settled) this.#base = { ...this.#base, ...this.#staged.shift()?.patch };
    const { nodes } = this.#services.store.bench;
    const patches = this.#staged.map(({ patch }) => patch);
    nodes[this.#now.fpga_id] = Object.assign({ ...this.#base }, ...patches);
    // Apply changes in the order in which they began, not in the order of the writes. Otherwise a renewal could restore
    // a session that was handed over meanwhile.
    const settled = this.#staged.filter((one) => one.settled).map(({ patch }) => patch);
    this.#now = Object.assign({ ...this.#base }, ...settled, this.#shown);
  }

  /** Only jobs have a line in a history. */
  async #append({ job, kept = job }: Change, undo: () => void): Promise<void> {
    const history = this.#services.store.histories[this.#now.fpga_id];
    const accepted = Promise.resolve(history?.accept(kept as StoredJob));
    const appending = accepted
      .catch(() => {})
      .then(() => {
        if (this.#appending === appending) this.#appending = null;
      });
    this.#appending = appending;
    try {
      await accepted;
      this.#services.store.touchLater();
    } catch (error) {
      undo();
      // Another write may have put the undone change on disk.
      this.#services.store.touch();
      throw error;
    }
  }

  /** Writes the change the cheapest way: a history line where only a job ends, else bench.json. */
  async #record({ node, job }: Change): Promise<void> {
    if (node || !job) return await this.#services.store.commit();
    await this.#services.jobs.archive(job);
  }

  #show(changed: boolean, job: StoredJob | undefined, activityEntry: StagedActivity | null): boolean {
    // The activity comes before the node: a listener learns of a new session after its cause.
    activityEntry?.show();
    const moved = job ? this.#services.jobs.show(job) : false;
    return changed || moved;
  }
}
