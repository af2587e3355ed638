import { type AnyJob, hasEnded } from '../contract/jobs/jobs.ts';
import { jobsError } from '../errors/jobs.ts';
import type { StoredUnplacedJob } from '../store/index.ts';
import { plural } from '../text.ts';
import { designIdOf } from './design-id.ts';
import { endedAlready } from './execution/end.ts';
import { submitDetails, waitingLine } from './node/requests.ts';
import type { Caller, SubmitInput } from './pool.ts';
import { type Services, timestamp } from './services.ts';

/** Between attempts to place jobs while the store takes nothing. */
const RETRY_MS = 5000;
/** Places in line that have changed are told so much later, all at once, ms. */
const LINE_MS = 50;
/** Jobs that ended without a node and are kept: they are in bench.json, which every acknowledgement writes. */
const KEPT = 100;

/** A node as placement sees it. */
export interface PlaceableNode {
  readonly fpgaId: number;
  /** It is idle, its board is there, and nothing is on its way to it. */
  readonly free: boolean;
  /** When its last job ended, ISO 8601; null for none that is known. */
  readonly lastUsed: string | null;
  /** Resolves when it is on disk. @throws BenchError where it cannot take the job, which is then as it was. */
  ask(command: { kind: 'place'; unplaced: StoredUnplacedJob }): Promise<unknown>;
}

/**
 * Jobs that any node may take, or a certain one that is busy: accepted like others, on disk before the answer, and given
 * in the order of acceptance, to the node they wait for or to the idle one that was not used for the longest time.
 */
export class Placement {
  readonly #services: Services;
  readonly #nodes: readonly PlaceableNode[];
  /** Jobs on their way to the disk for the first time. */
  readonly #arriving = new Map<string, { owner: string; seq: number; done: Promise<unknown> }>();
  /** Jobs on their way to a node. */
  readonly #moving = new Map<string, Promise<void>>();
  readonly #cancelling = new Map<string, Promise<void>>();
  /** Takes back the next attempt; null while the store takes what it is given. */
  #cancelRetry: (() => void) | null = null;
  /** Takes back the next telling of the line; null while nothing has changed. */
  #cancelTelling: (() => void) | null = null;
  /** The places that were told last. */
  #places: ReadonlyMap<string, number> = new Map();
  #closed = false;

  constructor(services: Services, nodes: readonly PlaceableNode[]) {
    this.#services = services;
    this.#nodes = nodes;
  }

  /**
   * Accepts a job without a node, for any or for the one that it waits for; resolves when it is on disk.
   * @throws queue_full, too_many_jobs, storage_low, store_unavailable, service_stopping.
   */
  async submit(input: SubmitInput, { owner }: Caller, waitingFor: number | null): Promise<AnyJob> {
    if (this.#closed) throw jobsError('service_stopping');
    const { store, clock, newId, jobs } = this.#services;
    const { jobId = newId() } = input;
    await this.#arriving.get(jobId)?.done;
    if (jobs.has(jobId)) return jobs.find(jobId);
    this.#requireRoom(owner);
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
   * Cancels a job that has no node. False when a node has taken it: it is that node's to cancel.
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
      // Taken back: it may have been passed over meanwhile.
      this.consider();
    }
    activityEntry.show();
    jobs.showUnplaced(ended);
    this.#tellLine();
    this.#removeFiles(jobId);
    this.prune();
    return true;
  }

  /** The whole log of a job that has no node. */
  log({ job, note }: StoredUnplacedJob): Buffer {
    const { created_at: from, updated_at: to } = job;
    const line = (seconds: number, words: string) => `[${seconds.toFixed(3).padStart(8)} queue] ${words}\n`;
    const last = note === undefined ? '' : line(Math.max(0, Date.parse(to) - Date.parse(from)) / 1000, note);
    return Buffer.from(line(0, waitingLine(job.waiting_for)) + last);
  }

  /** Gives waiting jobs to the nodes that can take one: called whenever either may have changed. */
  consider(): void {
    if (this.#closed || this.#cancelRetry) return;
    if (this.#services.jobs.unplaced.size === 0 || !this.#nodes.some(({ free }) => free)) return;
    for (const stored of this.#waiting()) {
      const { job_id: jobId, waiting_for: wanted = null } = stored.job;
      const node = wanted === null ? this.#leastRecentlyUsed() : this.#nodes[wanted];
      if (node?.free) this.#moving.set(jobId, this.#move(node, stored));
    }
  }

  /** Takes nothing any more; resolves when what is on its way has arrived or been taken back. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelRetry?.();
    this.#cancelTelling?.();
    const arriving = [...this.#arriving.values()].map(({ done }) => done);
    await Promise.allSettled([...arriving, ...this.#moving.values(), ...this.#cancelling.values()]);
  }

  /** Forgets the oldest jobs that ended without a node, beyond those that are kept and older than is kept. */
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
    const { jobs, settings } = this.#services;
    let [all, own] = [this.#arriving.size, 0];
    for (const arriving of this.#arriving.values()) if (arriving.owner === owner) own++;
    for (const { job } of jobs.unplaced.values()) {
      if (job.status !== 'queued') continue;
      all++;
      if (job.owner === owner) own++;
    }
    if (all >= settings.unplaced)
      throw jobsError('queue_full', {
        status: 503,
        message: `${plural(all, 'job waits', 'jobs wait')} for an idle node already.`,
        remedy: 'Wait until some of them have got one, then send more.',
      });
    if (own >= settings.unplacedPerOwner)
      throw jobsError('too_many_jobs', {
        message: `${plural(own, 'job of this owner waits', 'jobs of this owner wait')} for an idle node already.`,
      });
  }

  async #keep(stored: StoredUnplacedJob, source: Uint8Array): Promise<void> {
    const { store, jobs } = this.#services;
    const { job_id: jobId } = stored.job;
    try {
      // The record beside its source: what was accepted outlives the loss of bench.json and of its generation before.
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

  /** The jobs that wait, in the order of acceptance, up to the first that is on its way to the disk. */
  #waiting(): StoredUnplacedJob[] {
    let arriving = Number.POSITIVE_INFINITY;
    for (const { seq } of this.#arriving.values()) arriving = Math.min(arriving, seq);
    const waiting: StoredUnplacedJob[] = [];
    for (const stored of this.#services.jobs.unplaced.values()) {
      const { job_id: jobId, status } = stored.job;
      if (status !== 'queued' || this.#moving.has(jobId) || this.#cancelling.has(jobId)) continue;
      if (stored.seq < arriving) waiting.push(stored);
    }
    return waiting.sort((a, b) => a.seq - b.seq);
  }

  /** Tells the jobs that wait where they are in line now, a moment later, with what changes until then. */
  #tellLine(): void {
    this.#cancelTelling ??= this.#services.clock.after(LINE_MS, () => {
      this.#cancelTelling = null;
      this.#places = this.#services.jobs.tellPlaces(this.#places);
    });
  }

  #leastRecentlyUsed(): PlaceableNode | null {
    let best: PlaceableNode | null = null;
    for (const node of this.#nodes)
      if (node.free && (best === null || (node.lastUsed ?? '') < (best.lastUsed ?? ''))) best = node;
    return best;
  }

  async #move(node: PlaceableNode, stored: StoredUnplacedJob): Promise<void> {
    const { clock, logger } = this.#services;
    const { job_id: jobId } = stored.job;
    try {
      await node.ask({ kind: 'place', unplaced: stored });
      this.#tellLine();
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
