import { expect, test } from 'vitest';
import { type Rate, ValueSamples } from '../../../../../server/boards/virtual/words/value-samples.ts';
import type { Value } from '../../../../../server/boards/virtual/words/word-graph.ts';
import { generator } from '../../../../support/boards/virtual/random-design.ts';
import { randomWords } from '../../../../support/boards/virtual/random-words.ts';
import { firstDifference } from '../../../../support/boards/virtual/side-by-side.ts';
import { withOthers } from '../../../../support/boards/virtual/with-others.ts';

/** Random netlists that are compared; WISHBENCH_FUZZ=200 for a longer run. */
const SEEDS = Array.from({ length: 2 * Number(process.env['WISHBENCH_FUZZ'] ?? '0.5') }, (_, k) => k + 1);

const differing = () => SEEDS.filter((seed) => firstDifference(randomWords(seed), seed, 60) !== null);

/** Random rates: never needed, or always. */
function anything(seed: number): () => Rate {
  const random = generator(seed);
  return () => ({ part: random(2), surprise: 0 });
}

test('observed values affect only speed: any branches give the same results', () => {
  for (const seed of [1, 2])
    withOthers(ValueSamples, { zero: anything(seed), decided: anything(seed + 10) }, () => {
      expect(differing()).toEqual([]);
    });
}, 300_000);

test('a branch that checks too few bits is detected', () => {
  const { demanded } = ValueSamples.prototype;
  const wrong = [
    function (this: ValueSamples, value: Value) {
      const bits = demanded.call(this, value);
      return bits & (bits - 1);
    },
    () => 0,
  ];
  for (const fault of wrong)
    withOthers(ValueSamples, { decided: () => ({ part: 1, surprise: 0 }), demanded: fault }, () => {
      expect(differing().length).toBeGreaterThan(SEEDS.length / 3);
    });
}, 300_000);
