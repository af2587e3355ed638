import type { InQueue } from '../contract/in-queue.ts';
import { hasEnded, type Job, type JobType, type Stage } from '../contract/jobs.ts';
import type { FpgaState } from '../contract/nodes.ts';
import type { BuildEstimate } from '../contract/utilisation.ts';
import { BenchError } from '../errors/bench-error.ts';
import { jobsError } from '../errors/jobs.ts';
import { advance, transition } from '../nodes/machine.ts';
import type { NodeBoard } from '../nodes/node-board.ts';
import { createSession, type LeasedSession } from '../nodes/session.ts';
import type { StoredJob, StoredNode } from '../store/index.ts';
import { build } from './build.ts';
import { type End, endedJob, endedNode, failed } from './end.ts';
import type { Cause } from './happenings.ts';
import type { NodeState } from './node-state.ts';
import type { BoardTurn } from './replacement.ts';
import { SYSTEM } from './requests.ts';
import { reset } from './reset.ts';
import { run } from './run.ts';
import { type Services, timestamp } from './services.ts';
import type { JobHandler, Outcome, Step } from './steps.ts';
import { outlives } from './taken-up.ts';
import { INLINE_WORDS } from './words.ts';

/** The work of each type of job, its first stage, and the states of a node in which its turn may come. */
const WORK: Readonly<
  Record<JobType, { handler: JobHandler; stage: Stage; takes: (state: FpgaState) => boolean }>
