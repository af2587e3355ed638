import type { BoardView } from '../contract/boards.ts';
import type { JobType } from '../contract/jobs.ts';
import type { NodeView } from '../contract/nodes.ts';
import { jobsError } from '../errors/jobs.ts';
import { advance } from '../nodes/machine.ts';
import { SessionTimer } from '../nodes/session.ts';
import type { StoredJob } from '../store/index.ts';
import { buildAndProgram } from './build-and-program.ts';
import { endJob } from './end-job.ts';
import { failureOf } from './failure.ts';
import { Intake, SYSTEM } from './intake.ts';
import type { JobHandler, JobOutcome } from './job-context.ts';
import { JobInHand } from './job-in-hand.ts';
import { JobLine, type WaitingJob } from './job-line.ts';
import { NodeBoard } from './node-board.ts';
import { NodeRecord } from './node-record.ts';
import type { NodeServices } from './node-services.ts';
import { reset } from './reset.ts';
import { restoreBoard } from './restore-board.ts';
import { runTransaction } from './run-transaction.ts';

const HANDLERS: Readonly<Record<JobType, JobHandler>> = {
  build_and_program: buildAndProgram,
  run: runTransaction,
  reset,
};

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
    for (let task = this.#next(); task; task = this.#next()) {
      await task().catch((err) => {
        this.#services.logger.fatal({ err, fpga_id: this.fpgaId }, 'A node could not end what it was at.');
        this.#line.current = null;
      });
    }
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
    const { clock, logs, store } = this.#services;
    const job = new JobInHand({
      jobId,
      type,
      services: this.#services,
      record: this.#record,
      board: this.#board,
      stopped: () => this.#stopped,
    });
    this.#line.remove(jobId);
    this.#line.current = job;
    logs.log(this.fpgaId, jobId).start(clock.now());
    if (type !== 'build_and_program') {
      job.begin(type === 'run' ? 'transfer' : 'program');
      // A run must not be done a second time after a crash: that it has begun is on disk before it does.
      if (type === 'run' && !marked) await store.histories[this.fpgaId]?.begin(jobId).catch(() => {});
    }
    const outcome = await new Promise<JobOutcome>((resolve) => {
      // A job that does not end when it is told to does not keep the service from ending.
      this.#abandon = () => resolve(job.interrupted(jobsError('service_stopped')));
      HANDLERS[type](job.context()).then(resolve, (error) => resolve(job.interrupted(error)));
    });
    job.over = true;
    this.#abandon = null;
    await job.cancelling?.catch(() => {});
    if (job.begun) return await this.#end(job, outcome);
    // Cancelled, or back in the queue for the next start: it has never begun.
    if (!job.cancelled) this.#line.waiting.unshift(waiting);
    this.#line.current = null;
  }

  async #end(current: JobInHand, outcome: JobOutcome): Promise<void> {
    const node = { services: this.#services, record: this.#record, line: this.#line, current };
    try {
      await endJob({ ...node, outcome });
    } catch (error) {
      // A fault of ours must cost one job, never the node.
      await endJob({ ...node, outcome: current.interrupted(error) });
    }
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
    const { logger, clock } = this.#services;
    if (this.#systemReset) return;
    this.#systemReset = true;
    this.intake.reset('reset', SYSTEM, `reset by the service: ${why}`).then(
      () => {
        this.#systemReset = false;
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
