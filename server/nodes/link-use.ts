import { BenchError } from '../errors/bench-error.ts';
import { jobsError } from '../errors/jobs.ts';
import type { WishboneLink } from '../wishbone/link.ts';
import type { NodeBoard } from './node-board.ts';

/** A turn at the link. A long user of the link learns here that something else waits for it. */
export interface LinkTurn {
  readonly wanted: boolean;
  /** Called once; at once where something waits already. */
  onWanted(listener: () => void): void;
}

/** Work over the link to a board; it ends when its signal fires, whose reason is a BenchError. */
export type LinkWork<T> = (link: WishboneLink, signal: AbortSignal, turn: LinkTurn) => Promise<T>;

/** A link use that waits for its turn or has it, with any result type. */
export type PendingLinkUse = Pick<LinkUse<unknown>, 'perform' | 'abort' | 'want'>;

/** A use of the link other than by a job. It runs between two jobs, for the session that holds the node. */
export class LinkUse<T> implements LinkTurn {
  wanted = false;
  #onWanted: () => void = () => {};
  readonly result: Promise<T>;
  readonly #sessionId: string;
  readonly #work: LinkWork<T>;
  readonly #ends = new AbortController();
  #resolve: (value: T) => void = () => {};
  #reject: (reason: unknown) => void = () => {};

  constructor(sessionId: string, work: LinkWork<T>) {
    this.#sessionId = sessionId;
    this.#work = work;
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // It may fail before a caller awaits it.
    this.result.catch(() => {});
  }

  onWanted(listener: () => void): void {
    if (this.wanted) listener();
    else this.#onWanted = listener;
  }

  /** Something else waits for the node. */
  want(): void {
    if (this.wanted) return;
    this.wanted = true;
    this.#onWanted();
  }

  /** Ends the use, whether it has begun or not. */
  abort(reason: BenchError): void {
    this.#ends.abort(reason);
    this.#reject(reason);
  }

  /**
   * Runs the work in its turn. Never rejects: `result` has the outcome. @param holder the session of a reserved node,
   * else null
   */
  async perform(board: NodeBoard, holder: string | null): Promise<void> {
    const { signal } = this.#ends;
    try {
      signal.throwIfAborted();
      if (holder !== this.#sessionId)
        throw jobsError('fpga_not_reserved', { message: 'The session of this link use has ended.' });
      this.#resolve(await board.transfer(signal, (link, both) => this.#work(link, both, this)));
    } catch (error) {
      this.#reject(signal.aborted && signal.reason instanceof BenchError ? signal.reason : error);
    }
  }
}
