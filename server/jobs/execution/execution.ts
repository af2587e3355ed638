import { isDeepStrictEqual } from 'node:util';
import { untilAborted } from '../../abort.ts';
import type { Job, JobType, Stage } from '../../contract/jobs/jobs.ts';
import { BenchError } from '../../errors/bench-error.ts';
import { jobsError } from '../../errors/jobs.ts';
import { type NodeEvent, transition } from '../../nodes/machine.ts';
import type { NodeBoard } from '../../nodes/node-board.ts';
import type { StoredJob, StoredNode } from '../../store/index.ts';
import type { Ask } from '../commands.ts';
import type { Services } from '../services.ts';
import { timestamp } from '../shared.ts';
import { build } from './build.ts';
import { type End, endedJob, failed } from './end.ts';
import { reset } from './reset.ts';
import { survivesRestart } from './resume.ts';
import { run } from './run.ts';
import type { JobHandler, Outcome } from './steps.ts';
import { INLINE_WORDS } from './words.ts';

/** For each type of job: its handler, its first stage, and events of which its node must take one when it starts. */
const WORK: Readonly<Record<JobType, { handler: JobHandler; stage: Stage; events: readonly NodeEvent[] }>> = {
  // A node in `building` resumes the build of the last run of the service.
  build_and_program: { handler: build, stage: 'scan', events: ['build_started', 'build_succeeded'] },
  run: { handler: run, stage: 'transfer', events: ['run'] },
  reset: { handler: reset, stage: 'program', events: ['reset_succeeded'] },
};

/** Minimum time between progress events, ms. A new stage is always announced. */
const PROGRESS_MS = 100;
/** How long the service waits for running work when it stops, ms. */
const GRACE_MS = 2500;

export interface ExecutionOptions {
  stored: StoredJob;
  services: Services;
  /** The node at the moment of the call. */
  node: { readonly now: StoredNode };
  board: NodeBoard;
  ask: Ask;
  /** The service stops: a job that has not begun waits for the next start. */
  stopping: AbortSignal;
}

/** Executes one job: runs its handler, asks the node for each step, and writes its log. */
export class Execution {
  readonly #options: ExecutionOptions;
  readonly #job: Job;
  /** True for a replacement until it has the board. */
  #beside: boolean;
  readonly #ends = new AbortController();
  /** Monotonic time of the last progress event, ms. */
  #announced = Number.NEGATIVE_INFINITY;

  constructor(options: ExecutionOptions) {
    this.#options = options;
    this.#job = options.stored.job;
    this.#beside = this.#job.replaces ?? false;
  }

  /** Aborts the work; `reason` becomes the job's failure. */
  abort(reason?: BenchError): void {
    this.#ends.abort(reason);
  }

