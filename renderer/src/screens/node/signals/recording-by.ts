import { createContext, useContext } from 'react';
import { createStore } from 'zustand/vanilla';
import type { CaptureUsing, SignalInfo, SignalList } from '../../../../../server/contract/signals/signals.ts';
import { text } from '../../../text/text.ts';

const t = text.signals;

/** What records the signals of a design, and what it holds at most. */
export interface RecordingBy {
  /** The inside of a virtual board, the capture core of the build, or nothing. */
  using: CaptureUsing | null;
  /** The board is a virtual one: its signals have values of now, and its clock can stop, whatever records. */
  virtual: boolean;
  bits: number;
  samples: number;
  /** Clocks from one sample to the next. */
  every: number;
}

/** A virtual board, which shows everything. */
export const VIRTUAL_BOARD_RECORDER: RecordingBy = {
  ...{ using: 'inside', virtual: true, bits: 256, samples: 65_536, every: 1_000_000 },
};

/** Builds with a capture core whose core records, though they run on a virtual board. */
export const chosenCores = createStore<Readonly<Record<string, boolean>>>(() => ({}));

/** @param byCore the core of the build is to record where there is one and the board does not need it */
export function recordingBy({ recorded_by: using, core }: SignalList, byCore = false): RecordingBy {
  const virtual = using === 'inside';
  if (virtual && !(byCore && core)) return VIRTUAL_BOARD_RECORDER;
  return {
    using: virtual ? 'core' : using,
    ...{ virtual, bits: core?.bits ?? 0, samples: core?.depth ?? 0, every: 65_536 },
  };
}

/** Signals as their recording has them: for a capture core, whatever it does not probe counts as lost. */
export const recordedOf = (
  { signals }: Pick<SignalList, 'signals'>,
  { using }: Pick<RecordingBy, 'using'>,
): readonly SignalInfo[] =>
  using === 'inside'
    ? signals
    : signals.map((signal) => ({ ...signal, lost: signal.width - (signal.probed ?? 0) }));

export const RecordingContext = createContext<RecordingBy>(VIRTUAL_BOARD_RECORDER);

/** What is said of bits that no recording has. */
export const useMissing = () =>
  useContext(RecordingContext).using === 'inside'
    ? { gone: t.gone, bits: t.bitsLost }
    : { gone: t.notProbed, bits: t.bitsNotProbed };
