import { type AnyJob, hasEnded } from '../contract/jobs/jobs.ts';
import { jobsError } from '../errors/jobs.ts';
import type { StoredUnplacedJob } from '../store/index.ts';
import { plural } from '../text.ts';
import { designIdOf } from './design-id.ts';
import { endedAlready } from './execution/end.ts';
import type { Node } from './node/node.ts';
import { submitDetails, waitingLine } from './node/requests.ts';
import type { Caller, SubmitInput } from './pool.ts';
import type { Services } from './services.ts';
import type { BenchUse } from './share-policy.ts';
import { timestamp } from './shared.ts';

/** Time between attempts to place jobs while the store can't write. */
const RETRY_MS = 5000;
/** Delay before changed places in line are announced together, ms. */
const LINE_MS = 50;
/** Ended jobs without a node that are stored. They are in bench.json, which every acknowledgement rewrites. */
const KEPT = 100;

/**
 * Jobs that wait for any node, or for one busy node. Each is on disk before the answer. Nodes take them in the order of
 * the shares, by default that of acceptance; a job for any node goes to the node that has been idle longest.
 */
export class Placement {
  readonly #services: Services;
  readonly #nodes: readonly Node[];
  /** New jobs on their way to the disk. */
  readonly #arriving = new Map<string, { owner: string; seq: number; done: Promise<unknown> }>();
  /** Jobs on their way to a node. */
  readonly #moving = new Map<string, Promise<void>>();
  readonly #cancelling = new Map<string, Promise<void>>();
  /** Cancels the next attempt; null while the store accepts writes. */
  #cancelRetry: (() => void) | null = null;
  /** Cancels the next announcement of the line; null while no place changed. */
  #cancelAnnouncement: (() => void) | null = null;
  /** The places announced last. */
  #places: ReadonlyMap<string, number> = new Map();
  #closed = false;

  constructor(services: Services, nodes: readonly Node[]) {
    this.#services = services;
    this.#nodes = nodes;
  }

