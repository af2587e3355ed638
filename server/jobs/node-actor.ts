import { assertNever } from '../errors/bench-error.ts';
import { jobsError } from '../errors/jobs.ts';
import { advance } from '../nodes/machine.ts';
import type { BoardView, Job, JobType, NodeView, Stage } from '../nodes/model.ts';
import { SessionTimer } from '../nodes/session.ts';
import type { StoredJob } from '../store/index.ts';
import { buildAndProgram } from './build-and-program.ts';
import { endJob } from './end-job.ts';
import { failureOf } from './failure.ts';
import { Intake, SYSTEM } from './intake.ts';
import type { JobContext, JobHandler, JobOutcome } from './job-context.ts';
import { type CurrentJob, JobLine, type WaitingJob } from './job-line.ts';
import { NodeBoard } from './node-board.ts';
import { NodeRecord } from './node-record.ts';
import { type NodeServices, timestamp } from './node-services.ts';
import { reset } from './reset.ts';
import { restoreBoard } from './restore-board.ts';
import { runTransaction } from './run-transaction.ts';

const HANDLERS: Readonly<Record<JobType, JobHandler>> = {
  build_and_program: buildAndProgram,
  run: runTransaction,
  reset,
};

/** Progress is announced at most so often; a new stage always. */
const PROGRESS_MS = 100;
/** Between attempts to enqueue the service's own reset while the store cannot write. */
const RETRY_MS = 5000;
/** What is told to end at the end of the service gets so long to do it. */
const GRACE_MS = 2500;

/** What a reserved node's board needs before the next transaction. */
type Restoring = 'program' | 'identify';

/** What a node finds to do when the service starts. */
export interface NodeStart {
  /** Jobs that wait, in their order. */
  waiting: StoredJob[];
  /** The board has to be given the session's design again. */
  restore: boolean;
  /** The service itself has to reset the node, and why. */
  reset: string | null;
}

/**
 * One node: its queue runs one job at a time, its state changes only through the state machine, every change
 * goes to the store and to the event stream.
 */
export class NodeActor {
  readonly fpgaId: number;
  readonly intake: Intake;
  readonly #services: NodeServices;
  readonly #record: NodeRecord;
  readonly #line = new JobLine();
  readonly #board: NodeBoard;
  readonly #timer: SessionTimer;
  #boardId: string;
  #restoring: Restoring | null = null;
  #restoreEnds: AbortController | null = null;
  #busy = false;
  #idle: (() => void)[] = [];
  #stopped = false;
  /** Ends waiting for the handler of the current job. */
  #abandon: (() => void) | null = null;
  /** A reset by the service is on its way, or waits to be tried again. */
  #systemReset = false;

