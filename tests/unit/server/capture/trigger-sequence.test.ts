import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TriggerStep } from '../../../../server/boards/virtual/observation.ts';
import { TriggerSequence } from '../../../../server/boards/virtual/runtime/trigger-sequence.ts';
import { rangePrefixes } from '../../../../server/capture/range-prefixes.ts';

const BITS = 3;
const tests = fc
  .array(fc.tuple(fc.nat(BITS - 1), fc.constantFrom(0 as const, 1 as const)), { maxLength: 2 })
  .map((list) => list.map(([bit, value]) => ({ bit, value })));
const steps = fc.array(
  fc.record({
    any: fc.array(fc.record({ now: tests, before: tests }), { minLength: 1, maxLength: 2 }),
    count: fc.integer({ min: 1, max: 3 }),
    within: fc.option(fc.integer({ min: 1, max: 8 }), { nil: null }),
  }),
  { minLength: 1, maxLength: 4 },
);
/** Samples in runs, as a board that rests has them. */
const samples = fc
  .array(fc.tuple(fc.nat(2 ** BITS - 1), fc.integer({ min: 1, max: 30 })), { minLength: 1, maxLength: 8 })
  .map((runs) => runs.flatMap(([value, length]) => new Array<number>(length).fill(value)));

/** The clock in which a trigger fires, by the meaning of its steps: tries every way. -1 for none. */
function firing(all: readonly TriggerStep[], values: readonly number[]): number {
  const fits = (list: { bit: number; value: number }[], sample: number) =>
    list.every(({ bit, value }) => ((sample >> bit) & 1) === value);
  let ends: number[] = [];
  all.forEach(({ any, count, within }, index) => {
    const occurs = values.map((value, clock) =>
      any.some(
        ({ now, before }) =>
          fits(now, value) && (before.length === 0 || (clock > 0 && fits(before, values[clock - 1]!))),
      ),
    );
    const before = index === 0 ? [-1] : ends;
    ends = values.flatMap((_, clock) => {
      if (!occurs[clock]) return [];
      const begins = before.some(
        (begin) =>
          begin < clock &&
          (index === 0 || within === null || clock - begin <= within) &&
          occurs.slice(begin + 1, clock + 1).filter(Boolean).length >= count,
      );
      return begins ? [clock] : [];
    });
  });
  return ends[0] ?? -1;
}

test('steps fire as specified, clock by clock and across idle stretches', () => {
  fc.assert(
    fc.property(steps, samples, (all, values) => {
      const sequence = new TriggerSequence(all);
      const words = new Int32Array(1);
      let fired = -1;
      for (let clock = 0; clock < values.length && fired < 0; ) {
        const before = clock === 0 ? null : Int32Array.of(values[clock - 1]!);
        words[0] = values[clock]!;
        // As the recorder: equal clocks that cannot fire are counted at once.
        let rest = 0;
        while (before && values[clock + rest] === before[0]) rest += 1;
        if (before && rest > 0 && !sequence.mayFire(before)) {
          sequence.rest(before, rest);
          clock += rest;
          continue;
        }
        if (sequence.look(words, before)) fired = clock;
        clock += 1;
      }
      expect(fired).toBe(firing(all, values));
    }),
    { numRuns: 2000 },
  );
});

test('a range becomes the fewest prefixes that match exactly its numbers', () => {
  fc.assert(
    fc.property(fc.nat(255), fc.nat(255), (one, other) => {
      const [min, max] = one < other ? [one, other] : [other, one];
      const prefixes = rangePrefixes(BigInt(min), BigInt(max), 8);
      const found = Array.from(
        { length: 256 },
        (_, value) => prefixes.filter((prefix) => (BigInt(value) & prefix.mask) === prefix.value).length,
      );
      expect(found).toEqual(found.map((_, value) => (value >= min && value <= max ? 1 : 0)));
      expect(prefixes.length).toBeLessThanOrEqual(14);
    }),
  );
  expect(rangePrefixes(0n, 2n ** 64n - 1n, 64)).toEqual([{ value: 0n, mask: 0n }]);
});
