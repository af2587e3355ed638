import type { BoardView } from '../contract/boards.ts';
import { hasEnded } from '../contract/jobs.ts';
import type { NodeView } from '../contract/nodes.ts';
import type { BenchError } from '../errors/bench-error.ts';
import { jobsError } from '../errors/jobs.ts';
import { NodeBoard } from '../nodes/node-board.ts';
import type { StoredJob, StoredNode } from '../store/index.ts';
import { Control } from './control.ts';
import { failureOf } from './end.ts';
import { Execution } from './execution.ts';
import { LinkUse, type LinkWork, type PendingLinkUse } from './link-use.ts';
import { NodeState } from './node-state.ts';
import type { NodeStart } from './recovery.ts';
import { type BoardTurn, noSessionLeft, Replacements } from './replacement.ts';
import { Requests, SYSTEM } from './requests.ts';
import { Restoration } from './restore.ts';
import type { Retention } from './retention.ts';
import type { Services } from './services.ts';
import { SessionLife } from './session-life.ts';
import { stopBuild } from './stop.ts';

/** Between attempts to enqueue the service's own reset while the store cannot write. */
const RETRY_MS = 5000;

/**
 * One node: its jobs run one at a time in the order of their acceptance, its state changes only through the state
 * machine, and every change goes through `NodeState.commit`.
 */
export class Node {
  readonly fpgaId: number;
  readonly requests: Requests;
  readonly control: Control;
  readonly #services: Services;
  readonly #retention: Retention;
  readonly #onChange: () => void;
  readonly #state: NodeState;
  readonly #board: NodeBoard;
  readonly #session: SessionLife;
  readonly #stopping = new AbortController();
  #boardId: string;
  readonly #restoration: Restoration;
  #execution: Execution | null = null;
  /** Builds that go on beside the session. */
  readonly #replacements: Replacements<Execution>;
  /** Work over the link that is no job, in the order in which it was asked for; the first may be at it. */
  readonly #linkUses: PendingLinkUse[] = [];
  /** The last turn was one at the link: the next is a job's, if one waits. */
  #usedLink = false;
  /** The worker, while there is something to do. */
  #working: Promise<void> | null = null;
  /** A reset by the service is on its way, or waits to be tried again. */
  #systemReset = false;

