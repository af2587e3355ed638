import { hasEnded, type Job, type JobType } from '../contract/jobs.ts';
import { jobsError } from '../errors/jobs.ts';
import { advance, judge, type NodeRequest, type Verdict } from '../nodes/machine.ts';
import { renewSession } from '../nodes/session.ts';
import type { JobFile, StoredJob, StoredNode } from '../store/index.ts';
import type { NodeState } from './node-state.ts';
import type { Caller, RunInput, SubmitInput } from './pool.ts';
import { type Services, timestamp } from './services.ts';
import { INLINE_WORDS, wordsToBytes } from './words.ts';

/** Owner of what the service does by itself. */
export const SYSTEM: Caller = { owner: 'system' };

/** What a request adds to a new job. */
interface Acceptance {
  details?: Pick<Job, 'submit' | 'run'>;
  data?: string;
  file?: { name: JobFile; contents: Uint8Array };
  /** How the node changes with it. */
  node?: Partial<StoredNode>;
  /** The first line of the job's log. */
  note?: string | undefined;
}

/** A job on its way to the disk. */
interface Arrival {
  type: JobType;
  seq: number;
  done: Promise<Job>;
}

/**
 * Takes the requests for one node: decides by its state machine at once, so that of simultaneous ones exactly
 * one wins, and answers when the change is on disk.
 */
export class Requests {
  readonly #services: Services;
  readonly #state: NodeState;
  readonly #arriving = new Map<string, Arrival>();
  readonly #cancelling = new Map<string, Promise<void>>();
  /** Told when a job has been accepted or cancelled, or that was taken back. */
  readonly #onSettled: (cancelled?: string) => void;
  #closed = false;

  constructor(options: { services: Services; state: NodeState; settled: (cancelled?: string) => void }) {
    this.#services = options.services;
    this.#state = options.state;
    this.#onSettled = options.settled;
  }

  async submit({ filename, source, options }: SubmitInput, caller: Caller): Promise<Job> {
    this.#decide('submit');
    return await this.#accept('build_and_program', caller, {
      details: { submit: { filename, size: source.byteLength, options } },
      file: { name: 'source', contents: source },
      node: { state: advance(this.#state.now.state, 'submit') },
    });
  }

  async run(input: RunInput, caller: Caller): Promise<Job> {
    this.#decide('run');
    const { clock, settings } = this.#services;
    const { session } = this.#state.now;
    const { op, address, fixed_address } = input;
    const count = op === 1 ? input.data.length : input.count;
    const bytes = op === 1 && count > 0 ? wordsToBytes(input.data) : null;
    return await this.#accept('run', caller, {
      details: { run: { op, address, count, fixed_address } },
      ...(bytes && count <= INLINE_WORDS ? { data: bytes.toString('base64') } : {}),
      ...(bytes && count > INLINE_WORDS ? { file: { name: 'request', contents: bytes } } : {}),
      ...(session
        ? { node: { session: renewSession(session, settings.sessionTtlSeconds, clock.now()) } }
        : {}),
    });
  }

  /** `note` becomes the first line of the job's log. */
  async reset(request: 'reset' | 'release', caller: Caller, note?: string): Promise<Job> {
    if (this.#decide(request).kind === 'accept') return await this.#accept('reset', caller, { note });
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
        ...(hasEnded(job.status) ? { message: `The job has ended already: it is ${job.status}.` } : {}),
      });
    if (this.#closed) throw jobsError('service_stopping');

    const { stage: _stage, fraction: _fraction, ...rest } = job;
    const { data: _data, ...plain } = stored;
    const ended: StoredJob = {
      ...plain,
      job: { ...rest, status: 'cancelled', updated_at: timestamp(clock) },
    };
    const node = job.type === 'build_and_program' ? { state: advance('queued', 'cancel') } : undefined;
    const change = this.#state.commit({ job: ended, ...(node ? { node } : {}) }, 'request');
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
    const [head] = this.#active;
    if (!head || this.#cancelling.has(head.job.job_id)) return null;
    for (const { seq } of this.#arriving.values()) if (seq < head.seq) return null;
    return head;
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

  get #active(): readonly StoredJob[] {
    return this.#services.jobs.active(this.#state.now.fpga_id);
  }

  #arrives(type: JobType): boolean {
    for (const one of this.#arriving.values()) if (one.type === type) return true;
    return false;
  }

  /** @throws the error of the contract when the node does not take the request. */
  #decide(request: NodeRequest): Exclude<Verdict, { kind: 'refuse' }> {
    if (this.#closed) throw jobsError('service_stopping');
    const { session, error, fpga_id: id } = this.#state.now;
    // A submit on its way to the disk has the node already.
    const state = this.#arrives('build_and_program') ? 'queued' : this.#state.now.state;
    const { resetting } = this;
    const verdict = judge(request, { state, resetting, hasSession: session !== null });
    if (verdict.kind !== 'refuse') return verdict;
    const [jobId] = [...this.#active.map(({ job }) => job.job_id), ...this.#arriving.keys()];
    const reason = (): string => {
      if (request === 'release')
        return `Node ${id} has no active session: it is ${resetting ? 'being reset' : state}.`;
      if (request === 'run' && resetting) return `Node ${id} is being reset and takes no more transactions.`;
      if (state === 'error' && error) return `Node ${id} is in error: ${error.message}`;
      const needs = { submit: 'idle', run: 'reserved', reset: 'reserved or in error' }[request];
      return `Node ${id} is ${state}; ${request} needs a node that is ${needs}.`;
    };
    throw jobsError(verdict.error, { message: reason(), ...(jobId === undefined ? {} : { jobId }) });
  }

  async #accept(type: JobType, caller: Caller, acceptance: Acceptance): Promise<Job> {
    const { clock, jobs, store, settings, newId } = this.#services;
    const waiting = this.#active.filter(({ job }) => job.status === 'queued').length + this.#arriving.size;
    // The service's own resets are never too many: there is one at a time.
    if (type === 'run' && waiting >= settings.queuedPerNode) throw jobsError('queue_full');
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
    const { data } = acceptance;
    const stored: StoredJob = { job, seq: ++store.bench.seq, ...(data === undefined ? {} : { data }) };
    // A run that starts at once is running already on disk: after a crash it must not be done a second time.
    const atOnce = type === 'run' && this.#active.length + this.#arriving.size === 0;
    const kept: StoredJob = atOnce
      ? { ...stored, job: { ...job, status: 'running', started_at: now } }
      : stored;
    const done = this.#keep(stored, kept, acceptance);
    this.#arriving.set(job.job_id, { type, seq: stored.seq, done });
    jobs.expected.add(job.job_id);
    try {
      return await done;
    } finally {
      this.#arriving.delete(job.job_id);
      jobs.expected.delete(job.job_id);
      this.#onSettled();
    }
  }

  async #keep(stored: StoredJob, kept: StoredJob, { file, node, note }: Acceptance): Promise<Job> {
    const { store, logs } = this.#services;
    const { fpga_id: fpgaId, job_id: jobId } = stored.job;
    try {
      if (file) await store.jobFiles.write(fpgaId, jobId, file.name, file.contents);
      await this.#state.commit({ job: stored, kept, ...(node ? { node } : {}) }, 'request');
    } catch (error) {
      if (file) void store.jobFiles.removeJob(fpgaId, jobId).catch(() => {});
      throw error;
    }
    if (note !== undefined) logs.log(fpgaId, jobId).line('queue', note);
    return stored.job;
  }
}