  /**
   * Accepts a job for any node, or for one; resolves when it is on disk.
   * @throws queue_full, too_many_jobs, share_used_up, storage_low, store_unavailable, service_stopping.
   */
  async submit(input: SubmitInput, { owner }: Caller, waitingFor: number | null): Promise<AnyJob> {
    if (this.#closed) throw jobsError('service_stopping');
    const { store, clock, newId, jobs, shares } = this.#services;
    const { jobId = newId() } = input;
    await this.#arriving.get(jobId)?.done;
    if (jobs.has(jobId)) return jobs.find(jobId);
    this.#requireRoom(owner);
    shares.requireSubmit(owner, 'line', this.use);
    store.space.demand();
    const now = timestamp(clock);
    const job: StoredUnplacedJob['job'] = {
      job_id: jobId,
      fpga_id: null,
      ...(waitingFor === null ? {} : { waiting_for: waitingFor }),
      type: 'build_and_program',
      status: 'queued',
      created_at: now,
      updated_at: now,
      owner,
      submit: submitDetails(input),
      design_id: designIdOf(owner, input.filename),
    };
    const seq = ++store.bench.seq;
    const done = this.#keep({ job, seq }, input.source);
    this.#arriving.set(job.job_id, { owner, seq, done });
    jobs.expected.add(job.job_id);
    try {
      await done;
    } finally {
      this.#arriving.delete(job.job_id);
      jobs.expected.delete(job.job_id);
      this.consider();
    }
    return jobs.find(job.job_id);
  }

  /**
   * Cancels a job without a node. False when a node has taken it: then that node must cancel it.
   * @throws job_not_found, job_not_cancellable, store_unavailable, service_stopping.
   */
  async cancel(jobId: string, caller: Caller): Promise<boolean> {
    const { jobs, clock, store, activity } = this.#services;
    const pending = () => this.#moving.get(jobId) ?? this.#cancelling.get(jobId);
    for (let change = pending(); change; change = pending()) await change.catch(() => {});
    const stored = jobs.unplaced.get(jobId);
    if (!stored) return false;
    const { job } = stored;
    if (hasEnded(job.status))
      throw jobsError('job_not_cancellable', {
        jobId,
        ...endedAlready(job, 'There is nothing to cancel.'),
      });
    if (this.#closed) throw jobsError('service_stopping');
    const ended: StoredUnplacedJob = {
      ...stored,
      job: { ...job, status: 'cancelled', updated_at: timestamp(clock), cancelled_by: caller.owner },
      note: `cancelled by ${caller.owner} before it started`,
    };
    const activityEntry = activity.stage({
      fpga_id: null,
      kind: 'cancelled',
      by: caller.owner,
      owner: job.owner,
      to: null,
      design: job.submit.filename,
      transactions: 0,
      job_id: jobId,
    });
    store.bench.unplaced.set(jobId, ended);
    const change = store.commit(() => {
      activityEntry.undo();
      store.bench.unplaced.set(jobId, stored);
    });
    this.#cancelling.set(jobId, change);
    try {
      await change;
    } finally {
      this.#cancelling.delete(jobId);
      // The cancellation was taken back: a free node may have skipped the job meanwhile.
      this.consider();
    }
    activityEntry.show();
    jobs.showUnplaced(ended);
    this.#announceLine();
    this.#removeFiles(jobId);
    this.prune();
    return true;
  }

  /** The whole log of a job without a node. */
  log({ job, note }: StoredUnplacedJob): Buffer {
    const { created_at: from, updated_at: to } = job;
    const line = (seconds: number, words: string) => `[${seconds.toFixed(3).padStart(8)} queue] ${words}\n`;
    const last = note === undefined ? '' : line(Math.max(0, Date.parse(to) - Date.parse(from)) / 1000, note);
    return Buffer.from(line(0, waitingLine(job.waiting_for)) + last);
  }

  /** The use of the bench at this moment. */
  get use(): BenchUse {
    const waiting = [...this.#arriving.values()].map(({ owner }) => owner);
    for (const { job } of this.#services.jobs.unplaced.values())
      if (job.status === 'queued' && !this.#moving.has(job.job_id)) waiting.push(job.owner);
    return { nodes: this.#nodes, waiting };
  }

  /** Gives waiting jobs to free nodes: called whenever a job or a node may have changed. */
  consider(): void {
    if (this.#closed || this.#cancelRetry) return;
    if (this.#services.jobs.unplaced.size === 0 || !this.#nodes.some(({ free }) => free)) return;
    const { shares } = this.#services;
    for (const stored of shares.order(this.#waiting())) {
      const { job_id: jobId, owner, waiting_for: wanted = null } = stored.job;
      const node = wanted === null ? this.#leastRecentlyUsed() : this.#nodes[wanted];
      if (node?.free && shares.mayTake(owner, this.use)) this.#moving.set(jobId, this.#move(node, stored));
    }
  }

  /** Takes no more jobs; resolves when pending moves have arrived or were taken back. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelRetry?.();
    this.#cancelAnnouncement?.();
    const arriving = [...this.#arriving.values()].map(({ done }) => done);
    await Promise.allSettled([...arriving, ...this.#moving.values(), ...this.#cancelling.values()]);
  }

  /** Removes ended jobs without a node beyond the limits of number and age. */
  prune(): void {
    const { jobs, store, settings, clock } = this.#services;
    const ended = [...jobs.unplaced.values()].filter(({ job }) => hasEnded(job.status));
    const days = settings.jobDays;
    const oldest = days === null ? '' : new Date(clock.now() - days * 86_400_000).toISOString();
    const kept = Math.min(KEPT, settings.jobsPerNode);
    for (const [at, { job }] of ended.entries()) {
      if (at >= ended.length - kept && job.updated_at >= oldest) continue;
      store.bench.unplaced.delete(job.job_id);
      store.touch();
      store.jobFiles.sizes.forget(job.job_id);
      jobs.removeUnplaced(job.job_id);
    }
  }

  #requireRoom(owner: string): void {
    const { settings } = this.#services;
    const { waiting } = this.use;
    const all = waiting.length;
    const own = waiting.filter((one) => one === owner).length;
    if (all >= settings.unplaced)
      throw jobsError('queue_full', {
        status: 503,
        message: `${plural(all, 'job already waits', 'jobs already wait')} for an idle node.`,
        remedy: 'Wait until some of them have got one, then send more.',
      });
    if (own >= settings.unplacedPerOwner)
      throw jobsError('too_many_jobs', {
        message: `${plural(own, 'job of this owner already waits', 'jobs of this owner already wait')} for an idle node.`,
      });
  }

  async #keep(stored: StoredUnplacedJob, source: Uint8Array): Promise<void> {
    const { store, jobs } = this.#services;
    const { job_id: jobId } = stored.job;
    try {
      // The record lies next to its source, so an accepted job survives the loss of bench.json and of its previous
      // generation.
      const record = Buffer.from(JSON.stringify(stored));
      await Promise.all([
        store.jobFiles.write(null, jobId, 'source', source),
        store.jobFiles.write(null, jobId, 'request', record),
      ]);
      store.bench.unplaced.set(jobId, stored);
      await store.commit(() => store.bench.unplaced.delete(jobId));
    } catch (error) {
      this.#removeFiles(jobId);
      throw error;
    }
    jobs.showUnplaced(stored);
  }

  /** The waiting jobs accepted before the first that is on its way to the disk. */
  #waiting(): StoredUnplacedJob[] {
    const first = Math.min(...[...this.#arriving.values()].map(({ seq }) => seq));
    return [...this.#services.jobs.unplaced.values()].filter(
      ({ job: { job_id: jobId, status }, seq }) =>
        status === 'queued' && seq < first && !this.#moving.has(jobId) && !this.#cancelling.has(jobId),
    );
  }

  /** Announces the places in line after a short delay, which collects further changes. */
  #announceLine(): void {
    this.#cancelAnnouncement ??= this.#services.clock.after(LINE_MS, () => {
      this.#cancelAnnouncement = null;
      this.#places = this.#services.jobs.tellPlaces(this.#places);
    });
  }

  #leastRecentlyUsed(): Node | undefined {
    const free = this.#nodes.filter((node) => node.free);
    return free.sort((a, b) => (a.lastUsed ?? '').localeCompare(b.lastUsed ?? ''))[0];
  }

  async #move(node: Node, stored: StoredUnplacedJob): Promise<void> {
    const { clock, logger } = this.#services;
    const { job_id: jobId } = stored.job;
    try {
      await node.ask({ kind: 'place', unplaced: stored });
      this.#announceLine();
      this.#removeFiles(jobId);
    } catch (error) {
      if (!this.#closed) {
        logger.warn(
          { err: error, fpga_id: node.fpgaId, job_id: jobId },
          'A job could not be given to a node yet.',
        );
        this.#cancelRetry ??= clock.after(RETRY_MS, () => {
          this.#cancelRetry = null;
          this.consider();
        });
      }
    } finally {
      this.#moving.delete(jobId);
      this.consider();
    }
  }

  #removeFiles(jobId: string): void {
    const { store, logger } = this.#services;
    store.jobFiles.removeUnplaced(jobId).catch((error) => {
      logger.warn(
        { err: error, job_id: jobId },
        'The files of a job that waited for a node could not be removed.',
      );
    });
  }
}
