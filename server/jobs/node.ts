import type { BoardView } from '../contract/boards.ts';
import type { NodeView } from '../contract/nodes.ts';
import { jobsError } from '../errors/jobs.ts';
import { advance } from '../nodes/machine.ts';
import { NodeBoard } from '../nodes/node-board.ts';
import { SessionTimer, timeLeft } from '../nodes/session.ts';
import type { StoredNode } from '../store/index.ts';
import { failureOf } from './end.ts';
import { Execution } from './execution.ts';
import { NodeState } from './node-state.ts';
import type { NodeStart } from './recovery.ts';
import { Requests, SYSTEM } from './requests.ts';
import { restoreBoard } from './restore.ts';
import type { Retention } from './retention.ts';
import type { Services } from './services.ts';

/** Between attempts to enqueue the service's own reset while the store cannot write. */
const RETRY_MS = 5000;
/** Until an expired session is looked at again whose renewal is on its way to the disk. */
const RENEWAL_MS = 50;

/**
 * One node: its jobs run one at a time in the order of their acceptance, its state changes only through the state
 * machine, and every change goes through `NodeState.commit`.
 */
export class Node {
  readonly requests: Requests;
  readonly #fpgaId: number;
  readonly #services: Services;
  readonly #retention: Retention;
  readonly #state: NodeState;
  readonly #board: NodeBoard;
  readonly #timer: SessionTimer;
  readonly #stopping = new AbortController();
  #boardId: string;
  /** What a reserved node's board needs before the next transaction. */
  #restoring: 'program' | 'identify' | null = null;
  #restoreEnds: AbortController | null = null;
  #execution: Execution | null = null;
  /** The worker, while there is something to do. */
  #working: Promise<void> | null = null;
  /** A reset by the service is on its way, or waits to be tried again. */
  #systemReset = false;

