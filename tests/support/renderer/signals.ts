import type { SignalInfo } from '../../../server/contract/signals/signals.ts';

/** A register, some of whose bits may be lost. */
export const signalInfo = (name: string, width: number, lost = 0): SignalInfo => ({
  ...{ name, width, kind: 'register', low: 0, ascending: false, lost, file: 'a.v', line: 3 },
});

/** Signals by their names. */
export const knownOf = (...signals: SignalInfo[]) => new Map(signals.map((one) => [one.name, one]));
