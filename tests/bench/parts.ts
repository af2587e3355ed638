import type { Figure } from './figure.ts';

/** The environment of a part, for example a browser, as far as this file needs it. */
interface Closable {
  close(): Promise<void>;
}

/** A separate measurement in an environment of its own: its name, its maximum seconds, and its function. */
export type Part<In extends Closable, On> = readonly [
  name: string,
  seconds: number,
  measure: (within: In, on: On) => Promise<Figure[]>,
];

/** Seconds for closing; what takes longer is abandoned. */
const CLOSING = 10;

/** A part without figures counts as a missed target. */
const notMeasured = (name: string, why: string): Figure => ({
  name: `${name}: not measured, ${why}`,
  value: Number.NaN,
  unit: '',
  target: 'a figure',
  met: false,
});

/** The resolved value, or undefined after `seconds`. */
export async function within<T>(seconds: number, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, 1000 * seconds, undefined);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** First line of a reason: what follows in one of the browser's is its record of the calls. */
const reason = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';

/**
 * Measures one part after the other. One that fails, or takes longer than it may, is named among the figures; what
 * it was measured in is closed, which ends whatever it waits for, and the others go on.
 * @param most seconds for all of them; a part that would begin later is not measured
 * @param launch what a part is measured in
 */
export async function measureParts<In extends Closable, On>(
  parts: readonly Part<In, On>[],
  on: On,
  most: number,
  launch: () => Promise<In>,
): Promise<Figure[]> {
  const figures: Figure[] = [];
  const started = performance.now();
  for (const [name, seconds, measure] of parts) {
    const left = Math.min(seconds, most - (performance.now() - started) / 1000);
    if (left <= 0) {
      figures.push(notMeasured(name, `${most} s were over`));
      continue;
    }
    const own = await launch();
    try {
      const measured = await within(left, measure(own, on));
      figures.push(...(measured ?? [notMeasured(name, `it took longer than ${left.toFixed(0)} s`)]));
    } catch (error) {
      figures.push(notMeasured(name, reason(error)));
    } finally {
      await within(CLOSING, own.close());
    }
  }
  return figures;
}