  /** Resolves when the end of the job is stored, or at once when it was cancelled or queued again. */
  async perform(): Promise<void> {
    const { node, stopping } = this.#options;
    // A resumed log continues after what is in it already.
    if (this.#log.size === 0) this.#log.start();
    try {
      const { state } = node.now;
      const events: readonly NodeEvent[] = this.#beside ? ['replace'] : WORK[this.#job.type].events;
      if (!events.some((event) => transition(state, event))) throw jobsError('run_skipped');
      await this.#end({ kind: 'complete', ...(await this.#unlessStopped(this.#work())) });
    } catch (error) {
      if (stopping.aborted && this.#survivesRestart) {
        const { stage = 'scan' } = this.#stored.job;
        return this.#log.line(stage, 'the service is stopping: workers continue the build');
      }
      // An aborted tool reports only the abort; the signal has the reason.
      const { aborted, reason } = this.#ends.signal;
      await this.#fail(aborted ? reason : error);
    }
  }

  /** Whether workers continue the build while the service is down: the next start resumes it. */
  get #survivesRestart(): boolean {
    const { reason } = this.#ends.signal;
    const stopped = reason instanceof BenchError && reason.code === 'stopped_by_user';
    if (stopped || !survivesRestart(this.#stored)) return false;
    if (this.#options.stored.job.replaces) return this.#beside && this.#stored.job.build_id === undefined;
    return this.#options.node.now.state !== 'programming';
  }

  get #log() {
    return this.#options.services.logs.log(this.#job.fpga_id, this.#job.job_id);
  }

  get #stored(): StoredJob {
    return this.#options.services.jobs.get(this.#job.job_id);
  }

  #work(): Promise<Outcome> {
    const { services, board, stored, ask } = this.#options;
    const log = this.#log;
    const jobId = this.#job.job_id;
    return WORK[this.#job.type].handler({
      stored,
      board,
      toolchain: services.toolchain,
      files: services.store.jobFiles,
      clock: services.clock,
      keptScript: async () => {
        const { design_id: designId } = stored.job;
        return designId === undefined ? null : await services.keptScript(designId).catch(() => null);
      },
      signal: this.#ends.signal,
      begin: (stage) => this.#unlessOver(this.#begin(stage)),
      learn: (job) => this.#unlessOver(ask({ kind: 'learn', jobId, job })),
      takeBoard: async () => {
        // The tools ended just when the job was stopped or its board disappeared.
        this.#ends.signal.throwIfAborted();
        if (this.#beside) await this.#replace();
        else await this.#unlessOver(ask({ kind: 'built', jobId }));
      },
      log: (stage, line) => log.line(stage, line),
      progress: (stage, fraction) => this.#progress(stage, fraction),
      waiting: (standing) => this.#show('queued', { in_queue: standing }),
      estimated: (estimate) => this.#show('running', { estimate }),
    });
  }

