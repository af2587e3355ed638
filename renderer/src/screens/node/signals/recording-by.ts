import { createContext, useContext } from 'react';
import type { CaptureUsing, SignalInfo, SignalList } from '../../../../../server/contract/signals.ts';
import { text } from '../../../text/text.ts';

const t = text.signals;

/** What records the signals of a design, and what it holds at most. */
export interface RecordingBy {
  /** The inside of a virtual board, the capture core of the build, or nothing. */
  using: CaptureUsing | null;
  bits: number;
  samples: number;
  /** Clocks from one sample to the next. */
  every: number;
}

/** A virtual board, which shows everything. */
export const INSIDE: RecordingBy = { using: 'inside', bits: 256, samples: 65_536, every: 1_000_000 };

export function recordingBy({ recorded_by: using, core }: SignalList): RecordingBy {
  if (using === 'inside') return INSIDE;
  return { using, bits: core?.bits ?? 0, samples: core?.depth ?? 0, every: 65_536 };
}

/** Signals as their recording has them: for a capture core, whatever it does not probe counts as lost. */
export const recordedOf = ({ recorded_by: using, signals }: SignalList): SignalInfo[] =>
  using === 'inside'
    ? signals
    : signals.map((signal) => ({ ...signal, lost: signal.width - (signal.probed ?? 0) }));

export const RecordingContext = createContext<RecordingBy>(INSIDE);

/** What is said of bits that no recording has. */
export const useMissing = () =>
  useContext(RecordingContext).using === 'inside'
    ? { gone: t.gone, bits: t.bitsLost }
    : { gone: t.notProbed, bits: t.bitsNotProbed };
