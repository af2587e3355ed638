/** A script's request to a node. */
interface BusRequest {
  op: 'read' | 'write';
  /** Byte address. */
  address: number;
  /** Words, read or written. */
  count: number;
  /** The words of a write; empty for a read. */
  data: Uint32Array;
  /** Every word has the same address. */
  fixed: boolean;
}

/** The outcome; `code` is `bus_timeout` or `bus_error` where the design did not acknowledge. */
export type BusAnswer =
  | { ok: true; data: Uint32Array }
  | { ok: false; error: { code: string; message: string } };

/** Executes one request. Rejects where the run can't continue, e.g. because the session has ended. */
export type Bus = (request: BusRequest) => Promise<BusAnswer>;

/** Whether the design did not acknowledge. */
export const isBusFault = (answer: BusAnswer): boolean =>
  !answer.ok && (answer.error.code === 'bus_timeout' || answer.error.code === 'bus_error');