  constructor(node: StoredNode, services: Services, retention: Retention) {
    this.#fpgaId = node.fpga_id;
    this.#services = services;
    this.#retention = retention;
    this.#board = new NodeBoard(services.boards, node.fpga_id, services.clock);
    this.#boardId = this.#board.view.id;
    this.#timer = new SessionTimer(services.clock, () => this.#expire());
    this.#state = new NodeState({
      store: services.store,
      jobs: services.jobs,
      node,
      publish: () => this.#publish(),
      watch: (session) => this.#timer.watch(this.#stopped ? null : session),
    });
    this.requests = new Requests({
      services,
      state: this.#state,
      settled: (cancelled) => {
        if (this.#execution?.jobId === cancelled) this.#execution?.abort();
        this.#kick();
      },
    });
  }

  view(): NodeView {
    const { jobs } = this.#services;
    const { fpga_id, state, session, error, design } = this.#state.now;
    const active = jobs.active(this.#fpgaId);
    return {
      fpga_id,
      state,
      session,
      error,
      design: design && { filename: design.filename, build_id: design.build_id, module: design.module },
      current_job_id: active[0]?.job.job_id ?? null,
      resetting: this.requests.resetting,
      board: this.#board.view,
      last_job_id: jobs.last(this.#fpgaId),
    };
  }

  start({ restore, reset }: NodeStart): void {
    if (restore) this.#restoring = 'program';
    if (reset !== null && !this.requests.resetting) this.#resetBySystem(reset);
    this.#timer.watch(this.#state.now.session);
    this.#kick();
  }

  /** Removes ended jobs beyond the limit. */
  prune(): void {
    const { design } = this.#state.now;
    this.#retention.prune(this.#fpgaId, design?.job_id ?? null, this.#services.settings.jobsPerNode);
  }

  /** The board in the slot has come, gone or been exchanged. */
  boardChanged(view: BoardView): void {
    this.#services.events.publish({ type: 'board', board: view });
    this.#publish();
    const exchanged = view.id !== this.#boardId;
    this.#boardId = view.id;
    if (!view.present || exchanged) {
      const reason = this.#board.vanished();
      if (this.#execution?.usesBoard) this.#execution.abort(reason);
      this.#restoreEnds?.abort(reason);
      if (this.#state.now.state === 'reserved') this.#restoring ??= 'identify';
      void this.#board.drop();
    }
    this.#kick();
  }

  /** Ends what runs and takes nothing more; resolves within 2.5 s and what it takes to keep the end. */
  async stop(): Promise<void> {
    this.#timer.watch(null);
    const reason = jobsError('service_stopped');
    this.#stopping.abort(reason);
    this.#execution?.abort(reason);
    this.#restoreEnds?.abort(reason);
    await this.requests.close();
    await this.#working;
    await this.#board.drop();
  }

  get #stopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  #publish(): void {
    this.#services.events.publish({ type: 'node', node: this.view() });
  }

  #kick(): void {
    const { state, session } = this.#state.now;
    // E.g. the reset of an expired session was cancelled: a reserved node belongs to a session.
    if (state === 'reserved' && session === null && !this.requests.resetting)
      this.#resetBySystem('the node is reserved without a session');
    if (this.#working !== null) return;
    const first = this.#task();
    if (first) this.#working = this.#work(first);
  }

  /** One thing after the other until there is nothing to do. */
  async #work(first: () => Promise<void>): Promise<void> {
    for (let task: (() => Promise<void>) | null = first; task; task = this.#task())
      await task().catch((err) => {
        this.#services.logger.fatal({ err, fpga_id: this.#fpgaId }, 'A node could not end what it was at.');
      });
    this.#working = null;
  }

  #task(): (() => Promise<void>) | null {
    if (this.#stopped) return null;
    const stored = this.requests.next();
    if (this.#state.now.state !== 'reserved') this.#restoring = null;
    // A reset needs no design on the board.
    if (this.#restoring && this.#board.view.present && stored?.job.type !== 'reset')
      return () => this.#restore();
    if (!stored) return null;
    return async () => {
      this.#execution = new Execution({
        stored,
        services: this.#services,
        state: this.#state,
        board: this.#board,
        stopping: this.#stopping.signal,
        pendingChange: (jobId) => this.requests.pendingChange(jobId),
      });
      try {
        await this.#execution.perform();
      } finally {
        this.#execution = null;
        this.prune();
      }
    };
  }

  async #restore(): Promise<void> {
    this.#restoreEnds = new AbortController();
    const failure = await restoreBoard({
      what: this.#restoring ?? 'identify',
      services: this.#services,
      node: this.#state.now,
      board: this.#board,
      signal: this.#restoreEnds.signal,
    });
    this.#restoreEnds = null;
    if (this.#stopped) return;
    // Away again: whoever comes back next is asked again.
    if (failure && !this.#board.view.present) return;
    this.#restoring = null;
    if (failure === null) return;
    const state = advance('reserved', 'board_failed');
    await this.#state.commit({ node: { state, error: failure, design: null } }, 'soon');
  }

  #expire(): void {
    const { store, clock } = this.#services;
    const { session } = this.#state.now;
    const renewed = store.bench.nodes[this.#fpgaId]?.session;
    if (renewed && timeLeft(renewed, clock.now()) > 0) {
      // By a run that is on its way to the disk: what comes of it is known in a moment.
      clock.after(RENEWAL_MS, () => this.#timer.watch(this.#state.now.session));
      return;
    }
    const owner = session?.owner ?? 'nobody';
    this.#services.logger.info({ fpga_id: this.#fpgaId, owner }, 'A session has expired; its node is reset.');
    void this.#state.commit({ node: { session: null } }, 'soon');
    this.#resetBySystem(`the session of ${owner} has expired`);
  }

  #resetBySystem(why: string): void {
    const { logger, clock } = this.#services;
    if (this.#systemReset) return;
    this.#systemReset = true;
    this.requests.reset('reset', SYSTEM, `reset by the service: ${why}`).then(
      () => {
        this.#systemReset = false;
      },
      (error) => {
        if (this.#stopped) return;
        const reason = failureOf(error).message;
        logger.warn({ fpga_id: this.#fpgaId, reason }, 'The service could not reset a node yet.');
        clock.after(RETRY_MS, () => {
          this.#systemReset = false;
          const { state } = this.#state.now;
          if (!this.#stopped && (state === 'reserved' || state === 'error')) this.#resetBySystem(why);
        });
      },
    );
  }
}
