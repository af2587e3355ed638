import type { CaptureView } from './signals.ts';

/** Board clocks of a sample, from the first one on. */
export function clockOfSample(
  { trigger_sample: trigger, every, lag }: Pick<CaptureView, 'trigger_sample' | 'every' | 'lag'>,
  sample: number,
): number {
  // All are equally far apart, but the trigger's may come sooner after the one before it.
  return sample * every - (trigger !== null && trigger > 0 && sample >= trigger ? every - lag : 0);
}
