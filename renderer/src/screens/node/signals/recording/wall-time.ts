// The times of samples, if the board runs at its nominal clock. Times are seconds since 1970.
import type { CaptureView } from '../../../../../../server/contract/signals/signals.ts';
import { clocksAt } from './samples.ts';
import { sampleOfClocks } from './time-text.ts';

const untilEnd = (view: CaptureView, sample: number): number =>
  (clocksAt(view, view.samples - 1) - clocksAt(view, sample)) / view.clock_hz;

/** When a sample was taken. @param ended when the recording ended */
export const timeOfSample = (view: CaptureView, sample: number, ended: number): number =>
  ended - untilEnd(view, sample);

/** The sample of a time; undefined outside the recording. */
export function sampleAtTime(view: CaptureView, time: number, ended: number): number | undefined {
  const clocks = clocksAt(view, view.samples - 1) - (ended - time) * view.clock_hz;
  const sample = Math.round(sampleOfClocks(view, clocks));
  return sample >= 0 && sample < view.samples ? sample : undefined;
}
