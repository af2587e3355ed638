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
  readonly #name: (error: unknown) => Promise<unknown>;
  #closing: Promise<void> | undefined;

  /** @param options.name gives what failed the name of what happened to the board. */
  constructor(
    link: WishboneLink,
    options: { gone: AbortSignal; onClose: () => Promise<void>; name: (error: unknown) => Promise<unknown> },
  ) {
    this.#link = link;
    this.#gone = options.gone;
    this.#onClose = options.onClose;
    this.#name = options.name;
  }

  /** The board that it leads to has been unplugged. */
  get gone(): boolean {
    return this.#gone.aborted;
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
      throw await this.#name(error);
    }
  }
}
