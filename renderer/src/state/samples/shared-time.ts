import { createStore } from 'zustand/vanilla';

/** A time that the plot and the waves of a node both show, and which of them has set it. */
interface SharedTime {
  /** Seconds since 1970, of this computer's clock. */
  time: number;
  by: 'plot' | 'waves';
}

/** Node → where marker A of its plot and cursor A of its waves are. */
export const sharedTimes = createStore<Partial<Record<number, SharedTime>>>(() => ({}));

export const shareTime = (node: number, by: SharedTime['by'], time: number | undefined): void =>
  sharedTimes.setState({ [node]: time === undefined ? undefined : { time, by } });
