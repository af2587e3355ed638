import { untilAborted } from '../abort.ts';
import type { Board, BoardPool } from '../boards/board.ts';
import { type Clock, pause } from '../clock.ts';
import type { BoardView } from '../contract/boards/boards.ts';
import type { BenchError } from '../errors/bench-error.ts';
import { boardsError } from '../errors/boards.ts';
import { jobsError } from '../errors/jobs.ts';
import { signalsError } from '../errors/signals.ts';
import { GATEWARE_VERSION } from '../toolchain/build/gateware.ts';
import type { Identity, WishboneLink } from '../wishbone/link.ts';

/** Boards and links have deadlines of their own. These end a job when a board misses those too. */
const PROGRAM_DEADLINE_MS = 300_000;
const TRANSFER_DEADLINE_MS = 300_000;
const OPEN_DEADLINE_MS = 30_000;
const CLOSE_DEADLINE_MS = 2_000;
/** Time limit for earlier, abandoned work: it ends when the board notices. */
const GIVEN_UP_DEADLINE_MS = 10_000;

/** Low 64 bits of a build id, as the identity block shows them. */
const lowBits = (buildId: string) => buildId.slice(-16);

/** The build id that the base bitstream shows. */
export const BASE_BUILD_ID = '0'.repeat(64);

export interface ProgramSteps {
  log(line: string): void;
  progress(fraction: number): void;
  signal: AbortSignal;
}

/** The error for work on a board that was removed or exchanged. */
export function vanishedBoard({ name, reason }: BoardView): BenchError {
  const message = `${name} was removed while it was in use${reason ? `: ${reason}` : '.'}`;
  return boardsError('board_vanished', { message });
}

/** The board in a node's slot and the link to it, which stays open while the node is reserved. */
export class NodeBoard {
  readonly #boards: Pick<BoardPool, 'board'>;
  readonly #slot: number;
  readonly #clock: Clock;
  #link: { board: Board; link: WishboneLink } | null = null;
  /** Resolves when the board's work ends, abandoned work included. */
  #doing: Promise<void> | null = null;

  constructor(boards: Pick<BoardPool, 'board'>, slot: number, clock: Clock) {
    this.#boards = boards;
    this.#slot = slot;
    this.#clock = clock;
  }

  /** The board in the slot at the moment of the call. */
  get board(): Board {
    return this.#boards.board(this.#slot);
  }

  get view(): BoardView {
    return this.board.view;
  }

  /** @throws board_absent with the board's own reason. */
  checkPresent(): void {
    const { present, reason, name } = this.view;
    if (!present)
      throw boardsError('board_absent', { message: `${name}: ${reason ?? 'it is not plugged in.'}` });
  }

  /** Configures the FPGA. @throws what the board throws, board_absent, program_deadline, the signal's reason. */
  async program(bitstream: Uint8Array, { log, progress, signal: outer }: ProgramSteps): Promise<void> {
    await this.drop();
    await this.#givenUp();
    this.checkPresent();
    await this.#within(
      PROGRAM_DEADLINE_MS,
      () => jobsError('program_deadline'),
      outer,
      (signal) => this.#does(this.board.program(bitstream, { log, progress, signal })),
    );
  }

  /**
   * Asks the board for its build id.
   * @throws identity_mismatch with the id found, and what the link throws when the board does not answer.
   */
  async identify(buildId: string, signal: AbortSignal): Promise<Identity> {
    const identity = await this.transfer(signal, (link) => link.identity());
    const wanted = lowBits(buildId);
    if (identity.buildId !== wanted || identity.version !== GATEWARE_VERSION) {
      throw jobsError('identity_mismatch', {
        message:
          `The board shows build ${identity.buildId} of gateware version ${identity.version}, ` +
          `not build ${wanted} of version ${GATEWARE_VERSION}.`,
      });
    }
    this.board.designReady?.();
    return identity;
  }

  /** Works over the link and opens it where necessary. After an error the link is opened again. */
  async transfer<T>(
    signal: AbortSignal,
    work: (link: WishboneLink, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    this.checkPresent();
    const { inside } = this.board;
    if (inside?.paused) throw signalsError('board_paused');
    const ending = new AbortController();
    const forward = () => ending.abort(signal.reason);
    if (signal.aborted) forward();
    signal.addEventListener('abort', forward, { once: true });
    // A clock that stops half-way would leave the link waiting for an answer.
    const endListening = inside?.onPaused(() => ending.abort(signalsError('board_paused')));
    try {
      const link = await this.#open(ending.signal);
      const late = () => jobsError('link_deadline');
      return await this.#within(TRANSFER_DEADLINE_MS, late, ending.signal, (both) => work(link, both));
    } catch (error) {
      await this.drop();
      throw error;
    } finally {
      endListening?.();
      signal.removeEventListener('abort', forward);
    }
  }

  /** Closes the link, if there is one. */
  async drop(): Promise<void> {
    const current = this.#link;
    this.#link = null;
    if (current) await this.#closed(current.link);
  }

  async #open(signal: AbortSignal): Promise<WishboneLink> {
    const board = this.board;
    if (this.#link?.board === board) return this.#link.link;
    await this.drop();
    const late = () =>
      jobsError('link_deadline', { message: 'The board’s serial port took too long to open.' });
    const link = await this.#within(OPEN_DEADLINE_MS, late, signal, async (ending) => {
      await this.#givenUp();
      ending.throwIfAborted();
      return this.#does(
        board.openLink().then(async (opened) => {
          // The caller has given up, and nothing else would close the link.
          if (ending.aborted) await this.#closed(opened);
          return opened;
        }),
      );
    });
    this.#link = { board, link };
    return link;
  }

  /** Records the board's work until it ends. */
  #does<T>(work: Promise<T>): Promise<T> {
    const ended = work
      .then(
        () => {},
        () => {},
      )
      .finally(() => {
        if (this.#doing === ended) this.#doing = null;
      });
    this.#doing = ended;
    return work;
  }

  /** A board does one thing at a time: wait for abandoned work, within a time limit. */
  async #givenUp(): Promise<void> {
    if (this.#doing) await Promise.race([this.#doing, pause(this.#clock, GIVEN_UP_DEADLINE_MS)]);
  }

  async #closed(link: WishboneLink): Promise<void> {
    // A link to a removed board may never close; treat it as closed.
    await Promise.race([link.close().catch(() => {}), pause(this.#clock, CLOSE_DEADLINE_MS)]);
  }

  /**
   * Waits for `work` until the signal fires or the time is over, even if the work ignores both. The work gets the
   * signal. A board may wrap its error; this throws the signal's own reason.
   */
  async #within<T>(
    milliseconds: number,
    late: () => BenchError,
    outer: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    outer.throwIfAborted();
    const ending = new AbortController();
    const { signal } = ending;
    const forward = () => ending.abort(outer.reason);
    outer.addEventListener('abort', forward, { once: true });
    const cancel = this.#clock.after(milliseconds, () => ending.abort(late()));
    try {
      return await untilAborted(work(signal), signal);
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      cancel();
      outer.removeEventListener('abort', forward);
    }
  }
}
