import type { CaptureView } from '../../../../../../server/contract/signals/signals.ts';
import { clocksAt } from './samples.ts';
import { pieceAt, type SignalTrace } from './trace.ts';

/** What a signal does between two samples. */
export interface Measurement {
  /** Changes after the first sample, up to the second. */
  edges: number;
  /** Of a single bit with two or more rising edges, Hz: the mean from the first to the last. */
  frequency: number | null;
  /** Of a single bit, share of the time at which it is high; null without time. */
  duty: number | null;
}

/** Measures a signal between two samples, in either order. */
export function measure(view: CaptureView, trace: SignalTrace, one: number, other: number): Measurement {
  const [from, to] = one < other ? [one, other] : [other, one];
  const first = pieceAt(trace, from);
  const last = pieceAt(trace, to);
  const edges = last - first;
  if (trace.field.width > 1 || trace.lost !== 0n) return { edges, frequency: null, duty: null };
  let high = 0;
  let [rises, firstRise, lastRise] = [0, 0, 0];
  // The values of a single bit alternate.
  const isHigh = (piece: number) => (trace.value(first) === 1) === ((piece - first) % 2 === 0);
  for (let piece = first; piece <= last; piece++) {
    if (!isHigh(piece)) continue;
    const start = Math.max(from, trace.starts[piece] ?? 0);
    const end = piece === last ? to : (trace.starts[piece + 1] ?? to);
    high += clocksAt(view, end) - clocksAt(view, start);
    if (piece === first) continue;
    if (rises === 0) firstRise = start;
    lastRise = start;
    rises += 1;
  }
  const time = clocksAt(view, to) - clocksAt(view, from);
  const periods = clocksAt(view, lastRise) - clocksAt(view, firstRise);
  return {
    edges,
    frequency: rises > 1 ? ((rises - 1) * view.clock_hz) / periods : null,
    duty: time > 0 ? high / time : null,
  };
}
