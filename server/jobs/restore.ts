import type { Failure } from '../contract/diagnostics.ts';
import type { BenchError } from '../errors/bench-error.ts';
import { jobsError } from '../errors/jobs.ts';
import { advance } from '../nodes/machine.ts';
import type { NodeBoard } from '../nodes/node-board.ts';
import type { StoredNode } from '../store/index.ts';
import { failureOf } from './end.ts';
import type { NodeState } from './node-state.ts';
import type { Services } from './services.ts';

/** `program` after a restart of the service, `identify` when the board was away. */
type Need = 'program' | 'identify';

/** Why it ends where a reset takes its place. */
const WAY_GIVEN = jobsError('session_ended');

interface RestoreOptions {
  what: Need;
  services: Services;
  /** A reserved one. */
  node: StoredNode;
  board: NodeBoard;
  signal: AbortSignal;
}

/**
 * Makes sure that the board of a reserved node runs the session's design. Resolves with null, or with why it
 * does not; both are written into the log of the job that built the design.
 */
async function restoreBoard(options: RestoreOptions): Promise<Failure | null> {
  const { what, services, node, board, signal } = options;
  const { logs, logger, store } = services;
  const { design, fpga_id: fpgaId } = node;
  if (!design) return failureOf(jobsError('job_data_missing'));
  const log = await logs.reopen(fpgaId, design.job_id);
  log.start();
  try {
    board.checkPresent();
    const { definition, name } = board.view;
    if (definition !== design.board)
      throw jobsError('identity_mismatch', {
        message: `The design was built for ${design.board}, and ${name} is in the node’s slot now.`,
      });
    if (what === 'program') {
      log.line('program', 'the service was started again: programming the board with the session’s design');
      const bitstream = await store.jobFiles.readBitstream(design.build_id);
      if (!bitstream)
        throw jobsError('job_data_missing', { message: 'The session’s bitstream is not there any more.' });
      await board.program(bitstream, {
        log: (line) => log.line('program', line),
        progress: () => {},
        signal,
      });
    } else log.line('identify', 'the board was away and is back: asking it what it runs');
    const identity = await board.identify(design.build_id, signal);
    log.line('identify', `the board runs build ${identity.buildId}: the session goes on`);
    logger.info({ fpga_id: fpgaId, what }, 'The board of a session is in use again.');
    return null;
  } catch (error) {
    const failure = failureOf(error);
    if (signal.reason === WAY_GIVEN) {
      log.line(what, 'broken off: the node is being reset');
      return failure;
    }
    log.lastLine(what, `error: ${failure.message}`);
    logger.warn({ err: error, fpga_id: fpgaId, what }, 'The board of a session is lost.');
    return failure;
  } finally {
    await logs.close(design.job_id);
  }
}

/** What the board of a reserved node needs before the next transaction, and seeing to it. */
export class Restoration {
  readonly #services: Services;
  readonly #board: NodeBoard;
  readonly #state: () => NodeState;
  readonly #stopped: () => boolean;
  #needed: Need | null = null;
  #ends: AbortController | null = null;

  constructor(options: {
    services: Services;
    board: NodeBoard;
    state: () => NodeState;
    /** The node takes nothing more: what the board is like is not told of it. */
    stopped: () => boolean;
  }) {
    this.#services = options.services;
    this.#board = options.board;
    this.#state = options.state;
    this.#stopped = options.stopped;
  }

  /** The board cannot be used before `perform`. */
  get needed(): boolean {
    return this.#needed !== null;
  }

  /** The service was started again: the board gets the session's design. */
  program(): void {
    this.#needed = 'program';
  }

  /** The board was away: it is asked what it runs, unless it gets the design anyway. */
  identify(): void {
    this.#needed ??= 'identify';
  }

  /** The node has no session whose design the board could run. */
  forget(): void {
    this.#needed = null;
  }

  /** Ends what is under way. */
  abort(reason: BenchError): void {
    this.#ends?.abort(reason);
  }

  /** Ends what is under way for a reset, which needs no design on the board; one that is cancelled leaves it to be done. */
  giveWay(): void {
    this.#ends?.abort(WAY_GIVEN);
  }

  /** Sees to it; a node whose board does not run the session's design is in error then. */
  async perform(): Promise<void> {
    const what = this.#needed ?? 'identify';
    this.#ends = new AbortController();
    const { signal } = this.#ends;
    const failure = await restoreBoard({
      what,
      services: this.#services,
      node: this.#state().now,
      board: this.#board,
      signal,
    });
    this.#ends = null;
    if (this.#stopped()) return;
    // Still needed, if the reset is cancelled.
    if (failure && signal.reason === WAY_GIVEN) return;
    // Away again: whoever comes back next is asked again.
    if (failure && !this.#board.view.present) return;
    this.#needed = null;
    const state = this.#state();
    if (failure !== null) {
      const node = { state: advance('reserved', 'board_failed'), error: failure, design: null };
      await state.commit({ node }, 'soon');
    } else if (what === 'program') {
      const jobId = state.now.design?.job_id ?? null;
      await state.commit({ cause: { kind: 'restored', by: null, jobId } }, 'soon');
    }
  }
}
