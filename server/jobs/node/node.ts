import type { BoardView } from '../../contract/boards/boards.ts';
import type { NodeView, Session } from '../../contract/nodes/nodes.ts';
import { jobsError } from '../../errors/jobs.ts';
import { LinkUse, type LinkWork } from '../../nodes/link-use.ts';
import { NodeBoard } from '../../nodes/node-board.ts';
import { SessionTimer } from '../../nodes/session.ts';
import type { StoredJob, StoredNode } from '../../store/index.ts';
import type { Ask, Command, Commit, Use } from '../commands.ts';
import { failureOf } from '../execution/end.ts';
import { Execution } from '../execution/execution.ts';
import { restoreBoard } from '../execution/restore.ts';
import type { Retention } from '../retention.ts';
import type { Services } from '../services.ts';
import { NodeState } from './node-state.ts';
import { reduce } from './reduce.ts';
import { waitingLine } from './requests.ts';
import { type Bench, type Effect, EMPTY_MEMORY, type Memory, type State } from './state.ts';
import { nodeView } from './view.ts';

/** Commands by which somebody uses a node. */
const ACCESSES: ReadonlySet<Command['kind']> = new Set([
  'submit',
  'replace',
  'place',
  'run',
  'use_session',
  'extend_session',
  'hand_over',
]);

/**
 * One node: an actor that takes one command at a time. `reduce` decides what a command does. The node makes the changes
 * through `NodeState.commit` and starts the effects, which answer with commands.
 */
export class Node {
  readonly fpgaId: number;
  readonly #services: Services;
  readonly #retention: Retention;
  readonly #onChange: () => void;
  readonly #state: NodeState;
  readonly #board: NodeBoard;
  readonly #bench: Bench;
  readonly #timer: SessionTimer;
  readonly #stopping = new AbortController();
  #memory: Memory = EMPTY_MEMORY;
  readonly #queue: Command[] = [];
  #taking = false;
  /** A notification of the pool is scheduled. */
  #notifying = false;
  #boardId: string;
  /** The last access by a user, monotonic ms. */
  #accessedAt: number;
  /** The session that the timer watches. */
  #timed: Session | null = null;
  readonly #executions = new Map<string, Execution>();
  #restoring: AbortController | null = null;
  /** Running effects, each of which answers with a command. */
  readonly #underWay = new Set<Promise<void>>();

