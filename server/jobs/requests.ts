import { hasEnded, type Job, type JobType, type SubmitDetails } from '../contract/jobs.ts';
import { jobsError } from '../errors/jobs.ts';
import { advance, judge, type NodeRequest, type Verdict } from '../nodes/machine.ts';
import { renewSession } from '../nodes/session.ts';
import type { JobFile, StoredJob, StoredUnplacedJob } from '../store/index.ts';
import { designIdOf } from './design-id.ts';
import { endedAlready } from './ended-already.ts';
import type { Change, NodeState } from './node-state.ts';
import type { Caller, RunInput, SubmitInput } from './pool.ts';
import { type Services, timestamp } from './services.ts';
import { INLINE_WORDS, wordsToBytes } from './words.ts';

/** Owner of what the service does by itself. */
export const SYSTEM: Caller = { owner: 'system' };

/** The first line of the log of a job that waits for any node, or for a certain one. */
export const waitingLine = (node: number | null | undefined): string =>
  node === null || node === undefined ? 'waiting for an idle node' : `waiting for node ${node}`;

/** What a request adds to a new job. */
interface Acceptance {
  details?: Pick<Job, 'submit' | 'design_id' | 'run' | 'replaces'>;
  data?: string;
  file?: { name: JobFile; contents: Uint8Array };
  /** How the node changes with it. */
  node?: Change['node'];
  /** The first line of the job's log. */
  note?: string | undefined;
  /** How a reset was asked for. */
  asked?: 'reset' | 'release';
}

/** A job on its way to the disk. */
interface Arrival {
  type: JobType;
  replaces: boolean;
  seq: number;
  done: Promise<Job>;
}

/** What a job says of the design that was sent for it. */
export const submitDetails = ({ filename, source, options, files, ignored }: SubmitInput): SubmitDetails => ({
  filename,
  size: source.byteLength,
  options,
  ...(files === undefined ? {} : { files }),
  ...(ignored === undefined || ignored.length === 0 ? {} : { ignored }),
});

/**
 * Takes the requests for one node: decides by its state machine at once, so that of simultaneous ones exactly
 * one wins, and answers when the change is on disk.
 */
export class Requests {
  readonly #services: Services;
  readonly #state: NodeState;
  /** A job that begins at once is on its way to the disk. */
  #starting: Promise<void> | null = null;
  readonly #arriving = new Map<string, Arrival>();
  readonly #cancelling = new Map<string, Promise<void>>();
  /** Told when a job has been accepted or cancelled, or that was taken back. */
  readonly #onSettled: (cancelled?: string) => void;
  /** Whether the design that is to take the session's place is built and waits for its turn. */
  readonly #yielding: () => boolean;
  #closed = false;

  constructor(options: {
    services: Services;
    state: NodeState;
    settled: (cancelled?: string) => void;
    yielding: () => boolean;
  }) {
    this.#yielding = options.yielding;
    this.#services = options.services;
    this.#state = options.state;
    this.#onSettled = options.settled;
  }

  async submit(input: SubmitInput, caller: Caller): Promise<Job> {
    this.#decide('submit');
    return await this.#accept('build_and_program', caller, {
      details: { submit: submitDetails(input), design_id: designIdOf(caller.owner, input.filename) },
      file: { name: 'source', contents: input.source },
      node: { state: advance(this.#state.now.state, 'submit') },
    });
  }

