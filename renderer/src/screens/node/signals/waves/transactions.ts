import { hexAddress, hexWord } from '../../../../format/words.ts';
import type { FrameTrace } from '../decoders/frames.ts';
import type { Trace, Traces } from '../recording/trace.ts';
import { pieceAt } from '../recording/trace.ts';

/** A transfer of one word over the bench's bus. */
interface Transfer {
  /** First sample, and the one after the last. */
  from: number;
  to: number;
  /** Null if it was not recorded. */
  write: boolean | null;
  /** Byte address. */
  address: number | null;
  data: number | null;
  /** How it ended; `none` if the design did not answer, or the capture lacks the end. */
  end: 'ack' | 'err' | 'none' | 'unknown';
}

/** The transfers of a capture as pieces of a lane; between transfers the bus is idle. */
export interface TransferTrace extends Trace {
  /** The transfer of a piece; undefined while the bus is idle. */
  transfer(piece: number): Transfer | undefined;
  count: number;
}

/**
 * The transfers of a capture. Each lasts while `bus.cyc` is high, or until its acknowledge.
 * @returns null without `bus.cyc` in the capture
 */
export function transfersOf(traces: Traces): TransferTrace | null {
  const cycle = traces.of('bus.cyc');
  if (!cycle) return null;
  const [we, adr, write, read, ack, err] = ['we', 'adr', 'dat_w', 'dat_r', 'ack', 'err'].map((name) =>
    traces.of(`bus.${name}`),
  );
  const at = (trace: typeof cycle | undefined, sample: number): number | null =>
    trace ? Number(trace.value(pieceAt(trace, sample))) : null;
  /** The end of the first sample with a high signal; `to` if it stays low. */
  const until = (trace: typeof cycle | undefined, from: number, to: number): number => {
    if (!trace) return to;
    let piece = pieceAt(trace, from);
    if (trace.value(piece) !== 1) piece += 1;
    // The values of a single bit alternate.
    const first = Math.max(from, trace.starts[piece] ?? to);
    return Math.min(to, first + 1);
  };
  const starts: number[] = [];
  const transfers: (Transfer | undefined)[] = [];
  const begin = (sample: number, transfer: Transfer | undefined) => {
    starts.push(sample);
    transfers.push(transfer);
  };
  for (let piece = 0; piece < cycle.starts.length; piece++) {
    const start = cycle.starts[piece] ?? 0;
    const end = cycle.starts[piece + 1] ?? cycle.end;
    if (cycle.value(piece) !== 1) {
      begin(start, undefined);
      continue;
    }
    for (let from = start; from < end; ) {
      const to = Math.min(until(ack, from, end), until(err, from, end));
      const last = to - 1;
      const writes = at(we, from);
      const failed = at(err, last) === 1;
      const answered = failed || at(ack, last) === 1;
      const address = at(adr, from);
      begin(from, {
        from,
        to,
        write: writes === null ? null : writes === 1,
        address: address === null ? null : (address * 4) >>> 0,
        // Without a recorded acknowledge, use the last clock of the cycle, as on the bench's bus.
        data: writes === 1 ? at(write, from) : answered || !ack ? at(read, last) : null,
        end: failed ? 'err' : answered ? 'ack' : ack ? 'none' : 'unknown',
      });
      from = to;
    }
  }
  return {
    starts: Uint32Array.from(starts),
    end: cycle.end,
    transfer: (piece) => transfers[piece],
    count: transfers.filter((one) => one !== undefined).length,
  };
}

/** A short text of a transfer: `W 0x0004 = 0x0000_CAFE`. */
export function transferText({ write, address, data, end }: Transfer): string {
  const what = write === null ? '' : write ? 'W ' : 'R ';
  const where = address === null ? '' : hexAddress(address);
  const word = data === null ? '' : ` = ${hexWord(data)}`;
  return `${what}${where}${word}${end === 'err' ? ' err' : end === 'none' ? ' …' : ''}`.trim() || 'cyc';
}

/** The transfers as frames of a row. */
export function framesOfTransfers({ starts, end, transfer }: TransferTrace): FrameTrace {
  const pieces = Array.from(starts, (_, piece) => {
    const one = transfer(piece);
    if (!one) return undefined;
    const error =
      one.end === 'err' ? ('error' as const) : one.end === 'none' ? ('unanswered' as const) : undefined;
    const { from, to, data } = one;
    return { from, to, text: transferText(one), data, ...(error && { error }) };
  });
  return { starts, end, frames: pieces.filter((one) => one !== undefined), frame: (piece) => pieces[piece] };
}
