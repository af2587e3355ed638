import type { BoardView } from '../contract/boards.ts';
import type { Board, BoardPool } from '../boards/board.ts';
import type { Clock } from '../clock.ts';
import type { BenchError } from '../errors/bench-error.ts';
import { boardsError } from '../errors/boards.ts';
import { jobsError } from '../errors/jobs.ts';
import { GATEWARE_VERSION } from '../toolchain/gateware.ts';
import type { Identity, WishboneLink } from '../wishbone/link.ts';

/** Boards and links have deadlines of their own; these end a job whose board has lost even those. */
const PROGRAM_DEADLINE_MS = 300_000;
const TRANSFER_DEADLINE_MS = 300_000;
const OPEN_DEADLINE_MS = 30_000;

/** Low 64 bits of a build id, as the identity block shows them. */
const lowBits = (buildId: string) => buildId.slice(-16);

/** What the base bitstream shows instead of a build. */
export const BASE_BUILD_ID = '0'.repeat(64);

export interface ProgramSteps {
  log(line: string): void;
  progress(fraction: number): void;
  signal: AbortSignal;
}

/** The board in a node's slot and the link to it, which stays open while the node is reserved. */
export class NodeBoard {
  readonly #boards: BoardPool;
  readonly #slot: number;
  readonly #clock: Clock;
  #link: { board: Board; link: WishboneLink } | null = null;

  constructor(boards: BoardPool, slot: number, clock: Clock) {
    this.#boards = boards;
    this.#slot = slot;
    this.#clock = clock;
  }

  /** The board that is in the slot at the moment. */
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

  /** Why the job that uses the board has to end, now that the board is away or another one. */
  vanished(): BenchError {
    const { name, reason } = this.view;
    const message = `${name} was taken away while it was in use${reason ? `: ${reason}` : '.'}`;
    return boardsError('board_vanished', { message });
  }

  /** Configures the FPGA. @throws what the board throws, board_absent, program_deadline, the signal's reason. */
  async program(bitstream: Uint8Array, steps: ProgramSteps): Promise<void> {
    await this.drop();
    this.checkPresent();
    const ending = new AbortController();
    const signal = AbortSignal.any([steps.signal, ending.signal]);
    const late = jobsError('program_deadline');
    await this.#bounded(PROGRAM_DEADLINE_MS, late, steps.signal, ending, () =>
      this.board.program(bitstream, { log: steps.log, progress: steps.progress, signal }),
    );
  }

  /**
   * Asks the board what it runs.
   * @throws identity_mismatch with what was found, and what the link throws when the board does not answer.
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
    return identity;
  }

  /** Does something over the link, opening it where it is not. After an error the link is opened anew. */
  async transfer<T>(
    signal: AbortSignal,
    work: (link: WishboneLink, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    this.checkPresent();
    const ending = new AbortController();
    const both = AbortSignal.any([signal, ending.signal]);
    try {
      const link = await this.#open(signal);
      return await this.#bounded(TRANSFER_DEADLINE_MS, jobsError('link_deadline'), signal, ending, () =>
        work(link, both),
      );
    } catch (error) {
      await this.drop();
      throw error;
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
    const ending = new AbortController();
    const late = jobsError('link_deadline', { message: 'The board’s serial port took too long to open.' });
    const link = await this.#bounded(OPEN_DEADLINE_MS, late, signal, ending, async () => {
      const opened = await board.openLink();
      // Too late for the one who asked: nobody else would close it.
      if (ending.signal.aborted) void this.#closed(opened);
      return opened;
    });
    this.#link = { board, link };
    return link;
  }

  async #closed(link: WishboneLink): Promise<void> {
    // A link that cannot be closed any more, for its board is gone, is as good as closed.
    await Promise.race([
      link.close().catch(() => {}),
      new Promise<void>((resolve) => this.#clock.after(2000, resolve)),
    ]);
  }

  /** Ends waiting for `work` when the signal fires or the time is over, even where the work does not notice. */
  #bounded<T>(
    milliseconds: number,
    late: BenchError,
    signal: AbortSignal,
    ending: AbortController,
    work: () => Promise<T>,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const give = (reason: unknown) => {
        ending.abort(reason);
        settle();
        reject(reason);
      };
      const onAbort = () => give(signal.reason);
      const cancel = this.#clock.after(milliseconds, () => give(late));
      const settle = () => {
        cancel();
        signal.removeEventListener('abort', onAbort);
      };
      if (signal.aborted) return onAbort();
      signal.addEventListener('abort', onAbort);
      work().then(
        (value) => {
          settle();
          resolve(value);
        },
        (error) => {
          settle();
          // A board that reports its end as one of the signal's may wrap it: the signal's reason is exact.
          reject(signal.aborted ? signal.reason : error);
        },
      );
    });
  }
}
