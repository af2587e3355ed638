import type { BenchError } from '../errors/bench-error.ts';
import { jobsError } from '../errors/jobs.ts';
import type { StoredJob, StoredNode } from '../store/index.ts';

/** The place in line for the board of a job that has been built beside others. */
export interface BoardTurn {
  /** Resolves when the board is the job's, until the job ends; rejects with the signal's reason. */
  take(signal: AbortSignal): Promise<void>;
}

/** A job that is being worked at. */
export interface Work {
  readonly jobId: string;
  perform(): Promise<void>;
  abort(reason?: BenchError): void;
}

class Turn implements BoardTurn {
  wanted = false;
  given = false;
  #give: () => void = () => {};
  readonly #onWanted: () => void;

  constructor(onWanted: () => void) {
    this.#onWanted = onWanted;
  }

  take(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      this.#give = resolve;
      this.wanted = true;
      this.#onWanted();
    });
  }

  give(): void {
    this.given = true;
    this.#give();
  }
}

/**
 * The builds of a node that go on beside its session, to take its place: one at a time and beside the node's other
 * jobs until it is built; then it waits for a turn among them.
 */
export class Replacements<T extends Work> {
  readonly #next: () => StoredJob | undefined;
  readonly #begin: (stored: StoredJob, turn: BoardTurn) => T;
  readonly #objection: (jobId: string) => BenchError | null;
  readonly #onReady: () => void;
  readonly #onEnded: (fault: unknown) => void;
  #work: { execution: T; turn: Turn; ended: Promise<void> } | null = null;

  constructor(options: {
    /** The first of them that has not ended. */
    next: () => StoredJob | undefined;
    begin: (stored: StoredJob, turn: BoardTurn) => T;
    /** Why such a job cannot go on any more; null while it can. */
    objection: (jobId: string) => BenchError | null;
    /** Told when one is built and waits for its turn. */
    ready: () => void;
    /** Told when one has ended, with the fault that kept it from ending properly, or null. */
    ended: (fault: unknown) => void;
  }) {
    this.#next = options.next;
    this.#begin = options.begin;
    this.#objection = options.objection;
    this.#onReady = options.ready;
    this.#onEnded = options.ended;
  }

  /** The one that is being worked at. */
  get execution(): T | null {
    return this.#work?.execution ?? null;
  }

  /** One is built and waits for the board, or has it. */
  get yielding(): boolean {
    return this.#work?.turn.wanted ?? false;
  }

  /** Begins the next one where none is being worked at, and ends what cannot go on. Called whenever something changed. */
  consider(): void {
    if (this.#work) {
      const { execution, turn } = this.#work;
      const objection = turn.given ? null : this.#objection(execution.jobId);
      if (objection) execution.abort(objection);
      return;
    }
    const stored = this.#next();
    if (!stored) return;
    const turn = new Turn(this.#onReady);
    const execution = this.#begin(stored, turn);
    const objection = this.#objection(execution.jobId);
    if (objection) execution.abort(objection);
    // Known before it begins: what it changes is looked at from here again.
    const work = { execution, turn, ended: Promise.resolve() };
    this.#work = work;
    work.ended = execution.perform().then(
      () => this.#left(null),
      (fault: unknown) => this.#left(fault),
    );
  }

  #left(fault: unknown): void {
    this.#work = null;
    this.#onEnded(fault);
  }

  /** Gives the board to the one that waits for it; resolves when its job has ended. */
  async giveTurn(): Promise<void> {
    const work = this.#work;
    if (!work) return;
    work.turn.give();
    await work.ended;
  }

  /** Resolves when what is being worked at has ended. */
  async settled(): Promise<void> {
    await this.#work?.ended;
  }
}

/**
 * Why a node has no session left whose place a design could take; null while it has one.
 * @param facts who is about to reset the node, and whether the design was submitted by who held the session before
 */
export function noSessionLeft(
  { state, session, error, fpga_id: id }: StoredNode,
  { resetBy, outdated }: { resetBy: string | null; outdated: boolean },
): BenchError | null {
  if (state === 'error')
    return jobsError('session_ended', {
      message: `Node ${id} is in error and has to be reset first${error ? `: ${error.message}` : '.'}`,
    });
  if (resetBy !== null)
    return jobsError('session_ended', {
      message: `${resetBy} gave node ${id} back or reset it: there is no session left to take the place of.`,
    });
  if (session === null)
    return jobsError('session_ended', {
      message: `The session of node ${id} has ended: there is none left to take the place of.`,
    });
  if (outdated)
    return jobsError('session_handed_over', {
      message: `The session of node ${id} was handed over to ${session.owner}, who keeps its design.`,
    });
  return null;
}
