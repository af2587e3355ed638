import { createContext, useContext } from 'react';
import { createStore } from 'zustand/vanilla';
import type { CaptureUsing, SignalInfo, SignalList } from '../../../../../server/contract/signals/signals.ts';
import { text } from '../../../text/text.ts';

const t = text.signals;

/** The recorder of a design's signals, with its limits. */
export interface RecordingBy {
  /** The virtual board, the capture core of the build, or nothing. */
  using: CaptureUsing | null;
  /** On a virtual board signals have live values and the clock can stop, whatever records. */
  virtual: boolean;
  bits: number;
  samples: number;
  /** Clocks between two samples. */
  every: number;
}

/** The recorder of a virtual board: it shows all signals. */
export const VIRTUAL_BOARD_RECORDER: RecordingBy = {
  ...{ using: 'inside', virtual: true, bits: 256, samples: 65_536, every: 1_000_000 },
};

/** Builds on a virtual board whose capture core records. */
export const chosenCores = createStore<Readonly<Record<string, boolean>>>(() => ({}));

/** @param byCore let the build's capture core record if there is one, also on a virtual board */
export function recordingBy({ recorded_by: using, core }: SignalList, byCore = false): RecordingBy {
  const virtual = using === 'inside';
  if (virtual && !(byCore && core)) return VIRTUAL_BOARD_RECORDER;
  return {
    using: virtual ? 'core' : using,
    ...{ virtual, bits: core?.bits ?? 0, samples: core?.depth ?? 0, every: 65_536 },
  };
}

/** Signals with their recorded bits: a capture core lacks everything that it does not probe. */
export const recordedOf = (
  { signals }: Pick<SignalList, 'signals'>,
  { using }: Pick<RecordingBy, 'using'>,
): readonly SignalInfo[] =>
  using === 'inside'
    ? signals
    : signals.map((signal) => ({ ...signal, lost: signal.width - (signal.probed ?? 0) }));

export const RecordingContext = createContext<RecordingBy>(VIRTUAL_BOARD_RECORDER);

/** The text for missing bits. */
export const useMissing = () =>
  useContext(RecordingContext).using === 'inside'
    ? { gone: t.gone, bits: t.bitsLost }
    : { gone: t.notProbed, bits: t.bitsNotProbed };