> = {
  // A node that builds already takes up again what it was at when the service ended.
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

/** What others are told of the end of a job that moves its node. */
export function causeOf(
  end: Pick<End, 'event'>,
  { job, asked }: StoredJob,
  node: StoredNode,
): Cause | undefined {
  const { owner, job_id: jobId } = job;
  switch (end.event) {
    case 'program_succeeded':
      return { kind: node.session === null ? 'taken' : 'replaced', by: owner, jobId };
    case 'program_failed':
      return node.session === null ? undefined : { kind: 'replaced', by: owner, jobId };
    case 'reset_succeeded':
    case 'reset_failed': {
      const by = owner === SYSTEM.owner ? null : owner;
      return { kind: asked === 'release' ? 'released' : 'reset', by, jobId };
    }
    default:
      return undefined;
  }
}

export interface ExecutionOptions {
  stored: StoredJob;
  services: Services;
  state: NodeState;
  board: NodeBoard;
  /** Of a build that takes the place of a session: it goes on beside the node's other jobs until it has its turn. */
  turn?: BoardTurn;
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
  /** Whose session a replacement has ended, from the moment it has the board. */
  #heir: string | null = null;
  /** Who stopped the build. */
  #stoppedBy: string | null = null;
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
    if (this.#options.turn) return this.#heir !== null;
    return this.#type !== 'build_and_program' || state === 'programming';
  }

  /** Tells the work to end; `reason` is why the job fails then. */
  abort(reason?: BenchError): void {
    this.#ends.abort(reason);
  }

  /** Ends a build that runs and has not come to the board; false where there is none. `by` is whose doing it is. */
  stop(by: string): boolean {
    if (this.#type !== 'build_and_program' || this.#stored.job.status !== 'running' || this.usesBoard)
      return false;
    this.#stoppedBy ??= by;
    this.abort(jobsError('stopped_by_user', { message: `${by} stopped this build.` }));
    return true;
  }

  /** Resolves when the end of the job is kept, or at once when it was cancelled or goes back into the queue. */
  async perform(): Promise<void> {
    const { services, state } = this.#options;
    const log = services.logs.log(this.#fpgaId, this.jobId);
    // What an earlier start of the service has written goes on as it was.
    if (log.size === 0) log.start();
    try {
      const { takes } = WORK[this.#type];
      if (!(this.#options.turn ? state.now.state === 'reserved' : takes(state.now.state)))
        throw jobsError('run_skipped');
      const outcome = await this.#unlessStopped(this.#work());
      if (outcome) await this.#end({ kind: 'complete', ...outcome });
    } catch (error) {
      // An aborted tool says that it was aborted; why is the signal's reason.
      const { aborted, reason } = this.#ends.signal;
      if (this.#options.stopping.aborted && this.#outlives) return this.#leave();
      await this.#fail(aborted ? reason : error);
    }
  }

  /** Whether workers go on with it when the service ends: it is taken up again at the next start. */
  get #outlives(): boolean {
    const { turn } = this.#options;
    return (
      outlives(this.#stored) &&
      !this.usesBoard &&
      this.#stoppedBy === null &&
      !(turn && this.#stored.job.build_id !== undefined)
    );
  }

  #leave(): void {
    this.#options.services.logs
      .log(this.#fpgaId, this.jobId)
      .line(this.#stored.job.stage ?? 'scan', 'the service ends: the build goes on without it');
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
    const { state, services } = this.#options;
    if (step.kind === 'begun') return await this.#begin(step.stage);
    if (hasEnded(this.#stored.job.status)) return false;
    if (step.kind === 'built') {
      // It was stopped, or its board has gone, when the tools had just ended.
      this.#ends.signal.throwIfAborted();
      if (this.#options.turn) await this.#replace(this.#options.turn);
      else await state.commit({ node: { state: advance(state.now.state, 'build_succeeded') } }, 'soon');
      return true;
    }
    const { fraction: _fraction, estimate: _estimate, ...job } = this.#stored.job;
    const known: Job = { ...job, ...step.job, updated_at: timestamp(services.clock) };
    await state.commit({ job: { ...this.#stored, job: known } }, 'soon');
    return true;
  }

  /**
   * Ends the session whose place the design takes, when the runs before it are through. The disk keeps it until the new
   * session begins: a crash meanwhile brings it back, with its design.
   */
  async #replace(turn: BoardTurn): Promise<void> {
    const { state, services, board, stored } = this.#options;
    const log = services.logs.log(this.#fpgaId, this.jobId);
    log.line('program', 'built: it takes its turn when the transactions before it are through');
    await turn.take(this.#ends.signal);
    board.checkPresent();
    const { session, design } = state.now;
    if (session === null) throw jobsError('session_ended');
    log.line(
      'program',
      `the session of ${session.owner} with ${design?.filename} ends: ${stored.job.submit?.filename} takes its place`,
    );
    this.#heir = session.owner;
    const shown = {
      state: advance(state.now.state, 'replace_built'),
      session: null,
      lease: null,
      design: null,
      error: null,
    };
    await state.commit({ shown }, 'soon');
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
    const { in_queue: _place, ...queued } = before.job;
    const job: Job = { ...queued, status: 'running', stage, started_at: now, updated_at: now };
    const isBuild = this.#type === 'build_and_program';
    const builds = isBuild && !this.#options.turn && state.now.state === 'queued';
    const begun: StoredJob = {
      ...before,
      job,
      ...(isBuild && services.toolchain.farm && { on_farm: true as const }),
    };
    const { bench, histories } = services.store;
    const onDisk = bench.jobs.get(this.jobId)?.job.status === 'running';
    // Shown at once: from this moment it cannot be cancelled.
    await state.commit(
      { job: begun, ...(builds ? { node: { state: advance('queued', 'build_started') } } : {}) },
      onDisk ? 'known' : 'soon',
    );
    // A run must not be done a second time after a crash: that it has begun is on disk before it does.
    if (this.#type === 'run' && !onDisk) await histories[this.#fpgaId]?.begin(this.jobId).catch(() => {});
    return true;
  }

  async #fail(error: unknown): Promise<void> {
    const { services } = this.#options;
    const { logger } = services;
    if (!(await this.#begin(WORK[this.#type].stage))) return;
    const facts = { err: error, fpga_id: this.#fpgaId, job_id: this.jobId };
    if (!(error instanceof BenchError)) logger.error(facts, 'A job ended by an unexpected error.');
    else if (error.cause !== undefined) logger.warn(facts, 'A job failed.');
    const end = failed(this.#type, this.#options.state.now.state, error);
    const { turn, state } = this.#options;
    if (!turn || end.kind !== 'failed') return await this.#end(end);
    const { failure } = end;
    // Until it has the board it is no matter of the node's; and what the service's own end breaks off is as if it had
    // not begun: the disk has the session, and the next start gives the board its design again.
    if (this.#heir !== null && failure.error !== 'service_stopped') return await this.#end(end);
    const { session, design } = state.now;
    if (session !== null && design !== null)
      services.logs
        .log(this.#fpgaId, this.jobId)
        .line('queue', `the session of ${session.owner} goes on with ${design.filename}`);
    await this.#end({ kind: 'failed', failure });
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
    const ended = await endedJob(before, end, store.jobFiles, timestamp(clock));
    const node = endedNode(state.now, end, () => this.#newSession(this.#heir ?? owner));
    // The few lines of a run are kept with its record, which costs nothing; any other log is on disk first.
    const text = this.#type === 'run' ? log.text : null;
    if (text === null) await log.sync();
    const bytes = store.jobFiles.sizes.of(this.jobId) + Buffer.byteLength(text ?? '');
    const job: StoredJob = { ...ended, ...(text === null ? {} : { log: text }), bytes };
    // Those who remember transactions know what it wrote or read.
    if (end.kind === 'complete' && end.moved) jobs.firstWords.set(this.jobId, end.moved);
    // By what the disk has of the node: the session whose place the design takes ends with this change.
    const cause = this.#stopCause(end) ?? causeOf(end, before, store.bench.nodes[this.#fpgaId] ?? state.now);
    await state.commit({ job, cause, ...(node ? { node } : {}) }, 'fact');
    jobs.firstWords.delete(this.jobId);
    if (node) void jobs.archive(job).catch(() => {});
    void logs.close(this.jobId, text === null);
    if (details?.op === 1 && details.count > INLINE_WORDS)
      void store.jobFiles.removeFile(this.#fpgaId, this.jobId, 'request', details.count * 4);
  }

  #stopCause(end: End): Cause | undefined {
    const stopped = end.kind === 'failed' && end.failure.error === 'stopped_by_user';
    return stopped && this.#stoppedBy !== null ? { kind: 'stopped', by: this.#stoppedBy } : undefined;
  }

  #newSession(owner: string): LeasedSession {
    const { clock, newId, settings } = this.#options.services;
    const { sessionTtlSeconds: ttlSeconds } = settings;
    return createSession({ sessionId: newId(), fpgaId: this.#fpgaId, owner, ttlSeconds, clock });
  }

  get #stored(): StoredJob {
    return this.#options.services.jobs.get(this.jobId);
  }

  /** Shown and never kept: after a restart it is asked for again. */
  #waits(standing: InQueue): void {
    const { jobs } = this.#options.services;
    const before = this.#stored;
    const { in_queue: last, status } = before.job;
    if (status !== 'queued' || JSON.stringify(last) === JSON.stringify(standing)) return;
    jobs.show({ ...before, job: { ...before.job, in_queue: standing } });
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
