import { pieceAt, type SignalTrace, type Trace } from '../recording/trace.ts';

/** What is wrong with a frame; its words are in the text. */
type FrameError = 'framing' | 'parity' | 'break' | 'short' | 'nack' | 'error' | 'unanswered';

/** A decoded unit: a byte, a word, a transfer. */
export interface Frame {
  /** First sample, and the one after the last. */
  from: number;
  to: number;
  /** In the notation of the protocol: `0x48 H`, `0x50 W`, `R 0x04 = 0x1234`. */
  text: string;
  /** The data, for the table and the CSV; null for a condition without data, such as a stop. */
  data: number | null;
  error?: FrameError;
}

/** Frames as pieces of a row; between frames the row is empty. */
export interface FrameTrace extends Trace {
  readonly frames: readonly Frame[];
  /** The frame of a piece; undefined in between. */
  frame(piece: number): Frame | undefined;
}

/** @param frames ascending and apart @param end number of samples */
export function frameTrace(frames: readonly Frame[], end: number): FrameTrace {
  const starts: number[] = [];
  const indexes: number[] = [];
  let at = 0;
  frames.forEach(({ from, to }, index) => {
    if (from > at || starts.length === 0) {
      if (from > at) {
        starts.push(at);
        indexes.push(-1);
      }
    }
    starts.push(from);
    indexes.push(index);
    at = to;
  });
  if (at < end || starts.length === 0) {
    starts.push(at);
    indexes.push(-1);
  }
  return {
    starts: Uint32Array.from(starts),
    end,
    frames,
    frame: (piece) => frames[indexes[piece] ?? -1],
  };
}

/** The values of a signal at ascending samples. */
export class Walker {
  readonly #trace: SignalTrace;
  #piece = 0;

  constructor(trace: SignalTrace) {
    this.#trace = trace;
  }

  /** The value in a sample; not before the last one asked for. */
  at(sample: number): number {
    const { starts } = this.#trace;
    // A step or two is the rule; after a long rest it is a search.
    for (let steps = 0; steps < 8 && (starts[this.#piece + 1] ?? Infinity) <= sample; steps++) this.#piece++;
    if ((starts[this.#piece + 1] ?? Infinity) <= sample) this.#piece = pieceAt(this.#trace, sample);
    return Number(this.#trace.value(this.#piece));
  }
}

export const hex = (value: number, bits: number): string =>
  `0x${value
    .toString(16)
    .toUpperCase()
    .padStart(Math.ceil(bits / 4), '0')}`;
