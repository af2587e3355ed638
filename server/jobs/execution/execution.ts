import type { InQueue } from '../../contract/jobs/in-queue.ts';
import type { Job, JobType, Stage } from '../../contract/jobs/jobs.ts';
import type { BuildEstimate } from '../../contract/jobs/utilisation.ts';
import type { FpgaState } from '../../contract/nodes/nodes.ts';
import { BenchError } from '../../errors/bench-error.ts';
import { jobsError } from '../../errors/jobs.ts';
import { transition } from '../../nodes/machine.ts';
import type { NodeBoard } from '../../nodes/node-board.ts';
import type { StoredJob, StoredNode } from '../../store/index.ts';
import { type Services, timestamp } from '../services.ts';
import { build } from './build.ts';
import { type End, endedJob, failed } from './end.ts';
import { reset } from './reset.ts';
import { survivesRestart } from './resume.ts';
import { run } from './run.ts';
import type { JobHandler, Outcome, Step } from './steps.ts';
import { INLINE_WORDS } from './words.ts';

/** The work of each type of job, its first stage, and the states of a node in which its turn may come. */
const WORK: Readonly<
  Record<JobType, { handler: JobHandler; stage: Stage; takes: (state: FpgaState) => boolean }>
> = {
  // A node that builds already resumes what it was at when the service ended.
  build_and_program: {
    handler: build,
    stage: 'scan',
    takes: (state) => state === 'queued' || state === 'building',
  },
  run: { handler: run, stage: 'transfer', takes: (state) => state === 'reserved' },
  reset: {
    handler: reset,
    stage: 'program',
    takes: (state) => transition(state, 'reset_succeeded') !== null,
  },
};

/** Progress is announced at most so often; a new stage always. */
const PROGRESS_MS = 100;
/** What is told to end at the end of the service gets so long to do it. */
const GRACE_MS = 2500;

/** What who works at a job asks of its node, and waits for. */
export type WorkQuestion =
  /** It runs from now on. False: it was cancelled, or begins at the next start of the service. */
  | { kind: 'begin'; jobId: string; stage: Stage; onDisk: boolean }
  /** More is known of the job. False, here and below: it has ended. */
  | { kind: 'learn'; jobId: string; job: Partial<Job> }
  /** The bitstream is there, and the board is the job's. */
  | { kind: 'built'; jobId: string }
  /** The bitstream was made beside the session: answered when the runs before it are through. */
  | { kind: 'take_turn'; jobId: string }
  /** The session ends; answered with the node as it was. @throws session_ended. */
  | { kind: 'take_place'; jobId: string }
  | { kind: 'end'; end: End; ended: StoredJob };

export interface WorkAnswers {
  begin: boolean;
  learn: boolean;
  built: boolean;
  take_turn: undefined;
  take_place: StoredNode;
  end: undefined;
}

export interface ExecutionOptions {
  stored: StoredJob;
  services: Services;
  /** The node as it is at the moment. */
  node: { readonly now: StoredNode };
  board: NodeBoard;
  ask<Q extends WorkQuestion>(question: Q): Promise<WorkAnswers[Q['kind']]>;
  /** The service ends: what has not begun begins at its next start. */
  stopping: AbortSignal;
}

/** The work at one job: runs its handler, asks the node for what the handler yields, and keeps its log. */
export class Execution {
  readonly #options: ExecutionOptions;
  readonly #jobId: string;
  readonly #fpgaId: number;
  readonly #type: JobType;
  /** A build beside the session, until it has the board. */
  #beside: boolean;
  readonly #ends = new AbortController();
  /** When progress was last announced, milliseconds of the clock. */
  #announced = Number.NEGATIVE_INFINITY;

  constructor(options: ExecutionOptions) {
    const { job_id, fpga_id, type, replaces = false } = options.stored.job;
    this.#options = options;
    this.#jobId = job_id;
    this.#fpgaId = fpga_id;
    this.#type = type;
    this.#beside = replaces;
  }

  /** Tells the work to end; `reason` is why the job fails then. */
  abort(reason?: BenchError): void {
    this.#ends.abort(reason);
  }