  async replace(input: SubmitInput, caller: Caller): Promise<Job> {
    const { state, session, design } = this.#state.now;
    if (state !== 'reserved') return await this.submit(input, caller);
    this.#decide('replace');
    return await this.#accept('build_and_program', caller, {
      details: {
        submit: submitDetails(input),
        design_id: designIdOf(caller.owner, input.filename),
        replaces: true,
      },
      file: { name: 'source', contents: input.source },
      node: this.#renewed,
      note: `is to take the place of ${design?.filename} and the session of ${session?.owner}: both go on until it is built`,
    });
  }

  /** Whether a job that waits for a node may come here now: idle, and nothing on its way. */
  get free(): boolean {
    return !this.#closed && this.#state.now.state === 'idle' && this.#arriving.size === 0;
  }

  /**
   * Takes a job that was accepted without a node, as a submit of its owner; resolves when that is on disk.
   * @throws what a submit throws; the job is then without a node as before.
   */
  async place(unplaced: StoredUnplacedJob): Promise<void> {
    this.#decide('submit');
    const { clock } = this.#services;
    const { fpga_id: fpgaId } = this.#state.now;
    const { waiting_for: waitingFor, ...accepted } = unplaced.job;
    const job: Job = { ...accepted, fpga_id: fpgaId, updated_at: timestamp(clock), stage: 'queue' };
    const node = { state: advance(this.#state.now.state, 'submit') };
    await this.#arrive({ job, seq: unplaced.seq }, async (stored) => {
      const { store, logs } = this.#services;
      try {
        await store.jobFiles.place(fpgaId, job.job_id);
        const log = logs.log(fpgaId, job.job_id);
        log.line('queue', waitingLine(waitingFor));
        const seconds = Math.max(0, clock.now() - Date.parse(job.created_at)) / 1000;
        log.line('queue', `node ${fpgaId} is idle: it takes the job after ${seconds.toFixed(1)} s`);
        await this.#state.commit({ job: stored, node, placed: unplaced }, 'request');
      } catch (error) {
        await logs.forget(job.job_id);
        await store.jobFiles.removeJob(fpgaId, job.job_id).catch(() => {});
        throw error;
      }
      return stored.job;
    });
  }

  async run(input: RunInput, caller: Caller): Promise<Job> {
    this.#decide('run');
    const { op, address, fixed_address, select, mask } = input;
    const count = op === 1 ? input.data.length : input.count;
    const bytes = op === 1 && count > 0 ? wordsToBytes(input.data) : null;
    return await this.#accept('run', caller, {
      details: {
        run: {
          op,
          address,
          count,
          fixed_address,
          ...(select === undefined ? {} : { select }),
          ...(mask === undefined ? {} : { mask }),
        },
      },
      ...(bytes && count <= INLINE_WORDS ? { data: bytes.toString('base64') } : {}),
      ...(bytes && count > INLINE_WORDS ? { file: { name: 'request', contents: bytes } } : {}),
      node: this.#renewed,
    });
  }

  readonly #renewed: Change['node'] = ({ session, lease }) => {
    const { clock, settings } = this.#services;
    return (session && lease && renewSession({ session, lease }, settings.sessionTtlSeconds, clock)) || {};
  };

  /** `note` becomes the first line of the job's log. */
  async reset(request: 'reset' | 'release', caller: Caller, note?: string): Promise<Job> {
    if (this.#decide(request).kind === 'accept')
      return await this.#accept('reset', caller, { note, asked: request });
    const arriving = [...this.#arriving.values()].find(({ type }) => type === 'reset');
    if (arriving) return await arriving.done;
    return this.#active.find(({ job }) => job.type === 'reset')?.job as Job;
  }

  /** @throws job_not_found, job_not_cancellable, store_unavailable. */
  async cancel(jobId: string, caller: Caller): Promise<void> {
    const { fpga_id: fpgaId } = this.#state.now;
    const { jobs, logs, clock } = this.#services;
    for (let change = this.pendingChange(jobId); change; change = this.pendingChange(jobId))
      await change.catch(() => {});
    const stored = jobs.get(jobId, fpgaId);
    const { job } = stored;
    if (job.status !== 'queued')
      throw jobsError('job_not_cancellable', {
        jobId,
        ...(hasEnded(job.status) ? endedAlready(job, 'There is nothing to cancel.') : {}),
      });
    if (this.#closed) throw jobsError('service_stopping');

    const { stage: _stage, fraction: _fraction, ...rest } = job;
    const { data: _data, ...plain } = stored;
    const ended: StoredJob = {
      ...plain,
      job: { ...rest, status: 'cancelled', updated_at: timestamp(clock), cancelled_by: caller.owner },
    };
    const builds = job.type === 'build_and_program';
    const node = builds && !job.replaces ? { state: advance('queued', 'cancel') } : undefined;
    const told = builds || caller.owner !== job.owner;
    const cause = told ? { kind: 'cancelled' as const, by: caller.owner } : undefined;
    const change = this.#state.commit({ job: ended, cause, ...(node ? { node } : {}) }, 'request');
    this.#cancelling.set(jobId, change);
    try {
      await change;
    } catch (error) {
      this.#cancelling.delete(jobId);
      // Taken back: the job may have had its turn meanwhile.
      this.#onSettled();
      throw error;
    }
    this.#cancelling.delete(jobId);
    void jobs.archive(ended).catch(() => {});
    logs.log(fpgaId, jobId).lastLine('queue', `cancelled by ${caller.owner} before it started`);
    void logs.close(jobId);
    this.#onSettled(jobId);
  }

  /** The change of a job that is on its way to the disk, if there is one. */
  pendingChange(jobId: string): Promise<unknown> | null {
    return this.#arriving.get(jobId)?.done ?? this.#cancelling.get(jobId) ?? null;
  }

  /** The job whose turn it is; null while there is none, or one before it is on its way to the disk. */
  next(): StoredJob | null {
    const head = this.#active.find(({ job }) => !job.replaces);
    if (!head || this.#cancelling.has(head.job.job_id)) return null;
    for (const { seq, replaces } of this.#arriving.values()) if (seq < head.seq && !replaces) return null;
    return head;
  }

  /** Builds that are to take the session's place and have not ended, in the order of acceptance. */
  get replacements(): readonly StoredJob[] {
    return this.#active.filter(({ job }) => job.replaces && !this.#cancelling.has(job.job_id));
  }

  /** Jobs are on their way to the disk. */
  get arriving(): boolean {
    return this.#arriving.size > 0;
  }

  /** Takes nothing any more; resolves when what is on its way has arrived or been taken back. */
  async close(): Promise<void> {
    this.#closed = true;
    const arriving = [...this.#arriving.values()].map(({ done }) => done);
    await Promise.allSettled([...arriving, ...this.#cancelling.values()]);
  }

  /** A reset or release is queued, running, or on its way. */
  get resetting(): boolean {
    return this.#arrives('reset') || this.#active.some(({ job }) => job.type === 'reset');
  }

  /** Who asked for the reset or release that is queued or running; null while there is none. */
  get resetBy(): string | null {
    return this.#active.find(({ job }) => job.type === 'reset')?.job.owner ?? null;
  }

  get #active(): readonly StoredJob[] {
    return this.#services.jobs.active(this.#state.now.fpga_id);
  }

  #arrives(type: JobType): boolean {
    for (const one of this.#arriving.values()) if (one.type === type && !one.replaces) return true;
    return false;
  }

  /** @throws the error of the contract when the node does not take the request. */
  #decide(request: NodeRequest): Exclude<Verdict, { kind: 'refuse' }> {
    if (this.#closed) throw jobsError('service_stopping');
    const { session, error, fpga_id: id } = this.#state.now;
    // A submit on its way to the disk has the node already.
    const state = this.#arrives('build_and_program') ? 'queued' : this.#state.now.state;
    const { resetting } = this;
    const yielding = this.#yielding();
    const verdict = judge(request, { state, resetting, hasSession: session !== null, yielding });
    // What gives back is taken on a full disk, too: it is what makes room.
    if (verdict.kind === 'accept' && request !== 'reset' && request !== 'release')
      this.#services.store.space.demand();
    if (verdict.kind !== 'refuse') return verdict;
    const [jobId] = [...this.#active.map(({ job }) => job.job_id), ...this.#arriving.keys()];
    const reason = (): string => {
      if (request === 'release')
        return `Node ${id} has no active session: it is ${resetting ? 'being reset' : state}.`;
      if (request === 'run' && resetting) return `Node ${id} is being reset and takes no more transactions.`;
      if (request === 'run' && yielding)
        return `Node ${id} is about to be given its next design and takes no more transactions until then.`;
      if (request === 'replace') return `Node ${id} is being reset: there is no session to be replaced.`;
      if (state === 'error' && error) return `Node ${id} is in error: ${error.message}`;
      const needs = { submit: 'idle', replace: 'reserved', run: 'reserved', reset: 'reserved or in error' }[
        request
      ];
      return `Node ${id} is ${state}; ${request} needs a node that is ${needs}.`;
    };
    throw jobsError(verdict.error, { message: reason(), ...(jobId === undefined ? {} : { jobId }) });
  }

  async #accept(type: JobType, caller: Caller, acceptance: Acceptance): Promise<Job> {
    const { clock, jobs, store, settings, newId } = this.#services;
    const waiting = this.#active.filter(({ job }) => job.status === 'queued').length + this.#arriving.size;
    // The service's own resets are never too many: there is one at a time.
    if (type === 'run' && waiting >= settings.queuedPerNode) throw jobsError('queue_full');
    if (type === 'run' && jobs.unended(caller.owner, settings.queuedPerOwner) >= settings.queuedPerOwner)
      throw jobsError('too_many_jobs');
    const now = timestamp(clock);
    const job: Job = {
      job_id: newId(),
      fpga_id: this.#state.now.fpga_id,
      type,
      status: 'queued',
      created_at: now,
      updated_at: now,
      owner: caller.owner,
      stage: 'queue',
      ...acceptance.details,
    };
    const { data, asked } = acceptance;
    const stored: StoredJob = {
      job,
      seq: ++store.bench.seq,
      ...(data === undefined ? {} : { data }),
      ...(asked === undefined ? {} : { asked }),
    };
    // A run that starts at once is running already on disk: after a crash it must not be done a second time.
    const before = this.#active.filter((one) => !one.job.replaces).length;
    const atOnce = type === 'run' && before + this.#arriving.size === 0;
    const kept: StoredJob = atOnce
      ? { ...stored, job: { ...job, status: 'running', started_at: now } }
      : stored;
    return await this.#arrive(stored, () => this.#keep(stored, kept, acceptance));
  }

  /** A job is on its way to the disk until `keep` has it there. */
  async #arrive(stored: StoredJob, keep: (stored: StoredJob) => Promise<Job>): Promise<Job> {
    const { jobs } = this.#services;
    const { job_id: jobId, type, replaces = false } = stored.job;
    const done = keep(stored);
    this.#arriving.set(jobId, { type, replaces, seq: stored.seq, done });
    jobs.expected.add(jobId);
    try {
      return await done;
    } finally {
      this.#arriving.delete(jobId);
      jobs.expected.delete(jobId);
      this.#onSettled();
    }
  }

  /** What is asked for after a job that begins at once waits until that is on disk, or cannot be. */
  #hold(done: Promise<void>): void {
    const settled = done
      .catch(() => {})
      .then(() => {
        if (this.#starting === settled) this.#starting = null;
      });
    this.#starting = settled;
  }

  async #keep(stored: StoredJob, kept: StoredJob, { file, node, note }: Acceptance): Promise<Job> {
    const { store, logs } = this.#services;
    const { fpga_id: fpgaId, job_id: jobId } = stored.job;
    try {
      if (file) await store.jobFiles.write(fpgaId, jobId, file.name, file.contents);
      const kind = kept.job.status === 'running' ? 'start' : 'request';
      // It is kept in another file than those behind it, which are not to be there before it.
      if (this.#starting !== null) await this.#starting;
      const done = this.#state.commit({ job: stored, kept, ...(node ? { node } : {}) }, kind);
      if (kind === 'start') this.#hold(done);
      await done;
    } catch (error) {
      if (file) void store.jobFiles.removeJob(fpgaId, jobId).catch(() => {});
      throw error;
    }
    if (note !== undefined) logs.log(fpgaId, jobId).line('queue', note);
    return stored.job;
  }
}
