import type { DifferenceTrace } from '../recording/differences.ts';
import type { WaveValue } from '../recording/samples.ts';
import { pieceAt, type SignalTrace } from '../recording/trace.ts';

/** A search in a signal. */
export type Wanted =
  | { kind: 'change' }
  /** For a single bit. */
  | { kind: 'rising' | 'falling' }
  | { kind: 'value'; value: WaveValue };

const fits = (trace: SignalTrace, piece: number, wanted: Wanted): boolean => {
  switch (wanted.kind) {
    case 'change':
      return piece > 0;
    case 'rising':
      return piece > 0 && BigInt(trace.value(piece)) === 1n;
    case 'falling':
      return piece > 0 && BigInt(trace.value(piece)) === 0n;
    case 'value':
      return BigInt(trace.value(piece)) === BigInt(wanted.value);
  }
};

/**
 * The nearest sample, before or after another, at which a match begins.
 * @param from the last match, or the cursor; -1 searches from the beginning, the first sample included
 * @returns null without a match
 */
export function findSample(
  trace: SignalTrace,
  from: number,
  direction: 'next' | 'previous',
  wanted: Wanted,
): number | null {
  const { starts } = trace;
  if (direction === 'next') {
    for (let piece = from < 0 ? 0 : pieceAt(trace, from) + 1; piece < starts.length; piece++)
      if (fits(trace, piece, wanted)) return starts[piece] ?? null;
    return null;
  }
  const here = pieceAt(trace, Math.max(0, from));
  // Within a piece, its own beginning is the previous one.
  for (let piece = (starts[here] ?? 0) < from ? here : here - 1; piece >= 0; piece--)
    if (fits(trace, piece, wanted)) return starts[piece] ?? null;
  return null;
}

/** The nearest sample, before or after another, at which a difference begins; null for none. */
export function findDifference(
  differences: DifferenceTrace,
  from: number,
  direction: 'next' | 'previous',
): number | null {
  const { starts } = differences;
  const here = from < 0 ? -1 : pieceAt(differences, from);
  const by = direction === 'next' ? 1 : -1;
  const begin = direction === 'next' || (starts[here] ?? 0) === from ? here + by : here;
  for (let piece = begin; piece >= 0 && piece < starts.length; piece += by)
    if (differences.differs(piece)) return starts[piece] ?? null;
  return null;
}
