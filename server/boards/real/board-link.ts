import { boardsError } from '../../errors/boards.ts';
import type { Identity, TransferOptions, TransferResult, WishboneLink } from '../../wishbone/link.ts';

/**
 * The link to a real board: what goes wrong on it is named by what happened to the board. A line that falls
 * silent because the plug was pulled is a board that vanished.
 */
export class BoardLink implements WishboneLink {
  readonly #link: WishboneLink;
  readonly #gone: AbortSignal;
  readonly #onClose: () => Promise<void>;
  #closing: Promise<void> | undefined;

  constructor(link: WishboneLink, gone: AbortSignal, onClose: () => Promise<void>) {
    this.#link = link;
    this.#gone = gone;
    this.#onClose = onClose;
  }

  read(byteAddress: number, count: number, options?: TransferOptions): Promise<TransferResult> {
    return this.#named(() => this.#link.read(byteAddress, count, options));
  }

  write(byteAddress: number, words: Uint32Array, options?: TransferOptions): Promise<TransferResult> {
    return this.#named(() => this.#link.write(byteAddress, words, options));
  }

  identity(): Promise<Identity> {
    return this.#named(() => this.#link.identity());
  }

  close(): Promise<void> {
    this.#closing ??= this.#link
      .close()
      .catch(() => {})
      .then(this.#onClose);
    return this.#closing;
  }

  async #named<T>(work: () => Promise<T>): Promise<T> {
    if (this.#gone.aborted) throw boardsError('board_vanished');
    try {
      return await work();
    } catch (error) {
      throw linkError(error, this.#gone);
    }
  }
}

/** Names an error of the link by the state of the board. */
export function linkError(error: unknown, gone: AbortSignal): unknown {
  return gone.aborted ? boardsError('board_vanished', { cause: error }) : error;
}
