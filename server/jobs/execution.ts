import { hasEnded, type Job, type JobType, type Stage } from '../contract/jobs.ts';
import type { FpgaState, Session } from '../contract/nodes.ts';
import { BenchError } from '../errors/bench-error.ts';
import { jobsError } from '../errors/jobs.ts';
import { advance, transition } from '../nodes/machine.ts';
import type { NodeBoard } from '../nodes/node-board.ts';
import { createSession } from '../nodes/session.ts';
import type { StoredJob } from '../store/index.ts';
import { build } from './build.ts';
import { type End, endedJob, endedNode, failed } from './end.ts';
import type { NodeState } from './node-state.ts';
import { reset } from './reset.ts';
import { run } from './run.ts';
import { type Services, timestamp } from './services.ts';
import type { JobHandler, Outcome, Step } from './steps.ts';
import { INLINE_WORDS } from './words.ts';

/** The work of each type of job, its first stage, and the states of a node in which its turn may come. */
const WORK: Readonly<
  Record<JobType, { handler: JobHandler; stage: Stage; takes: (state: FpgaState) => boolean }>
> = {
  build_and_program: { handler: build, stage: 'scan', takes: (state) => state === 'queued' },
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

export interface ExecutionOptions {
  stored: StoredJob;
  services: Services;
  state: NodeState;
  board: NodeBoard;
  /** The service ends: what has not begun begins at its next start. */
  stopping: AbortSignal;
  /** The change of the job that is on its way to the disk, if there is one. */
  pendingChange: (jobId: string) => Promise<unknown> | null;
}

/** The job that a node is at: does its work, makes what the work yields so, and keeps its end. */
export class Execution {
  readonly jobId: string;
  readonly #fpgaId: number;
  readonly #type: JobType;
  readonly #options: ExecutionOptions;
  readonly #ends = new AbortController();
  /** When progress was last announced, milliseconds of the clock. */
  #announced = Number.NEGATIVE_INFINITY;

  constructor(options: ExecutionOptions) {
    const { job_id, fpga_id, type } = options.stored.job;
    this.jobId = job_id;
    this.#fpgaId = fpga_id;
    this.#type = type;
    this.#options = options;
  }

  /** From now on the job ends with the board: a build needs it only when it comes to programming. */
  get usesBoard(): boolean {
    const { state } = this.#options.state.now;
    return this.#type !== 'build_and_program' || state === 'programming';
  }

  /** Tells the work to end; `reason` is why the job fails then. */
  abort(reason?: BenchError): void {
    this.#ends.abort(reason);
  }

  /** Resolves when the end of the job is kept, or at once when it was cancelled or goes back into the queue. */
  async perform(): Promise<void> {
    const { services, state } = this.#options;
    services.logs.log(this.#fpgaId, this.jobId).start(services.clock.now());
    try {
      if (!WORK[this.#type].takes(state.now.state)) throw jobsError('run_skipped');
      const outcome = await this.#unlessStopped(this.#work());
      if (outcome) await this.#end({ kind: 'complete', ...outcome });
    } catch (error) {
      // An aborted tool says that it was aborted; why is the signal's reason.
      const { aborted, reason } = this.#ends.signal;
      await this.#fail(aborted ? reason : error);
    }
  }

  /** Null when the job has not begun: it was cancelled, or the service ends. */
  async #work(): Promise<Outcome | null> {
    const { services, board, stored } = this.#options;
    const log = services.logs.log(this.#fpgaId, this.jobId);
    const steps = WORK[this.#type].handler({
      stored,
      board,
      toolchain: services.toolchain,
      files: services.store.jobFiles,
      now: () => services.clock.monotonic(),
      signal: this.#ends.signal,
      log: (stage, line) => log.line(stage, line),
      progress: (stage, fraction) => this.#progress(stage, fraction),
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
    const { state, services } = this.#options;
    if (step.kind === 'begun') return await this.#begin(step.stage);
    if (hasEnded(this.#stored.job.status)) return false;
    if (step.kind === 'moved') {
      await state.commit({ node: { state: advance(state.now.state, step.event) } }, 'soon');
      return true;
    }
    const { fraction: _fraction, ...job } = this.#stored.job;
    const known: Job = { ...job, ...step.job, updated_at: timestamp(services.clock) };
    await state.commit({ job: { ...this.#stored, job: known } }, 'soon');
    return true;
  }

  /** The job runs from now on; false when it was cancelled before, or waits for the next start of the service. */
  async #begin(stage: Stage): Promise<boolean> {
    const { state, services, pendingChange, stopping } = this.#options;
    for (let change = pendingChange(this.jobId); change; change = pendingChange(this.jobId))
      await change.catch(() => {});
    const before = this.#stored;
    if (before.job.status !== 'queued') return before.job.status === 'running';
    if (stopping.aborted) return false;
    const now = timestamp(services.clock);
    const job: Job = { ...before.job, status: 'running', stage, started_at: now, updated_at: now };
    const builds = this.#type === 'build_and_program' && state.now.state === 'queued';
    const { bench, histories } = services.store;
    const onDisk = bench.jobs.get(this.jobId)?.job.status === 'running';
    // Shown at once: from this moment it cannot be cancelled.
    await state.commit(
      { job: { ...before, job }, ...(builds ? { node: { state: advance('queued', 'build_started') } } : {}) },
      'soon',
    );
    // A run must not be done a second time after a crash: that it has begun is on disk before it does.
    if (this.#type === 'run' && !onDisk) await histories[this.#fpgaId]?.begin(this.jobId).catch(() => {});
    return true;
  }

  async #fail(error: unknown): Promise<void> {
    const { logger } = this.#options.services;
    if (!(await this.#begin(WORK[this.#type].stage))) return;
    const facts = { err: error, fpga_id: this.#fpgaId, job_id: this.jobId };
    if (!(error instanceof BenchError)) logger.error(facts, 'A job ended by an unexpected error.');
    else if (error.cause !== undefined) logger.warn(facts, 'A job failed.');
    await this.#end(failed(this.#type, this.#options.state.now.state, error));
  }

  /**
   * Keeps the end of the job and what it does to the node, then shows both: who has seen a job complete finds it
   * complete after a crash, too. When the store cannot write, the end is shown all the same: it has happened.
   */
  async #end(end: End): Promise<void> {
    const { services, state } = this.#options;
    const { logs, jobs, store, clock } = services;
    const log = logs.log(this.#fpgaId, this.jobId);
    const before = this.#stored;
    const { stage = 'queue', owner, run: details } = before.job;
    if (end.kind === 'failed') {
      log.lastLine(stage, `error: ${end.failure.message}`);
      log.lastLine(stage, `note: ${end.failure.remedy}`);
    }
    const job = await endedJob(before, end, store.jobFiles, timestamp(clock));
    const node = endedNode(state.now, end, () => this.#newSession(owner));
    // The log of a run is on its way; whoever reads it meanwhile gets all of it.
    if (node) await log.flush();
    await state.commit({ job, ...(node ? { node } : {}) }, 'fact');
    if (node) void jobs.archive(job).catch(() => {});
    void logs.close(this.jobId);
    if (details?.op === 1 && details.count > INLINE_WORDS)
      void store.jobFiles.removeFile(this.#fpgaId, this.jobId, 'request');
  }

  #newSession(owner: string): Session {
    const { clock, newId, settings } = this.#options.services;
    const { sessionTtlSeconds: ttlSeconds } = settings;
    return createSession({ sessionId: newId(), fpgaId: this.#fpgaId, owner, ttlSeconds, now: clock.now() });
  }

  get #stored(): StoredJob {
    return this.#options.services.jobs.get(this.jobId);
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
    let cancel = () => {};
    let onStop = () => {};
    const late = new Promise<never>((_resolve, reject) => {
      onStop = () => {
        cancel = services.clock.after(GRACE_MS, () => reject(stopping.reason));
      };
    });
    if (stopping.aborted) onStop();
    stopping.addEventListener('abort', onStop, { once: true });
    try {
      return await Promise.race([work, late]);
    } finally {
      stopping.removeEventListener('abort', onStop);
      cancel();
    }
  }
}
