import type { DecoderOf } from '../../../../../../server/contract/signals/decoders.ts';
import { pieceAt, type SignalTrace } from '../recording/trace.ts';
import { type Frame, hex } from './frames.ts';

type Settings = Omit<DecoderOf<'uart'>, 'kind' | 'protocol' | 'title' | 'line'>;

const STANDARD = [
  300, 600, 1200, 2400, 4800, 9600, 14_400, 19_200, 28_800, 31_250, 38_400, 57_600, 76_800, 115_200, 128_000,
  230_400, 250_000, 256_000, 460_800, 500_000, 576_000, 921_600, 1_000_000, 1_500_000, 2_000_000, 3_000_000,
];
/** A standard rate is meant by what is this near to it. */
const NEAR = 0.02;
/** Longest pulse of which the length still tells that of a bit. */
const MAX_BITS_OF_PULSE = 9;

/**
 * The bits per second of a serial line, from its shortest pulses; null for a line that hardly changes.
 * @param hz samples per second
 */
export function guessBaud({ starts }: Pick<SignalTrace, 'starts'>, hz: number): number | null {
  // The first and the last piece are cut off by the recording.
  if (starts.length < 4) return null;
  let shortest = Infinity;
  for (let piece = 1; piece < starts.length - 1; piece++)
    shortest = Math.min(shortest, (starts[piece + 1] ?? 0) - (starts[piece] ?? 0));
  let [samples, bits] = [0, 0];
  for (let piece = 1; piece < starts.length - 1; piece++) {
    const length = (starts[piece + 1] ?? 0) - (starts[piece] ?? 0);
    const count = Math.round(length / shortest);
    if (count > MAX_BITS_OF_PULSE) continue;
    samples += length;
    bits += count;
  }
  const baud = (hz * bits) / samples;
  return STANDARD.find((one) => Math.abs(baud / one - 1) <= NEAR) ?? Math.round(baud);
}

const ASCII = { first: 0x20, last: 0x7e };

const byteText = (data: number, bits: number): string =>
  data >= ASCII.first && data <= ASCII.last
    ? `${hex(data, bits)} ${String.fromCharCode(data)}`
    : hex(data, bits);

/** Frames that are read on trial, to find out where a byte begins. */
const TRIAL = 24;
/** Losses of the place after which a line is taken for noise, or of another baud rate, and read on as it comes. */
const MAX_SEARCHES = 32;

/**
 * The bytes on a serial line. A byte that the recording cuts off is no frame. Where it begins within a byte, or loses its
 * place, the edge from which the fewest bytes are wrong is taken for a start bit.
 * @param hz samples per second
 */
export function decodeUart(trace: SignalTrace, settings: Settings, hz: number): Frame[] {
  const { data_bits: bits = 8, parity = 'none', stop_bits: stops = 1, inverted = false } = settings;
  const baud = settings.baud ?? guessBaud(trace, hz);
  if (baud === null) return [];
  const length = hz / baud;
  const { starts, end } = trace;
  const low = inverted ? 1 : 0;
  const parityBits = parity === 'none' ? 0 : 1;
  const all = 1 + bits + parityBits + stops;
  const level = (at: number): number => (trace.value(pieceAt(trace, Math.floor(at))) === low ? 0 : 1);
  const edges = starts.filter((_, piece) => piece > 0 && trace.value(piece) === low);
  /** The index of the first edge from a sample on. */
  const edgeFrom = (sample: number): number => {
    let [from, to] = [0, edges.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((edges[middle] ?? 0) < sample) from = middle + 1;
      else to = middle;
    }
    return from;
  };

  /** The byte that begins at an edge, and the sample from which on the next may begin; null for none. */
  const byteAt = (from: number): { frame: Frame; free: number } | null => {
    const middle = (bit: number): number => from + (bit + 0.5) * length;
    // A pulse shorter than half a bit begins no byte.
    if (middle(all - 1) >= end || level(middle(0)) !== 0) return null;
    let [data, ones] = [0, 0];
    for (let bit = 0; bit < bits; bit++) {
      const value = level(middle(1 + bit));
      data += value * 2 ** bit;
      ones += value;
    }
    const parityIs = parityBits === 1 ? level(middle(1 + bits)) : 0;
    let isStopped = true;
    for (let stop = 0; stop < stops; stop++)
      isStopped = level(middle(1 + bits + parityBits + stop)) === 1 && isStopped;
    const isOdd = (ones + parityIs) % 2 === 1;
    const error = !isStopped
      ? data === 0 && parityIs === 0
        ? 'break'
        : 'framing'
      : parityBits === 1 && isOdd !== (parity === 'odd')
        ? 'parity'
        : undefined;
    // The sender's clock may be a little faster: the next start bit may come from the middle of the stop bit on.
    const free = Math.floor(middle(all - 1)) + 1;
    const next = edges[edgeFrom(free)] ?? end;
    const to = Math.max(free, Math.min(end, next, Math.round(from + all * length)));
    return {
      frame: { from, to, text: byteText(data, bits), data, ...(error && { error }) },
      free,
    };
  };

  const errorsFrom = (edge: number): number => {
    let errors = 0;
    for (let count = 0; count < TRIAL && edge < edges.length; count++) {
      const byte = byteAt(edges[edge] ?? 0);
      if (byte?.frame.error) errors += 1;
      edge = byte ? edgeFrom(byte.free) : edge + 1;
    }
    return errors;
  };
  /** Whether the line rested for a byte before an edge, which then begins one. */
  const isCertain = (edge: number): boolean => {
    const at = edges[edge] ?? 0;
    return at - (starts[pieceAt(trace, at) - 1] ?? at) >= (all - stops) * length;
  };
  let searches = MAX_SEARCHES;
  /** The likeliest start bit among the edges of about two bytes; `usual` unless another one is better. */
  const bestEdge = (first: number, usual: number): number => {
    if (isCertain(usual) || searches-- <= 0) return usual;
    let [best, fewest] = [usual, errorsFrom(usual)];
    const last = (edges[first] ?? 0) + 2 * all * length;
    for (let edge = first; fewest > 0 && (edges[edge] ?? Infinity) <= last; edge++) {
      const errors = errorsFrom(edge);
      if (errors < fewest) [best, fewest] = [edge, errors];
    }
    return best;
  };

  const frames: Frame[] = [];
  for (let edge = bestEdge(0, 0); edge < edges.length; ) {
    const byte = byteAt(edges[edge] ?? 0);
    if (!byte) {
      edge += 1;
      continue;
    }
    const { frame, free } = byte;
    edge = frame.error === 'framing' ? bestEdge(edge + 1, edgeFrom(free)) : edgeFrom(free);
    // Where the place was lost, the next byte begins within this one.
    frames.push({ ...frame, to: Math.min(frame.to, edges[edge] ?? end) });
  }
  return frames;
}
