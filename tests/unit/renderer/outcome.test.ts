import { expect, test } from 'vitest';
import { jobFits } from '../../../renderer/src/components/jobs/filter.ts';
import { outcomeOf } from '../../../renderer/src/format/job.ts';
import { job } from '../../support/renderer/fixtures.ts';

const failure = (error: string) => ({ error, message: 'It was so.', remedy: '', diagnostics: [] });
const figures = (timing_met?: boolean) => ({
  ...{ fmax_mhz: 20, luts: 1, luts_available: 2 },
  ...(timing_met !== undefined && { timing_met }),
});
const stopped = job({ status: 'failed', failure: failure('stopped_by_user') });
const missed = job({ figures: figures(false) });

test('a stopped build is not failed, and one that misses its target is not a plain success', () => {
  expect(outcomeOf(stopped)).toBe('stopped');
  expect(outcomeOf(missed)).toBe('missed');
  expect(outcomeOf(job({ status: 'failed', failure: failure('no_slave'), figures: figures(false) }))).toBe(
    'failed',
  );
  expect([undefined, true].map((met) => outcomeOf(job({ figures: figures(met) })))).toEqual([
    'complete',
    'complete',
  ]);
  expect(outcomeOf({ status: 'complete', failure: null, timing_met: false })).toBe('missed');
  expect(outcomeOf({ status: 'complete', failure: null, timing_met: null })).toBe('complete');
});

test('filters match a stopped build as cancelled and a missed target as complete', () => {
  const fits = (one: typeof stopped, status: 'complete' | 'failed' | 'cancelled') =>
    jobFits(one, { status, type: 'all', node: 'all', query: '' });
  expect([fits(stopped, 'failed'), fits(stopped, 'cancelled')]).toEqual([false, true]);
  expect([fits(missed, 'complete'), fits(missed, 'failed')]).toEqual([true, false]);
});
