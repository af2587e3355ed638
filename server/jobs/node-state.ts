import type { Session } from '../contract/nodes.ts';
import type { Store, StoredJob, StoredNode } from '../store/index.ts';
import type { JobIndex } from './job-index.ts';

/** A change of a node and of one of its jobs. */
export interface Change {
  node?: Partial<StoredNode>;
  job?: StoredJob;
  /** What the disk is to have of the job where that differs from what is shown. */
  kept?: StoredJob;
}

/**
 * What kind of change it is:
 * - `request`: somebody asked for it. It is shown when it is on disk; what cannot be kept is taken back.
 * - `fact`: it has happened. It is shown when it is on disk, and when the disk could not take it all the same.
 * - `soon`: it has happened and nobody waits for it. It is shown at once and on disk within a moment.
 */
export type ChangeKind = 'request' | 'fact' | 'soon';

/** One node as everybody sees it, and the one operation that changes it and its jobs. */
export class NodeState {
  readonly #store: Store;
  readonly #jobs: JobIndex;
  readonly #publish: () => void;
  readonly #watch: (session: Session | null) => void;
  #now: StoredNode;

  constructor(options: {
    store: Store;
    jobs: JobIndex;
    node: StoredNode;
    /** Announces the node as it is now. */
    publish: () => void;
    /** Told of the session that the node has from now on. */
    watch: (session: Session | null) => void;
  }) {
    this.#store = options.store;
    this.#jobs = options.jobs;
    this.#publish = options.publish;
    this.#watch = options.watch;
    this.#now = options.node;
  }

  get now(): StoredNode {
    return this.#now;
  }

  /**
   * Every change of state goes this way: staged, made durable, shown and published, or taken back.
   * @throws store_unavailable for a request that could not be kept: everything is as it was before.
   */
  async commit(change: Change, kind: ChangeKind): Promise<void> {
    const undo = this.#stage(change);
    if (kind === 'soon') this.#store.touch();
    else if (kind === 'request') await this.#store.commit(undo);
    // The store's health tells of what it could not write, and it tries again by itself.
    else await this.#durable(change).catch(() => {});
    this.#show(change);
  }

  /** For the next write to disk; returns what takes it back, unless something else has replaced it meanwhile. */
  #stage({ node, job, kept = job }: Change): () => void {
    const { bench } = this.#store;
    const { fpga_id: id } = this.#now;
    const nodeBefore = bench.nodes[id] ?? this.#now;
    const nodeAfter = node ? { ...nodeBefore, ...node } : nodeBefore;
    const jobBefore = kept && bench.jobs.get(kept.job.job_id);
    bench.nodes[id] = nodeAfter;
    if (kept) bench.jobs.set(kept.job.job_id, kept);
    return () => {
      if (bench.nodes[id] === nodeAfter) bench.nodes[id] = nodeBefore;
      if (!kept || bench.jobs.get(kept.job.job_id) !== kept) return;
      if (jobBefore) bench.jobs.set(kept.job.job_id, jobBefore);
      else bench.jobs.delete(kept.job.job_id);
    };
  }

  /** In the cheapest way: a line in the history where the end of a job is all there is, else bench.json. */
  async #durable({ node, job }: Change): Promise<void> {
    if (node || !job) return await this.#store.commit();
    await this.#jobs.archive(job);
  }

  #show({ node, job }: Change): void {
    if (node) this.#now = { ...this.#now, ...node };
    if (node?.session !== undefined) this.#watch(node.session);
    const moved = job ? this.#jobs.show(job) : false;
    if (node || moved) this.#publish();
  }
}
