import { wishboneError } from '../errors/wishbone.ts';
import { BLOCK_BASE, SCRATCH } from './identity-block.ts';
import type { TransferOptions, TransferResult } from './link.ts';
import { PINS_BASE } from './pin-block.ts';
import { type Frame, MAX_BURST_WORDS } from './uartbone.ts';

/**
 * Words of a burst in a long transfer. Four such writes with their status reads are 2,032 bytes. They fit into the
 * board's FIFO of 2,048, so the line stays busy when a confirmation is late (5 ms at 3 Mbaud). Such a read and its
 * status are 1,020 bytes: two full packets of an FT2232H, which need no latency timer.
 */
const LONG_TRANSFER_WORDS = { write: 124, read: 253 };

/**
 * One call of `read` or `write` with any number of words: cut into bursts for sending, and reassembled from the
 * answers.
 */
export class Transfer {
  readonly result: Promise<TransferResult>;
  readonly byteAddress: number;
  readonly count: number;
  readonly fixed: boolean;
  /** Words whose bursts are sent or done. */
  sent = 0;
  /** Words that the board has confirmed. */
  done = 0;
  settled = false;
  readonly #kind: 'read' | 'write';
  readonly #words: Uint32Array;
  readonly #options: TransferOptions;
  #resolve!: (result: TransferResult) => void;
  #reject!: (reason: unknown) => void;

  /**
   * @param words to write, or the buffer for the words read
   * @throws BenchError address_invalid, address_reserved; the signal's reason when it is aborted already
   */
  constructor(kind: 'read' | 'write', byteAddress: number, words: Uint32Array, options: TransferOptions) {
    options.signal?.throwIfAborted();
    const fixed = options.fixed ?? false;
    const span = fixed ? Math.min(words.length, 1) : words.length;
    if (!Number.isInteger(byteAddress) || byteAddress < 0 || byteAddress % 4 !== 0)
      throw wishboneError('address_invalid');
    if (byteAddress > 0xffff_fffc || byteAddress + 4 * span > 0x1_0000_0000)
      throw wishboneError('address_invalid');
    const scratch = fixed && byteAddress === SCRATCH;
    const portBlock = options.portBlock === true && byteAddress >= PINS_BASE;
    if (kind === 'write' && span > 0 && byteAddress + 4 * span > BLOCK_BASE && !scratch && !portBlock)
      throw wishboneError('address_reserved');
    this.#kind = kind;
    this.byteAddress = byteAddress;
    this.count = words.length;
    this.fixed = fixed;
    this.#words = words;
    this.#options = options;
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    options.signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** Byte address of the word at an offset of the transfer. */
  addressOf(offset: number): number {
    return this.byteAddress + (this.fixed ? 0 : 4 * offset);
  }

  /** The next burst to send; a longer transfer is cut into bursts of LONG_TRANSFER_WORDS. */
  nextBurst(): Frame {
    const left = this.count - this.sent;
    const byteAddress = this.addressOf(this.sent);
    const words = this.count > MAX_BURST_WORDS ? Math.min(left, LONG_TRANSFER_WORDS[this.#kind]) : left;
    if (this.#kind === 'read') return { kind: 'read', byteAddress, words, fixed: this.fixed };
    const data = this.#words.subarray(this.sent, this.sent + words);
    const { select } = this.#options;
    // A byte select covers one word, so there is no next address.
    if (select !== undefined) return { kind: 'write', byteAddress, data, fixed: false, select };
    return { kind: 'write', byteAddress, data, fixed: this.fixed };
  }

  /** Confirms a burst; the last one ends the transfer. */
  confirm(offset: number, words: number, data: Uint32Array | undefined): void {
    if (this.settled) return;
    if (data) this.#words.set(data, offset);
    this.done += words;
    this.#options.onProgress?.(this.done);
    if (this.done === this.count)
      this.settle({ ok: true, data: this.#kind === 'read' ? this.#words : new Uint32Array(0) });
  }

  settle(result: TransferResult): void {
    if (this.#end()) this.#resolve(result);
  }

  fail(reason: unknown): void {
    if (this.#end()) this.#reject(reason);
  }

  #onAbort = (): void => this.fail(this.#options.signal?.reason);

  #end(): boolean {
    if (this.settled) return false;
    this.settled = true;
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
    return true;
  }
}