  constructor(fpgaId: number, services: NodeServices) {
    this.fpgaId = fpgaId;
    this.#services = services;
    this.#board = new NodeBoard(services.boards, fpgaId, services.clock);
    this.#boardId = this.#board.view.id;
    this.#timer = new SessionTimer(services.clock, () => this.#expire());
    this.#record = new NodeRecord({
      fpgaId,
      store: services.store,
      events: services.events,
      rest: () => ({
        current_job_id: this.#line.currentJobId,
        resetting: this.#line.pendingReset !== null,
        board: this.#board.view,
        last_job_id: services.ledger.last(fpgaId),
      }),
      watch: (session) => this.#timer.watch(this.#stopped ? null : session),
    });
    this.intake = new Intake({
      services,
      record: this.#record,
      line: this.#line,
      kick: () => this.#kick(),
    });
  }

  view(): NodeView {
    return this.#record.view();
  }

  start(start: NodeStart): void {
    for (const { job } of start.waiting)
      this.#line.waiting.push({
        jobId: job.job_id,
        type: job.type,
        accepting: null,
        cancelling: null,
        marked: false,
      });
    if (start.restore) this.#restoring = 'program';
    if (start.reset !== null && !this.#line.pendingReset) this.#resetBySystem(start.reset);
    this.#timer.watch(this.#record.now.session);
    this.#kick();
  }

  /** The board in the slot has come, gone or been exchanged. */
  boardChanged(view: BoardView): void {
    this.#services.events.publish({ type: 'board', board: view });
    this.#record.publish();
    const exchanged = view.id !== this.#boardId;
    this.#boardId = view.id;
    if (!view.present || exchanged) {
      const reason = this.#board.vanished();
      if (this.#line.current?.usesBoard) this.#line.current.controller.abort(reason);
      this.#restoreEnds?.abort(reason);
      if (this.#record.now.state === 'reserved') this.#restoring ??= 'identify';
      void this.#board.drop();
    }
    this.#kick();
  }

  /** Ends what runs and takes nothing more; resolves within GRACE_MS and what it takes to keep the end. */
  async stop(): Promise<void> {
    this.#timer.watch(null);
    const reason = jobsError('service_stopped');
    this.#stopped = true;
    const grace = setTimeout(() => this.#abandon?.(), GRACE_MS);
    const taken = this.intake.close();
    this.#line.current?.controller.abort(reason);
    this.#restoreEnds?.abort(reason);
    await taken;
    if (this.#busy) await new Promise<void>((resolve) => this.#idle.push(resolve));
    clearTimeout(grace);
    await this.#board.drop();
  }

  #kick(): void {
    const { state, session } = this.#record.now;
    // E.g. the reset of an expired session was cancelled: a reserved node belongs to a session.
    if (state === 'reserved' && session === null && !this.#line.pendingReset)
      this.#resetBySystem('the node is reserved without a session');
    void this.#work();
  }

  /** One thing after the other until there is nothing to do. */
  async #work(): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    for (let task = this.#next(); task; task = this.#next()) await task();
    this.#busy = false;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  #next(): (() => Promise<void>) | null {
    if (this.#stopped) return null;
    const [head] = this.#line.waiting;
    if (this.#record.now.state !== 'reserved') this.#restoring = null;
    // A reset needs no design on the board.
    if (this.#restoring && this.#board.view.present && head?.type !== 'reset') return () => this.#restore();
    if (!head || head.accepting || head.cancelling) return null;
    return () => this.#perform(head);
  }

  async #perform(waiting: WaitingJob): Promise<void> {
    const { jobId, type, marked } = waiting;
    const current: CurrentJob = {
      jobId,
      type,
      controller: new AbortController(),
      begun: false,
      cancelling: null,
      cancelled: false,
      usesBoard: type !== 'build_and_program',
      announced: 0,
    };
    this.#line.remove(jobId);
    this.#line.current = current;
    this.#services.logs.log(this.fpgaId, jobId).start(this.#services.clock.now());
    if (type !== 'build_and_program') {
      this.#begin(current, type === 'run' ? 'transfer' : 'program');
      // A run must not be done a second time after a crash: that it has begun is on disk before it does.
      if (type === 'run' && !marked)
        await this.#services.store.histories[this.fpgaId]?.begin(jobId).catch(() => {});
    }
    const outcome = await new Promise<JobOutcome>((resolve) => {
      // A job that does not end when it is told to does not keep the service from ending.
      this.#abandon = () => resolve(this.#interrupted(current, jobsError('service_stopped')));
      void this.#handle(current).then(resolve);
    });
    this.#abandon = null;
    await current.cancelling?.catch(() => {});
    // Cancelled, or back in the queue of the next start: it has never begun.
    if (!current.begun) {
      if (!current.cancelled) this.#line.waiting.unshift(waiting);
      this.#line.current = null;
      return;
    }
    await endJob({ services: this.#services, record: this.#record, line: this.#line, current, outcome });
  }

  async #handle(current: CurrentJob): Promise<JobOutcome> {
    try {
      return await HANDLERS[current.type](this.#context(current));
    } catch (error) {
      return this.#interrupted(current, error);
    }
  }

  /** The outcome of a job whose handler has not given one. */
  #interrupted(current: CurrentJob, error: unknown): JobOutcome {
    const failure = failureOf(error, this.#services.logger);
    const { state } = this.#record.now;
    switch (current.type) {
      case 'build_and_program':
        if (state === 'queued') this.#begin(current, 'scan');
        return {
          status: 'failed',
          failure,
          event: state === 'programming' ? 'program_failed' : 'build_failed',
        };
      case 'run':
        return { status: 'failed', failure };
      case 'reset':
        return { status: 'failed', failure, event: 'reset_failed' };
      default:
        return assertNever(current.type);
    }
  }

  #context(current: CurrentJob): JobContext {
    const { clock, logger, ledger, logs, store, toolchain } = this.#services;
    const log = logs.log(this.fpgaId, current.jobId);
    const record = this.#record;
    return {
      stored: ledger.get(this.fpgaId, current.jobId),
      get node() {
        return record.now;
      },
      board: this.#board,
      toolchain,
      files: store.jobFiles,
      clock,
      logger,
      signal: current.controller.signal,
      log: (stage, line) => log.line(stage, line),
      progress: (stage, fraction) => this.#progress(current, stage, fraction),
      begin: (stage) => this.#begin(current, stage),
      begun: async (stage) => {
        this.#begin(current, stage);
        await current.cancelling?.catch(() => {});
        this.#begin(current, stage);
        if (!current.begun) throw jobsError('service_stopped');
      },
      know: (known) => {
        if (this.#line.current !== current) throw jobsError('service_stopped');
        this.#update(current, known);
      },
      advance: (event) => {
        if (this.#line.current !== current) throw jobsError('service_stopped');
        current.usesBoard = true;
        this.#record.set({ state: advance(this.#record.now.state, event) });
        this.#record.publish();
      },
    };
  }

  #begin(current: CurrentJob, stage: Stage): void {
    if (current.begun || current.cancelled || this.#stopped) return;
    if (current.cancelling) {
      current.cancelling.catch(() => this.#begin(current, stage));
      return;
    }
    current.begun = true;
    const now = timestamp(this.#services.clock);
    if (current.type === 'build_and_program' && this.#record.now.state === 'queued')
      this.#record.set({ state: advance('queued', 'build_started') });
    this.#update(current, { status: 'running', started_at: now, stage });
    this.#record.publish();
  }

  /** Changes the job for everybody, and on disk soon. */
  #update(current: CurrentJob, known: Partial<Job>): void {
    const { ledger, store, clock } = this.#services;
    const before = ledger.get(this.fpgaId, current.jobId);
    const { fraction: _fraction, ...job } = before.job;
    const after: StoredJob = { ...before, job: { ...job, ...known, updated_at: timestamp(clock) } };
    store.bench.jobs.set(current.jobId, after);
    store.touch();
    ledger.show(after);
  }

  /** Progress is shown and never costs a write. */
  #progress(current: CurrentJob, stage: Stage, fraction: number): void {
    if (!current.begun || current.cancelled || this.#line.current !== current) return;
    const { ledger, clock } = this.#services;
    const before = ledger.get(this.fpgaId, current.jobId);
    const rounded = Math.round(Math.min(1, Math.max(0, fraction)) * 1000) / 1000;
    const next = before.job.stage !== stage;
    const job: Job = { ...before.job, stage, fraction: rounded };
    if (next) job.updated_at = timestamp(clock);
    const announced = next || performance.now() - current.announced >= PROGRESS_MS;
    if (announced) current.announced = performance.now();
    ledger[announced ? 'show' : 'add']({ ...before, job });
  }

  async #restore(): Promise<void> {
    const what = this.#restoring ?? 'identify';
    this.#restoreEnds = new AbortController();
    const { signal } = this.#restoreEnds;
    const failure = await restoreBoard({
      what,
      services: this.#services,
      node: this.#record.now,
      board: this.#board,
      signal,
    });
    this.#restoreEnds = null;
    if (this.#stopped) return;
    // Away again: whoever comes back next is asked again.
    if (failure && !this.#board.view.present) return;
    this.#restoring = null;
    if (failure === null) return;
    this.#record.set({ state: advance('reserved', 'board_failed'), error: failure, design: null });
    this.#record.publish();
  }

  #expire(): void {
    const { session } = this.#record.now;
    const owner = session?.owner ?? 'nobody';
    this.#services.logger.info({ fpga_id: this.fpgaId, owner }, 'A session has expired; its node is reset.');
    this.#record.set({ session: null });
    this.#record.publish();
    this.#resetBySystem(`the session of ${owner} has expired`);
  }

  #resetBySystem(why: string): void {
    const { logs, logger, clock } = this.#services;
    if (this.#systemReset) return;
    this.#systemReset = true;
    this.intake.reset('reset', SYSTEM).then(
      (job) => {
        this.#systemReset = false;
        logs.log(this.fpgaId, job.job_id).line('queue', `reset by the service: ${why}`);
      },
      (error) => {
        if (this.#stopped) return;
        logger.warn(
          { fpga_id: this.fpgaId, reason: failureOf(error, logger).message },
          'The service could not reset a node yet.',
        );
        clock.after(RETRY_MS, () => {
          this.#systemReset = false;
          const { state } = this.#record.now;
          if (!this.#stopped && (state === 'reserved' || state === 'error')) this.#resetBySystem(why);
        });
      },
    );
  }
}
