import type { CaptureView } from '../../../../../../server/contract/signals/signals.ts';
import type { Span } from './reduce.ts';
import { clocksAt } from './samples.ts';
import { markStep } from './span.ts';

const TIMES = [
  [1, 's'],
  [1e-3, 'ms'],
  [1e-6, 'µs'],
  [1e-9, 'ns'],
  [1e-12, 'ps'],
] as const;
const FREQUENCIES = [
  [1e9, 'GHz'],
  [1e6, 'MHz'],
  [1e3, 'kHz'],
  [1, 'Hz'],
] as const;

const signed = (digits: string): string => digits.replace('-', '−');

/** Four significant digits, without zeros at the end. */
function fourDigits(value: number): string {
  const digits = value.toPrecision(4);
  return signed(digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits);
}

/** A value in the largest unit of which there is at least one, with four significant digits. */
function inUnits(value: number, units: readonly (readonly [number, string])[]): string {
  const [smallest = [1, ''] as const] = units.slice(-1);
  // 999.96 ns rounds to 1000 ns, which is 1 µs.
  const [size, unit] = units.find(([one]) => Math.abs(value) / one >= 0.999_95) ?? smallest;
  return `${fourDigits(value / size)} ${unit}`;
}

/** Seconds as a time: `83.33 ns`, `1.583 µs`. */
const secondsText = (seconds: number): string => (seconds === 0 ? '0 s' : inUnits(seconds, TIMES));

/** A number of clocks as a time. */
export const timeText = (clocks: number, hz: number): string => secondsText(clocks / hz);

/** A frequency: `1.5 MHz`. */
export const frequencyText = (hz: number): string => inUnits(hz, FREQUENCIES);

/** The sample at so many board clocks from the zero of the time axis; the inverse of `clocksAt`, with fractions. */
export function sampleOfClocks(
  { trigger_sample: trigger, every, lag }: Pick<CaptureView, 'trigger_sample' | 'every' | 'lag'>,
  clocks: number,
): number {
  const zero = trigger ?? 0;
  // Between the sample before the trigger's and that, `lag` clocks pass.
  if (clocks < 0 && zero > 0 && clocks > -lag) return zero + clocks / lag;
  return zero + (clocks + (clocks < 0 && zero > 0 ? lag - every : 0)) / every;
}

/** A mark of the time axis, at a fraction of a sample. */
export interface TimeMark {
  sample: number;
  text: string;
}

/** The marks of the visible time axis: round times, all in one unit. @param apart minimum distance, pixels */
export function timeMarks(view: CaptureView, span: Span, width: number, apart: number): TimeMark[] {
  const nsPerClock = 1e9 / view.clock_hz;
  const nsPerPixel = span.perPixel * view.every * nsPerClock;
  const step = markStep({ from: 0, perPixel: nsPerPixel }, apart);
  const [from, to] = [span.from, Math.min(view.samples, span.from + width * span.perPixel)].map(
    (sample) => (clocksAt(view, Math.max(0, sample)) * nsPerClock) / step,
  );
  const first = Math.ceil(from ?? 0);
  const last = Math.floor(to ?? 0);
  const largest = Math.max(Math.abs(first), Math.abs(last)) * step * 1e-9;
  const [size, unit] = TIMES.find(([one]) => largest >= one * 0.999_95) ?? ([1e-9, 'ns'] as const);
  const scale = step * 1e-9;
  const decimals = Math.max(0, -Math.floor(Math.log10(scale / size) + 1e-9));
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => {
    const count = first + index;
    const value = (count * scale) / size;
    return {
      sample: sampleOfClocks(view, (count * step) / nsPerClock),
      text: count === 0 ? '0' : `${signed(value.toFixed(decimals))} ${unit}`,
    };
  });
}
