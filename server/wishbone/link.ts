/** The identity block of the base SoC (resources/gateware, 0xF000_0000). */
export interface Identity {
  /** Gateware version, e.g. 1. */
  version: number;
  clockHz: number;
  /** Low 64 bits of the build id as 16 hex digits; all zero for the base bitstream. */
  buildId: string;
}

export interface TransferOptions {
  /** Every word has the same address (a FIFO register). */
  fixed?: boolean;
  /** Allows a write to the port block of the base SoC (docs/gateware.md). */
  portBlock?: boolean;
  /** Byte select of a write, one bit a byte, 1 to 15; for one word at a consecutive address. Default: all bytes. */
  select?: number;
  signal?: AbortSignal;
  /** Words done so far. */
  onProgress?: (words: number) => void;
}

/** The outcome of a transfer. A bus fault is the design's answer, not a failure of the link. */
export type TransferResult =
  | { ok: true; data: Uint32Array }
  | { ok: false; fault: { kind: 'timeout' | 'error'; byteAddress: number } };

/**
 * Wishbone over the board's UART. Addresses are byte addresses, multiples of 4; words are unsigned, 32 bits. The link
 * splits any number of words into bursts, pipelines them and checks every exchange by CRC. It rejects with a BenchError
 * of the wishbone area when the board can't be reached or the line is corrupted. It never returns a wrong word.
 */
export interface WishboneLink {
  read(byteAddress: number, count: number, options?: TransferOptions): Promise<TransferResult>;
  write(byteAddress: number, words: Uint32Array, options?: TransferOptions): Promise<TransferResult>;
  identity(): Promise<Identity>;
  /** Present line rate, bits a second. */
  readonly lineRate: number;
  /**
   * Line rates that both the board's clock and the port support, ascending. They include the rate at which contact
   * begins, which is the only one where the port or the gateware can't change it.
   */
  readonly lineRates: readonly number[];
  /**
   * Changes both sides to one of `lineRates`, between two exchanges; calls made meanwhile wait. If the board does not
   * answer at that rate, both sides return to the first one and the link stays usable.
   * @throws RangeError for another rate; BenchError link_corrupted, link_silent, link_closed.
   */
  setLineRate(rate: number): Promise<void>;
  close(): Promise<void>;
}
