/** What a script asks of a node. */
interface BusRequest {
  op: 'read' | 'write';
  /** Byte address. */
  address: number;
  /** Words, read or written. */
  count: number;
  /** The words of a write; empty for a read. */
  data: Uint32Array;
  /** Every word goes to or comes from the same address. */
  fixed: boolean;
}

/** What came of it; `code` is `bus_timeout` or `bus_error` where the design did not acknowledge. */
export type BusAnswer =
  | { ok: true; data: Uint32Array }
  | { ok: false; error: { code: string; message: string } };

/** Carries one request out. Rejects where nothing more can be done, e.g. because the session has ended. */
export type Bus = (request: BusRequest) => Promise<BusAnswer>;

/** Whether the answer is the design's own: it did not acknowledge. */
export const isBusFault = (answer: BusAnswer): boolean =>
  !answer.ok && (answer.error.code === 'bus_timeout' || answer.error.code === 'bus_error');
