import type { Job, JobType } from '../contract/jobs.ts';
import { jobsError } from '../errors/jobs.ts';
import { advance, judge, type NodeRequest, type Verdict } from '../nodes/machine.ts';
import { renewSession } from '../nodes/session.ts';
import type { JobFile, StoredJob, StoredNode } from '../store/index.ts';
import type { JobInHand } from './job-in-hand.ts';
import type { JobLine, WaitingJob } from './job-line.ts';
import { hasEnded } from './ledger.ts';
import type { NodeRecord } from './node-record.ts';
import { type NodeServices, timestamp } from './node-services.ts';
import type { Caller, RunInput, SubmitInput } from './pool.ts';
import { wordsToBytes } from './words.ts';

/** Words of a request or a result that are kept in the record itself; more go into a file of the job. */
export const INLINE_WORDS = 64;

/** Owner of what the service does by itself. */
export const SYSTEM: Caller = { owner: 'system' };

interface Acceptance {
  type: JobType;
  owner: string;
  details: Pick<Job, 'submit' | 'run'>;
  data?: string;
  file?: { name: JobFile; contents: Uint8Array };
  /** How the node changes with it, and how it was. */
  takes?: { patch: Partial<StoredNode>; before: Partial<StoredNode> };
  marked?: boolean;
  note?: string;
}

/**
 * Takes the requests for one node: decides by its state machine at once, so that of simultaneous ones exactly
 * one wins, and answers when the change is on disk. What could not be kept is taken back as if it had not been.
 */
export class Intake {
  readonly #services: NodeServices;
  readonly #record: NodeRecord;
  readonly #line: JobLine;
  /** Something has come that may start now. */
  readonly #kick: () => void;
  #closed = false;

  constructor(options: { services: NodeServices; record: NodeRecord; line: JobLine; kick: () => void }) {
    this.#services = options.services;
    this.#record = options.record;
    this.#line = options.line;
    this.#kick = options.kick;
  }