  /** Resolves when the end of the job is kept, or at once when it was cancelled or goes back into the queue. */
  async perform(): Promise<void> {
    const { node, stopping } = this.#options;
    // What an earlier start of the service has written goes on as it was.
    if (this.#log.size === 0) this.#log.start();
    try {
      const { state } = node.now;
      if (!(this.#beside ? state === 'reserved' : WORK[this.#type].takes(state)))
        throw jobsError('run_skipped');
      const outcome = await this.#unlessStopped(this.#work());
      if (outcome) await this.#end({ kind: 'complete', ...outcome });
    } catch (error) {
      if (stopping.aborted && this.#survivesRestart) return this.#leave();
      // An aborted tool says that it was aborted; why is the signal's reason.
      const { aborted, reason } = this.#ends.signal;
      await this.#fail(aborted ? reason : error);
    }
  }

  /** Whether workers go on with it when the service ends: it is resumed at the next start. */
  get #survivesRestart(): boolean {
    const { reason } = this.#ends.signal;
    const stopped = reason instanceof BenchError && reason.code === 'stopped_by_user';
    if (stopped || !survivesRestart(this.#stored)) return false;
    if (this.#options.stored.job.replaces) return this.#beside && this.#stored.job.build_id === undefined;
    return this.#options.node.now.state !== 'programming';
  }

  #leave(): void {
    this.#log.line(this.#stored.job.stage ?? 'scan', 'the service ends: the build goes on without it');
  }

  get #log() {
    return this.#options.services.logs.log(this.#fpgaId, this.#jobId);
  }

  get #stored(): StoredJob {
    return this.#options.services.jobs.get(this.#jobId);
  }

  /** Null when the job has not begun: it was cancelled, or the service ends. */
  async #work(): Promise<Outcome | null> {
    const { services, board, stored } = this.#options;
    const log = this.#log;
    const steps = WORK[this.#type].handler({
      stored,
      board,
      toolchain: services.toolchain,
      files: services.store.jobFiles,
      clock: services.clock,
      keptScript: async () => {
        const { design_id: designId } = stored.job;
        return designId === undefined ? null : await services.keptScript(designId).catch(() => null);
      },
      now: () => services.clock.monotonic(),
      signal: this.#ends.signal,
      log: (stage, line) => log.line(stage, line),
      progress: (stage, fraction) => this.#progress(stage, fraction),
      waiting: (standing) => this.#waits(standing),
      estimated: (estimate) => this.#estimated(estimate),
    });
    for (;;) {
      const { done, value } = await steps.next();
      if (done) return value;
      if (await this.#make(value)) continue;
      await steps.return(null);
      return null;
    }
  }

  /** Makes a step so; false when the job does not go on. */
  async #make(step: Step): Promise<boolean> {
    const { ask } = this.#options;
    const jobId = this.#jobId;
    if (step.kind === 'begun') return await this.#begin(step.stage);
    if (step.kind === 'known') return await ask({ kind: 'learn', jobId, job: step.job });
    // It was stopped, or its board has gone, when the tools had just ended.
    this.#ends.signal.throwIfAborted();
    if (this.#beside) await this.#replace();
    else return await ask({ kind: 'built', jobId });
    return true;
  }

  /** The job runs from now on; false when it was cancelled before, or waits for the next start of the service. */
  async #begin(stage: Stage): Promise<boolean> {
    const { services, ask } = this.#options;
    const { bench, histories } = services.store;
    const { status } = this.#stored.job;
    const onDisk = bench.jobs.get(this.#jobId)?.job.status === 'running';
    const begun = await ask({ kind: 'begin', jobId: this.#jobId, stage, onDisk });
    // A run must not be done a second time after a crash: that it has begun is on disk before it does.
    if (begun && this.#type === 'run' && status === 'queued' && !onDisk)
      await histories[this.#fpgaId]?.begin(this.#jobId).catch(() => {});
    return begun;
  }

  /** Takes the board and ends the session whose place the design takes, when the runs before it are through. */
  async #replace(): Promise<void> {
    const { ask, board, stored } = this.#options;
    const jobId = this.#jobId;
    this.#log.line('program', 'built: it takes its turn when the transactions before it are through');
    await orAborted(ask({ kind: 'take_turn', jobId }), this.#ends.signal);
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
    if (!(await this.#begin(WORK[this.#type].stage))) return;
    const facts = { err: error, fpga_id: this.#fpgaId, job_id: this.#jobId };
    if (!(error instanceof BenchError)) services.logger.error(facts, 'A job ended by an unexpected error.');
    else if (error.cause !== undefined) services.logger.warn(facts, 'A job failed.');
    const { state, session, design } = node.now;
    const end = failed(this.#type, state, error);
    if (!stored.job.replaces || end.kind !== 'failed') return await this.#end(end);
    // Until it has the board it is no matter of the node's; and what the service's own end breaks off is as if it had
    // not begun: the disk has the session, and the next start gives the board its design again.
    if (!this.#beside && end.failure.error !== 'service_stopped') return await this.#end(end);
    if (session !== null && design !== null)
      this.#log.line('queue', `the session of ${session.owner} goes on with ${design.filename}`);
    await this.#end({ kind: 'failed', failure: end.failure });
  }

  /** Keeps the end of the job and shows it; its log and its result are on disk first. */
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
    // The few lines of a run are kept with its record, which costs nothing; any other log is on disk first.
    const text = this.#type === 'run' ? log.text : null;
    if (text === null) await log.sync();
    const bytes = store.jobFiles.sizes.of(this.#jobId) + Buffer.byteLength(text ?? '');
    const job: StoredJob = { ...ended, ...(text === null ? {} : { log: text }), bytes };
    // Those who remember transactions know what it wrote or read.
    if (end.kind === 'complete' && end.moved) jobs.firstWords.set(this.#jobId, end.moved);
    await this.#options.ask({ kind: 'end', end, ended: job });
    jobs.firstWords.delete(this.#jobId);
    // With a change of the node it went to bench.json; else it is there already.
    if (end.event !== undefined) jobs.archive(job).catch(() => {});
    void logs.close(this.#jobId, text === null);
    if (details?.op === 1 && details.count > INLINE_WORDS)
      void store.jobFiles.removeFile(this.#fpgaId, this.#jobId, 'request', details.count * 4);
  }

  /** Shown and never kept: after a restart it is asked for again. */
  #waits(standing: InQueue): void {
    const before = this.#stored;
    const { in_queue: last, status } = before.job;
    if (status !== 'queued' || JSON.stringify(last) === JSON.stringify(standing)) return;
    this.#options.services.jobs.show({ ...before, job: { ...before.job, in_queue: standing } });
  }

  /** Shown beside the progress, until the figures themselves are known. */
  #estimated(estimate: BuildEstimate): void {
    const before = this.#stored;
    if (before.job.status !== 'running') return;
    this.#options.services.jobs.show({ ...before, job: { ...before.job, estimate } });
  }

  /** Progress is shown and never costs a write. */
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

  /** Work that does not end when it is told to does not keep the service from ending. */
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
      return await orAborted(work, late.signal);
    } finally {
      stopping.removeEventListener('abort', onStop);
      cancel();
    }
  }
}

/** Waits for work, but no longer than until the signal fires. @throws the signal's reason. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });
}
