import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  Comparison,
  differencesOf,
} from '../../../renderer/src/screens/node/signals/recording/differences.ts';
import { pieceAt, Traces } from '../../../renderer/src/screens/node/signals/recording/trace.ts';
import { findDifference } from '../../../renderer/src/screens/node/signals/waves/search.ts';
import type { CaptureView } from '../../../server/contract/signals/signals.ts';
import { captureOf } from '../../support/renderer/capture.ts';

const tracesOf = (values: number[], more: Partial<CaptureView> = {}) =>
  new Traces(captureOf({ a: { width: 4, values } }, more));
const values = fc
  .array(fc.tuple(fc.nat(3), fc.integer({ min: 1, max: 6 })), { minLength: 1, maxLength: 12 })
  .map((runs) => runs.flatMap(([value, length]) => new Array<number>(length).fill(value)));

test('differences are where two recordings differ in value, aligned at their triggers', () => {
  fc.assert(
    fc.property(values, values, fc.integer({ min: -20, max: 20 }), (one, other, shift) => {
      const trace = tracesOf(one).of('a')!;
      const found = differencesOf(trace, tracesOf(other).of('a')!, shift);
      const differs = one.map((_, sample) => found.differs(pieceAt(found, sample)));
      expect(differs).toEqual(
        one.map((value, sample) => {
          const there = other[sample - shift];
          return there !== undefined && there !== value;
        }),
      );
      // The pieces alternate, which drawing relies on.
      for (let piece = 1; piece < found.starts.length; piece++)
        expect(found.differs(piece)).toBe(!found.differs(piece - 1));
      // Searched forwards, each beginning of a difference is found.
      const begins = differs.flatMap((is, at) => (is && !differs[at - 1] ? [at] : []));
      const steps: number[] = [];
      for (let at = findDifference(found, -1, 'next'); at !== null; at = findDifference(found, at, 'next'))
        steps.push(at);
      expect(steps).toEqual(begins);
      expect(findDifference(found, one.length, 'previous')).toBe(begins.at(-1) ?? null);
    }),
  );
});

test('recordings are aligned at their triggers, and only with equal distances between samples', () => {
  const shown = tracesOf([0, 1, 2, 3], { trigger_sample: 2 });
  const same = new Comparison(shown, tracesOf([1, 2, 3], { trigger_sample: 1 }));
  expect([same.shift, same.isPossible]).toEqual([1, true]);
  expect([0, 1, 2, 3].map((at) => same.of('a')!.differs(pieceAt(same.of('a')!, at)))).toEqual([
    false,
    false,
    false,
    false,
  ]);
  expect(same.of('b')).toBeUndefined();
  expect(new Comparison(shown, tracesOf([0], { every: 2 })).isPossible).toBe(false);
});