  async submit(input: SubmitInput, caller: Caller): Promise<Job> {
    this.#decide('submit');
    const { filename, source, options } = input;
    return await this.#accept({
      type: 'build_and_program',
      owner: caller.owner,
      details: { submit: { filename, size: source.byteLength, options } },
      file: { name: 'source', contents: source },
      takes: { patch: { state: advance(this.#record.now.state, 'submit') }, before: { state: 'idle' } },
    });
  }

  async run(input: RunInput, caller: Caller): Promise<Job> {
    this.#decide('run');
    const { op, address, fixed_address } = input;
    const count = op === 1 ? input.data.length : input.count;
    const bytes = op === 1 && count > 0 ? wordsToBytes(input.data) : null;
    const { session } = this.#record.now;
    if (session) {
      const { clock, settings } = this.#services;
      this.#record.set({ session: renewSession(session, settings.sessionTtlSeconds, clock.now()) });
    }
    return await this.#accept({
      type: 'run',
      owner: caller.owner,
      details: { run: { op, address, count, fixed_address } },
      ...(bytes && count <= INLINE_WORDS ? { data: bytes.toString('base64') } : {}),
      ...(bytes && count > INLINE_WORDS ? { file: { name: 'request', contents: bytes } } : {}),
      marked: this.#line.current === null && this.#line.waiting.length === 0,
    });
  }

  /** `note` becomes the first line of the job's log. */
  async reset(request: 'reset' | 'release', caller: Caller, note?: string): Promise<Job> {
    if (this.#decide(request).kind === 'pending') {
      const pending = this.#line.pendingReset as WaitingJob;
      await pending.accepting;
      return this.#services.ledger.get(this.#record.now.fpga_id, pending.jobId).job;
    }
    return await this.#accept({
      type: 'reset',
      owner: caller.owner,
      details: {},
      ...(note === undefined ? {} : { note }),
    });
  }

  async cancel(jobId: string, caller: Caller): Promise<void> {
    const { ledger, store } = this.#services;
    const { fpga_id: fpgaId } = this.#record.now;
    let entry = this.#entry(jobId);
    for (;;) {
      const under = entry && ((entry as Partial<WaitingJob>).accepting ?? entry.cancelling);
      if (!under) break;
      await under.catch(() => {});
      entry = this.#entry(jobId);
    }
    const stored = ledger.get(fpgaId, jobId);
    const { job } = stored;
    if (entry === null || job.status !== 'queued') {
      const message = hasEnded(job.status) ? `The job has ended already: it is ${job.status}.` : undefined;
      throw jobsError('job_not_cancellable', message === undefined ? { jobId } : { jobId, message });
    }
    if (this.#closed) throw jobsError('service_stopping');

    const { stage: _stage, fraction: _fraction, ...rest } = job;
    const { data: _data, ...plain } = stored;
    const now = timestamp(this.#services.clock);
    const cancelled: StoredJob = { ...plain, job: { ...rest, status: 'cancelled', updated_at: now } };
    const before = store.bench.jobs.get(jobId) ?? stored;
    const idle = job.type === 'build_and_program' ? { state: advance('queued', 'cancel') } : {};
    store.bench.jobs.set(jobId, cancelled);
    this.#record.stage(idle);
    entry.cancelling = store.commit(() => {
      store.bench.jobs.set(jobId, before);
      if (job.type === 'build_and_program') this.#record.stage({ state: 'queued' });
    });
    try {
      await entry.cancelling;
    } catch (error) {
      entry.cancelling = null;
      // Taken back: the job may have had its turn meanwhile.
      this.#kick();
      throw error;
    }
    entry.cancelling = null;
    this.#line.remove(jobId);
    if ('controller' in entry) {
      entry.cancelled = true;
      entry.controller.abort(jobsError('job_not_cancellable', { message: 'The job was cancelled.' }));
    }
    this.#record.show(idle);
    ledger.show(cancelled);
    this.#record.publish();
    const { archive, logs } = this.#services;
    void archive.keep(cancelled).catch(() => {});
    logs.log(fpgaId, jobId).lastLine('queue', `cancelled by ${caller.owner} before it started`);
    void logs.close(jobId);
    this.#kick();
  }

  #entry(jobId: string): WaitingJob | JobInHand | null {
    if (this.#line.current?.jobId === jobId) return this.#line.current;
    return this.#line.waiting.find((one) => one.jobId === jobId) ?? null;
  }

  /** Takes nothing any more; resolves when what is on its way has arrived or been taken back. */
  async close(): Promise<void> {
    this.#closed = true;
    const under = this.#line.waiting.flatMap(({ accepting, cancelling }) => [accepting, cancelling]);
    await Promise.allSettled([...under, this.#line.current?.cancelling]);
  }

  /** @throws the error of the contract when the node does not take the request. */
  #decide(request: NodeRequest): Exclude<Verdict, { kind: 'refuse' }> {
    if (this.#closed) throw jobsError('service_stopping');
    const { state, session } = this.#record.now;
    const pending = this.#line.pendingReset;
    const verdict = judge(request, { state, resetting: pending !== null, hasSession: session !== null });
    if (verdict.kind !== 'refuse') return verdict;
    const jobId = this.#line.currentJobId ?? undefined;
    throw jobsError(verdict.error, {
      message: this.#reason(request, pending !== null),
      ...(jobId === undefined ? {} : { jobId }),
    });
  }

  #reason(request: NodeRequest, resetting: boolean): string {
    const { fpga_id: id, state, error } = this.#record.now;
    if (request === 'release')
      return `Node ${id} has no active session: it is ${resetting ? 'being reset' : state}.`;
    if (request === 'run' && resetting) return `Node ${id} is being reset and takes no more transactions.`;
    if (state === 'error' && error) return `Node ${id} is in error: ${error.message}`;
    const needs = { submit: 'idle', run: 'reserved', reset: 'reserved or in error' }[request];
    return `Node ${id} is ${state}; ${request} needs a node that is ${needs}.`;
  }

  async #accept(acceptance: Acceptance): Promise<Job> {
    const { type, owner, details, data, file, takes, marked = false } = acceptance;
    const { clock, ledger, store, settings } = this.#services;
    const { fpga_id: fpgaId } = this.#record.now;
    // The service's own resets are never too many: there is one at a time.
    if (type === 'run' && this.#line.waiting.length >= settings.queuedPerNode) throw jobsError('queue_full');
    const now = timestamp(clock);
    const job: Job = {
      job_id: this.#services.newId(),
      fpga_id: fpgaId,
      type,
      status: 'queued',
      created_at: now,
      updated_at: now,
      owner,
      stage: 'queue',
      ...details,
    };
    const stored: StoredJob = { job, seq: ++store.bench.seq, ...(data === undefined ? {} : { data }) };
    const waiting: WaitingJob = { jobId: job.job_id, type, accepting: null, cancelling: null, marked };
    this.#line.waiting.push(waiting);
    if (takes) this.#record.show(takes.patch);
    ledger.add(stored);
    waiting.accepting = this.#keep(stored, marked, file, takes);
    try {
      await waiting.accepting;
    } catch (error) {
      this.#line.remove(job.job_id);
      if (takes) this.#record.show(takes.before);
      ledger.remove(fpgaId, job.job_id, false);
      if (file) void store.jobFiles.removeJob(fpgaId, job.job_id).catch(() => {});
      this.#kick();
      throw error;
    }
    waiting.accepting = null;
    ledger.show(stored);
    this.#record.publish();
    if (acceptance.note !== undefined)
      this.#services.logs.log(fpgaId, job.job_id).line('queue', acceptance.note);
    this.#kick();
    return job;
  }

  async #keep(
    stored: StoredJob,
    marked: boolean,
    file: Acceptance['file'],
    takes: Acceptance['takes'],
  ): Promise<void> {
    const { store } = this.#services;
    const { job } = stored;
    if (file) await store.jobFiles.write(job.fpga_id, job.job_id, file.name, file.contents);
    // On disk a run that starts at once is running already: after a crash it must not be done a second time.
    const kept: StoredJob = marked
      ? { ...stored, job: { ...job, status: 'running', started_at: job.created_at } }
      : stored;
    store.bench.jobs.set(job.job_id, kept);
    if (takes) this.#record.stage(takes.patch);
    await store.commit(() => {
      store.bench.jobs.delete(job.job_id);
      if (takes) this.#record.stage(takes.before);
    });
  }
}
