import { changesOf, type Field, type Samples, valueAt, type WaveValue } from './samples.ts';

/** A sequence of pieces; each holds from its first sample to the next piece's. */
export interface Trace {
  /** First samples of the pieces, ascending; the first is 0. */
  readonly starts: Uint32Array;
  /** Number of samples. */
  readonly end: number;
}

/** A signal over time. */
export interface SignalTrace extends Trace {
  readonly field: Field;
  /** Lost bits, whose values are unknown. */
  readonly lost: bigint;
  /** The value of a piece. */
  value(piece: number): WaveValue;
}

export function traceOf(samples: Samples, field: Field): SignalTrace {
  const starts = changesOf(samples, field);
  return {
    field,
    lost: BigInt(field.lost ?? 0),
    starts,
    end: samples.view.samples,
    value: (piece) => valueAt(samples, field, starts[piece] ?? 0),
  };
}

/** The traces of a capture, each computed on first use: most of 256 are never shown. */
export class Traces {
  readonly samples: Samples;
  readonly #fields: ReadonlyMap<string, Field>;
  readonly #made = new Map<string, SignalTrace>();

  constructor(samples: Samples) {
    this.samples = samples;
    this.#fields = new Map(samples.view.signals.map((field) => [field.name, field]));
  }

  /** Undefined for a signal outside the capture. */
  of(name: string): SignalTrace | undefined {
    const known = this.#made.get(name);
    if (known) return known;
    const field = this.#fields.get(name);
    if (!field) return undefined;
    const trace = traceOf(this.samples, field);
    this.#made.set(name, trace);
    return trace;
  }
}

/** The piece of a sample. */
export function pieceAt({ starts }: Trace, sample: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= sample) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * The last piece that begins before `sample`, searched from a piece that does. Steps double and halve: a near piece is
 * found at once, and a row costs its columns, not its samples.
 */
export function lastBefore({ starts }: Trace, from: number, sample: number): number {
  let low = from;
  let step = 1;
  while (low + step < starts.length && (starts[low + step] ?? 0) < sample) {
    low += step;
    step *= 2;
  }
  for (; step >= 1; step = Math.floor(step / 2))
    if (low + step < starts.length && (starts[low + step] ?? 0) < sample) low += step;
  return low;
}