  /** Ends the work where the node answers that the job has ended, or waits for the next start of the service. */
  async #unlessOver(goesOn: Promise<boolean>): Promise<void> {
    if (await goesOn) return;
    this.#ends.signal.throwIfAborted();
    throw new Error('The job is over.');
  }

  /** Starts the job; false when it was cancelled, or waits for the next start of the service. */
  async #begin(stage: Stage): Promise<boolean> {
    const { services, ask } = this.#options;
    const { bench, histories } = services.store;
    const { status } = this.#stored.job;
    const onDisk = bench.jobs.get(this.#job.job_id)?.job.status === 'running';
    const begun = await ask({ kind: 'begin', jobId: this.#job.job_id, stage, onDisk });
    // A crash must not repeat a run: its start is on disk before its first transfer.
    if (begun && this.#job.type === 'run' && status === 'queued' && !onDisk)
      await histories[this.#job.fpga_id]?.begin(this.#job.job_id).catch(() => {});
    return begun;
  }

  /** Takes the board when earlier runs have ended, and ends the session that the design replaces. */
  async #replace(): Promise<void> {
    const { ask, board, stored } = this.#options;
    const jobId = this.#job.job_id;
    this.#log.line('program', 'built: waiting for earlier transactions to end');
    await untilAborted(ask({ kind: 'take_turn', jobId }), this.#ends.signal);
    board.checkPresent();
    const { session, design } = await ask({ kind: 'take_place', jobId });
    this.#beside = false;
    this.#log.line(
      'program',
      `the session of ${session?.owner} with ${design?.filename} ends: ${stored.job.submit?.filename} takes its place`,
    );
  }

  async #fail(error: unknown): Promise<void> {
    const { node, services, stored } = this.#options;
    if (!(await this.#begin(WORK[this.#job.type].stage))) return;
    const facts = { err: error, fpga_id: this.#job.fpga_id, job_id: this.#job.job_id };
    if (!(error instanceof BenchError))
      services.logger.error(facts, 'A job failed with an unexpected error.');
    else if (error.cause !== undefined) services.logger.warn(facts, 'A job failed.');
    const { state, session, design } = node.now;
    const end = failed(this.#job.type, state, error);
    if (!stored.job.replaces || end.kind !== 'failed') return await this.#end(end);
    // A replacement without the board does not change the node. A replacement that a stop of the service interrupts
    // counts as not begun: the session is still on disk, and the next start restores its design.
    if (!this.#beside && end.failure.error !== 'service_stopped') return await this.#end(end);
    if (session !== null && design !== null)
      this.#log.line('queue', `the session of ${session.owner} continues with ${design.filename}`);
    await this.#end({ kind: 'failed', failure: end.failure });
  }

  /** Stores the end of the job and shows it. The log and the result are on disk first. */
  async #end(end: End): Promise<void> {
    const { logs, jobs, store, clock } = this.#options.services;
    const log = this.#log;
    const before = this.#stored;
    const { stage = 'queue', run: details } = before.job;
    if (end.kind === 'failed') {
      log.lastLine(stage, `error: ${end.failure.message}`);
      log.lastLine(stage, `note: ${end.failure.remedy}`);
    }
    const ended = await endedJob(before, end, store.jobFiles, timestamp(clock));
    // The short log of a run is part of its record and needs no write of its own; any other log is on disk first.
    const text = this.#job.type === 'run' ? log.text : null;
    if (text === null) await log.sync();
    const bytes = store.jobFiles.sizes.of(this.#job.job_id) + Buffer.byteLength(text ?? '');
    const job: StoredJob = { ...ended, ...(text === null ? {} : { log: text }), bytes };
    // The session's record of transactions reads these words.
    if (end.kind === 'complete' && end.moved) jobs.firstWords.set(this.#job.job_id, end.moved);
    await this.#options.ask({ kind: 'end', end, ended: job });
    jobs.firstWords.delete(this.#job.job_id);
    // bench.json holds the record when the node changed with it; otherwise the history has it already.
    if (end.event !== undefined) jobs.archive(job).catch(() => {});
    void logs.close(this.#job.job_id, text === null);
    if (details?.op === 1 && details.count > INLINE_WORDS)
      void store.jobFiles.removeFile(this.#job.fpga_id, this.#job.job_id, 'request', details.count * 4);
  }

  /** Shows facts of the job in this status, which are never stored: the farm is asked again after a restart. */
  #show(status: 'queued' | 'running', facts: Pick<Job, 'in_queue' | 'estimate'>): void {
    const before = this.#stored;
    const job = { ...before.job, ...facts };
    if (job.status === status && !isDeepStrictEqual(job, before.job))
      this.#options.services.jobs.show({ ...before, job });
  }

  /** Shown only: progress never causes a write. */
  #progress(stage: Stage, fraction: number): void {
    const before = this.#stored;
    if (before.job.status !== 'running') return;
    const { jobs, clock } = this.#options.services;
    const rounded = Math.round(Math.min(1, Math.max(0, fraction)) * 1000) / 1000;
    const next = before.job.stage !== stage;
    const job: Job = { ...before.job, stage, fraction: rounded };
    if (next) job.updated_at = timestamp(clock);
    const announced = next || clock.monotonic() - this.#announced >= PROGRESS_MS;
    if (announced) this.#announced = clock.monotonic();
    jobs[announced ? 'show' : 'add']({ ...before, job });
  }

  /** Work that ignores its abort must not delay the stop of the service. */
  async #unlessStopped<T>(work: Promise<T>): Promise<T> {
    const { stopping, services } = this.#options;
    const late = new AbortController();
    let cancel = () => {};
    const onStop = () => {
      cancel = services.clock.after(GRACE_MS, () => late.abort(stopping.reason));
    };
    if (stopping.aborted) onStop();
    stopping.addEventListener('abort', onStop, { once: true });
    try {
      return await untilAborted(work, late.signal);
    } finally {
      stopping.removeEventListener('abort', onStop);
      cancel();
    }
  }
}
