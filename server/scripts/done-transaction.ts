/** A completed transaction, or one that the design did not acknowledge. */
export interface DoneTransaction {
  op: 'read' | 'write';
  /** Byte address. */
  address: number;
  count: number;
  fixed: boolean;
  /** The design did not acknowledge. */
  fault: boolean;
  /** The words, written or read; null where the record lacks them. */
  data: Uint32Array | null;
  /** When it ended, milliseconds of any one clock. */
  at: number;
}
