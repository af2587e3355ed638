import { boardsError } from '../../errors/boards.ts';
import { isLineError } from '../../wishbone/line-rate.ts';
import type { Identity, TransferOptions, TransferResult, WishboneLink } from '../../wishbone/link.ts';

interface BoardLinkOptions {
  gone: AbortSignal;
  onClose: () => Promise<void>;
  /** Replaces an error with one that names what happened to the board. */
  name: (error: unknown) => Promise<unknown>;
  /** Bytes were lost or damaged at a line rate, and the board is still attached. */
  onDamage: (rate: number) => void;
}

/**
 * The link to a real board. Its errors name what happened to the board: if the line falls silent because the plug was
 * pulled, the board vanished.
 */
export class BoardLink implements WishboneLink {
  readonly #link: WishboneLink;
  readonly #gone: AbortSignal;
  readonly #onClose: () => Promise<void>;
  readonly #name: (error: unknown) => Promise<unknown>;
  readonly #onDamage: (rate: number) => void;
  #closing: Promise<void> | undefined;

  constructor(link: WishboneLink, options: BoardLinkOptions) {
    this.#link = link;
    this.#gone = options.gone;
    this.#onClose = options.onClose;
    this.#name = options.name;
    this.#onDamage = options.onDamage;
  }

  /** The board of this link was unplugged. */
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

  get lineRate(): number {
    return this.#link.lineRate;
  }

  get lineRates(): readonly number[] {
    return this.#link.lineRates;
  }

  setLineRate(rate: number): Promise<void> {
    return this.#named(() => this.#link.setLineRate(rate), rate);
  }

  close(): Promise<void> {
    this.#closing ??= this.#link
      .close()
      .catch(() => {})
      .then(this.#onClose);
    return this.#closing;
  }

  /** @param rate at which it happens, bits a second */
  async #named<T>(work: () => Promise<T>, rate = this.lineRate): Promise<T> {
    if (this.#gone.aborted) throw boardsError('board_vanished');
    try {
      return await work();
    } catch (error) {
      const named = await this.#name(error);
      if (isLineError(named)) this.#onDamage(rate);
      throw named;
    }
  }
}