  /** How each kind of effect starts. */
  readonly #effects: { readonly [K in Effect['kind']]: (effect: Extract<Effect, { kind: K }>) => void } = {
    answer: ({ reply, value }) => reply.resolve(value),
    refuse: ({ reply, error }) => reply.reject(error),
    retake: ({ command }) => this.#queue.push(command),
    later: ({ ms, command }) => this.#services.clock.after(ms, () => this.#dispatch(command)),
    remove_files: ({ jobId }) => this.#await(this.#removeFiles(jobId)),
    log: ({ jobId, line }) => this.#services.logs.log(this.fpgaId, jobId).line('queue', line),
    archive: ({ stored, line }) => this.#archive(stored, line),
    work: ({ stored }) => this.#await(this.#work(stored)),
    abort_job: ({ jobId, reason }) => this.#executions.get(jobId)?.abort(reason),
    restore: ({ need }) => this.#await(this.#restore(need)),
    abort_restore: ({ reason }) => this.#restoring?.abort(reason),
    use_link: ({ use, holder }) =>
      this.#await(use.perform(this.#board, holder).then(() => ({ kind: 'link_left', use }))),
    want_link: ({ use }) => use.want(),
    abort_link: ({ use, reason }) => use.abort(reason),
    drop_link: () => void this.#board.drop(),
    publish: () => this.#publish(),
    note: ({ level, facts, message }) => this.#services.logger[level](facts, message),
  };

  /** @param onChange called after every change of the node that callers see */
  constructor(node: StoredNode, services: Services, retention: Retention, onChange: () => void) {
    const { clock, settings, jobs, store, newId } = services;
    this.fpgaId = node.fpga_id;
    this.#services = services;
    this.#retention = retention;
    this.#onChange = onChange;
    this.#board = new NodeBoard(services.boards, node.fpga_id, clock);
    this.#boardId = this.#board.view.id;
    this.#accessedAt = clock.monotonic();
    this.#state = new NodeState(node, services);
    this.#bench = {
      clock,
      settings,
      hasFarm: services.toolchain.farm !== undefined,
      newId,
      lastSeq: () => store.bench.seq,
      newSeq: () => ++store.bench.seq,
      job: (jobId) => jobs.get(jobId, this.fpgaId),
      unended: (owner) => jobs.unended(owner, settings.queuedPerOwner),
      sessionLimitMs: (owner) => services.shares.sessionLimitMs(this.fpgaId, owner),
      requireSpace: () => store.space.demand(),
    };
    this.#timer = new SessionTimer(clock, {
      expired: (session) => this.#dispatch({ kind: 'session_expired', session }),
      drifted: (session, left) => this.#dispatch({ kind: 'session_drifted', session, left }),
    });
  }

  view(): NodeView {
    return nodeView(this.#current, this.#services.jobs, this.#board.view);
  }

  /** The job that built the design on the board. */
  get designJob(): string | null {
    return this.#state.now.design?.job_id ?? null;
  }

  /** Whether a waiting job may come here: the node is idle, its board is present, and no job is on its way. */
  get free(): boolean {
    const { closed, arriving } = this.#memory;
    const idle = this.#state.now.state === 'idle' && arriving.length === 0;
    return !closed && idle && this.#board.view.present;
  }

  /** Who holds it or builds for it; null while it is idle. */
  get holder(): string | null {
    const build = [
      ...this.#services.jobs.active(this.fpgaId),
      ...this.#memory.arriving.map(({ stored }) => stored),
    ];
    const owner = build.find(({ job }) => job.type === 'build_and_program' && !job.replaces)?.job.owner;
    return this.#state.now.session?.owner ?? owner ?? null;
  }

  /** Milliseconds since the last access by a user. */
  get idleMs(): number {
    return this.#services.clock.monotonic() - this.#accessedAt;
  }

  /** When the last job ended here, ISO 8601; null where none is known. */
  get lastUsed(): string | null {
    const { jobs } = this.#services;
    const last = jobs.last(this.fpgaId);
    return last === null ? null : jobs.get(last).job.updated_at;
  }

  /** @param restore its board needs the session's design again @param reset why the service must reset it */
  start(restore = false, reset?: string): void {
    this.#watchSession();
    this.#dispatch({ kind: 'start', restore, reset });
  }

  /** Asks the node. @throws the error of a refusal. */
  readonly ask: Ask = (question) =>
    new Promise((resolve, reject) => {
      this.#dispatch({ ...question, reply: { resolve, reject } } as Command);
    });

  /** Tells the node what has no answer. */
  tell(use: Use): void {
    this.#dispatch(use);
  }

  /**
   * Uses the board's link for the session that holds the node, between two jobs.
   * @throws fpga_not_reserved when that session no longer holds the node, service_stopping, and what the link throws.
   */
  async overLink<T>(sessionId: string, work: LinkWork<T>): Promise<T> {
    const use = new LinkUse(sessionId, work);
    this.#dispatch({ kind: 'use_link', use });
    return await use.result;
  }

  /** Removes ended jobs beyond the limits. */
  prune(): void {
    this.#retention.prune(this.fpgaId);
  }

  /** The board in the slot was added, removed or exchanged. */
  boardChanged(view: BoardView): void {
    this.#services.events.publish({ type: 'board', board: view });
    const exchanged = view.id !== this.#boardId;
    this.#boardId = view.id;
    this.#dispatch({ kind: 'board_changed', view, exchanged });
  }

  /** Stops running work and takes no more commands; resolves within 2.5 s plus the time to store the ends. */
  async stop(): Promise<void> {
    this.#timer.watch(null);
    this.#stopping.abort(jobsError('service_stopped'));
    this.#dispatch({ kind: 'stop' });
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
    await this.#board.drop();
  }

  get #current(): State {
    return {
      node: this.#state.now,
      staged: this.#state.staged,
      jobs: this.#services.jobs.active(this.fpgaId),
      boardPresent: this.#board.view.present,
      memory: this.#memory,
    };
  }

  /** Takes a command and everything that follows from it; a command that arrives meanwhile waits. */
  #dispatch(command: Command): void {
    this.#queue.push(command);
    if (this.#taking) return;
    this.#taking = true;
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) this.#take(next);
    this.#taking = false;
  }

  #take(command: Command): void {
    try {
      const { memory, changes, effects } = reduce(this.#current, command, this.#bench);
      if (ACCESSES.has(command.kind)) this.#accessedAt = this.#services.clock.monotonic();
      const changed = memory !== this.#memory || changes.length > 0;
      this.#memory = memory;
      for (const commit of changes) this.#commit(commit);
      for (const effect of effects) (this.#effects[effect.kind] as (effect: Effect) => void)(effect);
      if (changed || command.kind !== 'consider') this.#queue.push({ kind: 'consider' });
    } catch (error) {
      if ('reply' in command) command.reply.reject(error);
      else this.#fault(error);
    }
  }

  #commit(commit: Commit): void {
    const { change, kind, purpose, upload } = commit;
    const { expected } = this.#services.jobs;
    if (purpose.kind === 'arrival') expected.add(purpose.jobId);
    const settled = (refused: { error: unknown } | null): Command => {
      if (purpose.kind === 'arrival') expected.delete(purpose.jobId);
      return { kind: 'settled', purpose, refused };
    };
    const shown = (changed: boolean): Command => {
      this.#shown(changed);
      return settled(null);
    };
    const make = () => this.#state.commit(change, kind);
    const made = upload || change.placed ? this.#writeFiles(commit).then(make) : make();
    if (typeof made === 'boolean') this.#queue.push(shown(made));
    else this.#await(made.then(shown, (error: unknown) => settled({ error })));
  }

  /** Waits for an effect and takes its command. */
  #await(work: Promise<Command | null>): void {
    const done = work
      .then((command) => command && this.#dispatch(command))
      .catch((error: unknown) => this.#fault(error))
      .then(() => void this.#underWay.delete(done));
    this.#underWay.add(done);
  }

  #shown(changed: boolean): void {
    this.#watchSession();
    if (changed) this.#publish();
  }

  #publish(): void {
    this.#services.events.publish({ type: 'node', node: this.view() });
    if (this.#notifying) return;
    this.#notifying = true;
    // A microtask, so that the notification never interrupts another caller.
    queueMicrotask(() => {
      this.#notifying = false;
      this.#onChange();
    });
  }

  /** Points the timer at the node's present session. */
  #watchSession(): void {
    const { session, lease, state } = this.#state.now;
    const { holds, shares } = this.#services;
    holds.observe(this.fpgaId, state === 'idle');
    // A replacement continues the session of its owner while it has the board.
    const heir = state === 'programming' ? this.#memory.replacement?.heir : null;
    const owner = session?.owner ?? heir ?? null;
    shares.sessionChanged(this.fpgaId, owner, owner ?? this.holder);
    if (session === this.#timed || this.#memory.closed) return;
    if (session?.session_id !== this.#timed?.session_id) this.#accessedAt = this.#services.clock.monotonic();
    this.#timed = session;
    this.#timer.watch(lease ? session : null, lease?.left_ms);
  }

  #fault(err: unknown): void {
    this.#services.logger.fatal({ err, fpga_id: this.fpgaId }, 'A node could not finish its current work.');
  }

  #archive(stored: StoredJob, line: string): void {
    const { jobs, logs } = this.#services;
    const { job_id: jobId } = stored.job;
    jobs.archive(stored).catch(() => {});
    logs.log(this.fpgaId, jobId).lastLine('queue', line);
    void logs.close(jobId);
  }

  /** Writes the file of a new job, or moves the files of one that had no node. @throws store_unavailable. */
  async #writeFiles({ change: { job, placed }, upload }: Commit): Promise<void> {
    const { job_id: jobId, created_at } = (job as StoredJob).job;
    const { store, logs, clock } = this.#services;
    if (upload) await store.jobFiles.write(this.fpgaId, jobId, upload.name, upload.contents);
    if (!placed) return;
    await store.jobFiles.place(this.fpgaId, jobId);
    const log = logs.log(this.fpgaId, jobId);
    log.line('queue', waitingLine(placed.job.waiting_for));
    const seconds = Math.max(0, clock.now() - Date.parse(created_at)) / 1000;
    log.line('queue', `node ${this.fpgaId} is idle: it takes the job after ${seconds.toFixed(1)} s`);
  }

  async #removeFiles(jobId: string): Promise<null> {
    const { logs, store } = this.#services;
    await logs.forget(jobId);
    await store.jobFiles.removeJob(this.fpgaId, jobId).catch(() => {});
    return null;
  }

  async #work(stored: StoredJob): Promise<Command> {
    const { job_id: jobId, replaces = false } = stored.job;
    const execution = new Execution({
      stored,
      services: this.#services,
      node: this.#state,
      board: this.#board,
      stopping: this.#stopping.signal,
      ask: this.ask,
    });
    this.#executions.set(jobId, execution);
    try {
      await execution.perform();
      this.prune();
      if (!replaces) await this.#retention.room();
    } catch (error) {
      this.#fault(error);
    }
    this.#executions.delete(jobId);
    return { kind: 'job_left', jobId };
  }

  async #restore(need: 'program' | 'identify'): Promise<Command> {
    const ends = new AbortController();
    this.#restoring = ends;
    const failure = await restoreBoard({
      need,
      services: this.#services,
      node: this.#state.now,
      board: this.#board,
      signal: ends.signal,
    }).catch(failureOf);
    this.#restoring = null;
    return { kind: 'restored', failure };
  }
}
