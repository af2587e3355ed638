import type { CaptureView } from './signals.ts';

/** Board clocks of a sample, counted from the first one. */
export function clockOfSample(
  { trigger_sample: trigger, every, lag }: Pick<CaptureView, 'trigger_sample' | 'every' | 'lag'>,
  sample: number,
): number {
  // Samples are equally spaced, except that the trigger's sample may come sooner after the one before.
  return sample * every - (trigger !== null && trigger > 0 && sample >= trigger ? every - lag : 0);
}
