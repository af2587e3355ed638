import type { Clock } from '../clock.ts';
import type { CheckStep } from '../contract/boards/board-checks.ts';
import type { BenchError } from '../errors/bench-error.ts';
import { wishboneError } from '../errors/wishbone.ts';
import { failureOf } from '../jobs/execution/end.ts';
import { isLineError, type LineMeasurement, measureLineRate } from '../wishbone/line-rate.ts';
import type { WishboneLink } from '../wishbone/link.ts';
import type { StepOutcome } from './check-record.ts';
import { CHECK_WORDS, inWords } from './steps.ts';

/** The step of one rate, before its measurement. @param baud bits a second */
export const lineRateStep = (baud: number): CheckStep => ({
  step: 'line_rate',
  baud,
  title: `Line rate, ${baud.toLocaleString('en')} baud`,
  expected: `${inWords(CHECK_WORDS)} each way, and the CRC of every exchange matches.`,
  state: 'waiting',
  happened: null,
  failure: null,
  milliseconds: null,
  figures: {},
});

/** Measures one rate and returns the link to its earlier rate. @throws errors that end the link. */
export async function measureRate(link: WishboneLink, baud: number, clock: Clock): Promise<LineMeasurement> {
  const before = link.lineRate;
  try {
    return await measureLineRate(link, baud, CHECK_WORDS, clock);
  } finally {
    if (link.lineRate !== before)
      await link.setLineRate(before).catch((error) => {
        // Both sides are at the first rate, where the link still works.
        if (!isLineError(error)) throw error;
      });
  }
}

/**
 * Judges a measurement.
 * @param needed whether the link depends on this rate, at which every contact begins
 * @throws link_corrupted for errors at a needed rate
 */
export function judgeRate(measured: LineMeasurement, needed: boolean): StepOutcome {
  const { rate, words, errors, wordsPerSecond } = measured;
  const perSecond = Math.round(wordsPerSecond);
  const figures = { words, errors, words_per_second: perSecond };
  if (errors === 0)
    return { happened: `${inWords(words)} each way, no errors, ${inWords(perSecond)} a second.`, figures };
  const happened = `${errors} damaged or lost exchanges in ${inWords(words)} each way.`;
  const error: BenchError = needed
    ? wishboneError('link_corrupted', { message: happened })
    : wishboneError('link_corrupted', {
        message: happened,
        remedy: `The board can be used at a lower rate; a shorter cable or a direct USB port may make ${rate.toLocaleString('en')} baud work.`,
      });
  if (needed) throw error;
  return { happened, figures, warning: failureOf(error) };
}
