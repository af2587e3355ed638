/** What the base SoC says of itself (resources/gateware, identity block at 0xF000_0000). */
export interface Identity {
  /** Gateware version, e.g. 1. */
  version: number;
  clockHz: number;
  /** Low 64 bits of the build id as 16 hex digits; all zero for the base bitstream. */
  buildId: string;
}

export interface TransferOptions {
  /** Every word goes to or comes from the same address (a FIFO register). */
  fixed?: boolean;
  /** A write to the port block of the base SoC (docs/gateware.md), which is refused otherwise. */
  portBlock?: boolean;
  /** Bytes of the word that a write changes, a bit each, 1 to 15: of one word to a consecutive address. All where it is not said. */
  select?: number;
  signal?: AbortSignal;
  /** Words done so far. */
  onProgress?: (words: number) => void;
}

/** What a transfer came to. A bus fault is the design's answer, not the link's failure. */
export type TransferResult =
  | { ok: true; data: Uint32Array }
  | { ok: false; fault: { kind: 'timeout' | 'error'; byteAddress: number } };

/**
 * Wishbone over the board's UART. Addresses are byte addresses, multiples of 4; words are unsigned 32-bit.
 * Any number of words: the link splits into bursts, pipelines them and checks every exchange by CRC.
 * Rejects with a BenchError of the wishbone area when the board cannot be reached or the line is corrupted:
 * never returns a wrong word.
 */
export interface WishboneLink {
  read(byteAddress: number, count: number, options?: TransferOptions): Promise<TransferResult>;
  write(byteAddress: number, words: Uint32Array, options?: TransferOptions): Promise<TransferResult>;
  identity(): Promise<Identity>;
  /** Bits a second at which the line runs at the moment. */
  readonly lineRate: number;
  /**
   * Rates that the board's clock and the port can both keep, rising. The rate at which every contact begins is one
   * of them, and the only one where the port or the gateware cannot change it.
   */
  readonly lineRates: readonly number[];
  /**
   * Takes both sides to one of `lineRates`, between two exchanges; calls made meanwhile wait for it. Where the board
   * is not heard at that rate, both sides go back to the first one and the link stays usable.
   * @throws RangeError for another rate; BenchError link_corrupted, link_silent, link_closed.
   */
  setLineRate(rate: number): Promise<void>;
  close(): Promise<void>;
}