  /** @param onChange told after every change of the node that callers see */
  constructor(node: StoredNode, services: Services, retention: Retention, onChange: () => void) {
    this.fpgaId = node.fpga_id;
    this.#services = services;
    this.#retention = retention;
    this.#onChange = onChange;
    this.#board = new NodeBoard(services.boards, node.fpga_id, services.clock);
    this.#boardId = this.#board.view.id;
    this.#restoration = new Restoration({
      services,
      board: this.#board,
      state: () => this.#state,
      stopped: () => this.#stopped,
    });
    this.#session = new SessionLife({
      fpgaId: node.fpga_id,
      services,
      state: () => this.#state,
      stopped: () => this.#stopped,
      ended: () => this.control.sessionEnded(),
      reset: (why) => this.#resetBySystem(why),
    });
    this.#state = new NodeState({
      store: services.store,
      jobs: services.jobs,
      node,
      publish: () => this.#publish(),
      happenings: services.happenings,
      transactions: () => services.transactions(node.fpga_id),
      watch: () => this.#session.watch(),
    });

    this.control = new Control({
      services,
      state: this.#state,
      resetting: () => this.requests.resetting,
      changed: () => this.#publish(),
    });
    this.requests = new Requests({
      services,
      state: this.#state,
      settled: (cancelled) => {
        for (const execution of this.#executions) if (execution.jobId === cancelled) execution.abort();
        this.#kick();
      },
      yielding: () => this.#yields,
    });
    this.#replacements = new Replacements({
      next: () => (this.#stopped ? undefined : this.requests.replacements[0]),
      begin: (stored, turn) => this.#perform(stored, turn),
      objection: (jobId) => this.#objection(jobId),
      ready: () => this.#kick(),
      ended: (fault) => {
        if (fault !== null) this.#fault(fault);
        this.prune();
        this.#kick();
      },
    });
  }

  view(): NodeView {
    const { jobs } = this.#services;
    const { fpga_id, state, session, error, design } = this.#state.now;
    // What builds beside the session is nothing that the node is at until it has the board.
    const active = jobs.active(this.fpgaId).filter(({ job }) => !job.replaces || state === 'programming');
    return {
      fpga_id,
      state,
      session,
      error,
      design: design && {
        filename: design.filename,
        build_id: design.build_id,
        module: design.module,
        design_id: design.design_id ?? null,
      },
      current_job_id: active[0]?.job.job_id ?? null,
      resetting: this.requests.resetting,
      board: this.#board.view,
      last_job_id: jobs.last(this.fpgaId),
      last_build: jobs.lastBuild(this.fpgaId),
      asking: this.control.asking,
      replacement: this.requests.replacements.at(-1)?.job.job_id ?? null,
    };
  }

  /** The job that built the design on the board. */
  get designJob(): string | null {
    return this.#state.now.design?.job_id ?? null;
  }

  /** Whether a job that waits for a node may come here now. */
  get free(): boolean {
    return !this.#stopped && this.requests.free && this.#board.view.present;
  }

  /** When the last job ended here, ISO 8601; null for none that is known. */
  get lastUsed(): string | null {
    const { jobs } = this.#services;
    const last = jobs.last(this.fpgaId);
    return last === null ? null : jobs.get(last).job.updated_at;
  }

  start({ restore, reset }: NodeStart): void {
    if (restore) this.#restoration.program();
    if (reset !== null && !this.requests.resetting) this.#resetBySystem(reset);
    this.#session.watch();
    this.#kick();
  }

  /**
   * Gives the session a new id; resolves when it is on disk.
   * @throws store_unavailable.
   */
  async renewSessionId(): Promise<void> {
    await this.#session.renewId();
  }

  /**
   * Does something over the board's link that is no job, for the session that holds the node: in its turn between two
   * jobs, so that neither disturbs the other.
   * @throws fpga_not_reserved when that session holds it no longer, service_stopping, and what the link throws.
   */
  overLink<T>(sessionId: string, work: LinkWork<T>): Promise<T> {
    if (this.#stopped) throw jobsError('service_stopping');
    const use = new LinkUse(sessionId, work);
    this.#linkUses.push(use);
    this.#kick();
    return use.result;
  }

  /** Something that is no job has used the session: it ends a whole lifetime after that, like after a run. */
  renewSession(sessionId: string): void {
    this.#session.use(sessionId);
  }

  /**
   * Tells a build of this node that runs to end.
   * @throws job_not_found, job_not_stoppable
   */
  stopBuild(jobId: string, by: string): void {
    const { job } = this.#services.jobs.get(jobId, this.fpgaId);
    stopBuild(
      job,
      this.#executions.find((one) => one.jobId === jobId),
      by,
    );
  }

  /** Removes ended jobs beyond the limits. */
  prune(): void {
    this.#retention.prune(this.fpgaId);
  }

  /** The board in the slot has come, gone or been exchanged. */
  boardChanged(view: BoardView): void {
    this.#services.events.publish({ type: 'board', board: view });
    this.#publish();
    const exchanged = view.id !== this.#boardId;
    this.#boardId = view.id;
    if (!view.present || exchanged) {
      const reason = this.#board.vanished();
      for (const execution of this.#executions) if (execution.usesBoard) execution.abort(reason);
      this.#restoration.abort(reason);
      this.#endLinkUses(reason);
      if (this.#state.now.state === 'reserved') this.#restoration.identify();
      void this.#board.drop();
    }
    this.#kick();
  }

  /** Ends what runs and takes nothing more; resolves within 2.5 s and what it takes to keep the end. */
  async stop(): Promise<void> {
    this.#session.close();
    const reason = jobsError('service_stopped');
    this.#stopping.abort(reason);
    for (const execution of this.#executions) execution.abort(reason);
    this.#restoration.abort(reason);
    this.#endLinkUses(reason);
    await this.requests.close();
    await this.#replacements.settled();
    await this.#working;
    await this.#board.drop();
  }

  get #stopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  #publish(): void {
    this.#services.events.publish({ type: 'node', node: this.view() });
    this.#onChange();
    if (this.#state.now.state !== 'reserved') this.#restoration.forget();
    this.#replacements.consider();
  }

  /** A design is built and takes the session's place as soon as nothing is before it. */
  get #yields(): boolean {
    const { execution, yielding } = this.#replacements;
    return yielding && execution !== null && !hasEnded(this.#services.jobs.get(execution.jobId).job.status);
  }

  /** The jobs that are being worked at: the node's own, and one that is built beside it. */
  get #executions(): Execution[] {
    return [this.#execution, this.#replacements.execution].filter((one) => one !== null);
  }

  /** Why a design cannot take the place of the session any more. */
  #objection(jobId: string): BenchError | null {
    if (this.#stopped) return jobsError('service_stopped');
    const stored = this.#services.jobs.get(jobId);
    const newest = this.requests.replacements.at(-1);
    if (newest && newest.seq > stored.seq) return jobsError('replaced_by_newer');
    return noSessionLeft(this.#state.now, {
      resetBy: this.requests.resetBy,
      outdated: this.control.outdated(stored),
    });
  }

  #kick(): void {
    const { state, session } = this.#state.now;
    // E.g. the reset of an expired session was cancelled: a reserved node belongs to a session.
    if (state === 'reserved' && session === null && !this.requests.resetting)
      this.#resetBySystem('the node is reserved without a session');
    this.#replacements.consider();
    if (this.#working !== null) {
      if (this.requests.next()?.job.type === 'reset') this.#restoration.giveWay();
      if (this.#linkUses.length > 1 || this.requests.next()) this.#linkUses[0]?.want();
      return;
    }
    const first = this.#task();
    if (first) this.#working = this.#work(first);
  }

  /** One thing after the other until there is nothing to do. */
  async #work(first: () => Promise<void>): Promise<void> {
    for (let task: (() => Promise<void>) | null = first; task; task = this.#task())
      await task().catch((error) => this.#fault(error));
    this.#working = null;
  }

  #fault(err: unknown): void {
    this.#services.logger.fatal({ err, fpga_id: this.fpgaId }, 'A node could not end what it was at.');
  }

  #task(): (() => Promise<void>) | null {
    if (this.#stopped) return null;
    const stored = this.requests.next();
    const swaps = this.#yields && !stored && !this.requests.arriving;
    // Neither a reset nor a replacement needs a design on the board.
    if (this.#restoration.needed && this.#board.view.present && stored?.job.type !== 'reset' && !swaps)
      return () => this.#restoration.perform();
    const [use] = this.#linkUses;
    const usedLink = this.#usedLink;
    this.#usedLink = false;
    if (use && !(usedLink && (stored || swaps))) {
      this.#usedLink = true;
      if (stored || swaps || this.#linkUses.length > 1) use.want();
      return () => this.#performLinkUse(use);
    }
    if (swaps) return () => this.#replacements.giveTurn();
    if (!stored) return null;
    return async () => {
      this.#execution = this.#perform(stored);
      try {
        await this.#execution.perform();
      } finally {
        this.#execution = null;
        this.prune();
        await this.#retention.room();
      }
    };
  }

  /** @param turn of a job that is built beside the session */
  #perform(stored: StoredJob, turn?: BoardTurn): Execution {
    return new Execution({
      stored,
      services: this.#services,
      state: this.#state,
      board: this.#board,
      ...(turn && { turn }),
      stopping: this.#stopping.signal,
      pendingChange: (jobId) => this.requests.pendingChange(jobId),
    });
  }

  async #performLinkUse(use: PendingLinkUse): Promise<void> {
    const { state, session } = this.#state.now;
    const held = state === 'reserved' && !this.requests.resetting;
    await use.perform(this.#board, held ? (session?.session_id ?? null) : null);
    const at = this.#linkUses.indexOf(use);
    if (at >= 0) this.#linkUses.splice(at, 1);
  }

  #endLinkUses(reason: BenchError): void {
    for (const use of this.#linkUses.splice(0)) use.abort(reason);
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
        logger.warn({ fpga_id: this.fpgaId, reason }, 'The service could not reset a node yet.');
        clock.after(RETRY_MS, () => {
          this.#systemReset = false;
          const { state } = this.#state.now;
          if (!this.#stopped && (state === 'reserved' || state === 'error')) this.#resetBySystem(why);
        });
      },
    );
  }
}
