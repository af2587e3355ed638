import type { Span } from './reduce.ts';

/** Maximum width of a sample, pixels. */
const MAX_SAMPLE_WIDTH = 64;

/** All samples in a width of pixels. */
export const wholeSpan = (samples: number, width: number): Span => ({
  from: 0,
  perPixel: Math.max(1 / MAX_SAMPLE_WIDTH, samples / Math.max(1, width)),
});

/** Limits a span to the samples, as far as they fill the width. */
export function within({ from, perPixel }: Span, samples: number, width: number): Span {
  const { perPixel: most } = wholeSpan(samples, width);
  const scale = Math.min(most, Math.max(1 / MAX_SAMPLE_WIDTH, perPixel));
  return { from: Math.max(0, Math.min(from, samples - width * scale)), perPixel: scale };
}

/** Changes the scale and keeps the sample at pixel `x`. @param factor above 1 shows more samples */
export const zoomedAt = ({ from, perPixel }: Span, x: number, factor: number): Span => ({
  from: from + x * perPixel * (1 - factor),
  perPixel: perPixel * factor,
});

/** Scrolls to make a sample visible; the same span if it already is. */
export function showing(span: Span, sample: number, width: number): Span {
  const { from, perPixel } = span;
  const x = (sample - from) / perPixel;
  const margin = Math.min(24, width / 4);
  return x >= margin && x <= width - margin ? span : { from: sample - (width / 2) * perPixel, perPixel };
}

const STEPS = [1, 2, 5];

/** Samples between marks of the time axis, for a minimum distance in pixels. */
export function markStep({ perPixel }: Span, apart: number): number {
  const least = Math.max(1, apart * perPixel);
  const power = 10 ** Math.floor(Math.log10(least));
  const step = STEPS.find((one) => one * power >= least);
  return (step ?? 10) * power;
}
