import { describe, expect, test } from 'vitest';
import { Cases } from '../../../../../server/boards/virtual/words/cases.ts';
import { KnownBits, type KnownWords } from '../../../../../server/boards/virtual/words/known-bits.ts';
import type { Action, Order } from '../../../../../server/boards/virtual/words/schedule.ts';
import { Specialised } from '../../../../../server/boards/virtual/words/specialised.ts';
import { ValueSamples } from '../../../../../server/boards/virtual/words/value-samples.ts';
import {
  isAvailable,
  type Value,
  WORD_OP,
  type WordGraph,
} from '../../../../../server/boards/virtual/words/word-graph.ts';
import { generator } from '../../../../support/boards/virtual/random-design.ts';
import { PLACES, randomMemory, randomOrder, WORDS } from '../../../../support/boards/virtual/random-order.ts';
import { randomWords } from '../../../../support/boards/virtual/random-words.ts';
import { firstDifference } from '../../../../support/boards/virtual/side-by-side.ts';
import { withOthers } from '../../../../support/boards/virtual/with-others.ts';

/** How much is compared; WISHBENCH_FUZZ=200 for a longer run. */
const FUZZ = Number(process.env['WISHBENCH_FUZZ'] ?? '1');
const seeds = (count: number) => Array.from({ length: count }, (_, k) => k + 1);

const actionsOf = (order: Order): Action[] => order.steps.flatMap(({ action }) => action ?? []);

/** The stores of an evaluation: by address, in each memory. */
function storesOf(
  order: Order,
  words: WordGraph,
  memories: readonly Int32Array[],
  keptAt?: (value: Value, clock: number) => number,
): Map<number, number>[] {
  const actions = actionsOf(order);
  const { at } = new ValueSamples(order, words, memories, PLACES, keptAt);
  return memories.map(
    (_, clock) =>
      new Map(
        actions.flatMap(({ condition, stores }) =>
          condition === null || at(condition, clock) !== 0
            ? stores.map(({ address, value }) => [address, at(value, clock)] as const)
            : [],
        ),
      ),
  );
}

/** Bits of some words, which memories then have: all of them, or a few. */
function anythingKnown(random: (n: number) => number): KnownWords {
  const known = new Map<number, { mask: number; value: number }>();
  for (let word = 0; word < WORDS; word++) {
    if (random(3) === 0) continue;
    const mask = random(4) === 0 ? -1 : random(0x10000) | (random(0x10000) << 16);
    known.set(word, { mask, value: (random(0x10000) | (random(0x10000) << 16)) & mask });
  }
  return known;
}

function memoryWith(known: KnownWords, random: (n: number) => number): Int32Array {
  const memory = randomMemory(random);
  for (const [word, { mask, value }] of known) memory[word] = ((memory[word] ?? 0) & ~mask) | value;
  return memory;
}

/** Whether a random evaluation with known bits stores anything else. */
function storesOther(seed: number): boolean {
  const random = generator(seed);
  const { order, words } = randomOrder(random);
  const known = anythingKnown(random);
  const memories = Array.from({ length: 6 }, () => memoryWith(known, random));
  const kept = new Set(
    order.steps.flatMap(({ value }) =>
      value !== null && !isAvailable(words.operator(value)) && random(10) === 0 ? [value] : [],
    ),
  );
  const whole = new ValueSamples(order, words, memories, PLACES);
  const left = new Specialised(order, words, known, (value) => kept.has(value));
  const expected = storesOf(order, words, memories);
  return !isSame(storesOf(left, left.words, memories, whole.at), expected);
}

const isSame = (x: Map<number, number>[], y: Map<number, number>[]) =>
  JSON.stringify(x.map((one) => [...one])) === JSON.stringify(y.map((one) => [...one]));

describe('with some state bits known', () => {
  test('a specialised evaluation stores the same values', () => {
    expect(seeds(300 * FUZZ).filter(storesOther)).toEqual([]);
  }, 120_000);

  test('more known bits leave less to compute, and all known leave nothing', () => {
    const computed = (order: Order, words: WordGraph) =>
      order.steps.filter(({ value }) => value !== null && !isAvailable(words.operator(value))).length;
    for (const seed of seeds(30)) {
      const random = generator(seed);
      const { order, words } = randomOrder(random);
      const memory = randomMemory(random);
      const all = new Map(
        Array.from({ length: WORDS }, (_, word) => [word, { mask: -1, value: memory[word] ?? 0 }]),
      );
      const half = new Map([...all].slice(WORDS / 2));
      const [none, some, everything] = [new Map(), half, all].map((known) => {
        const left = new Specialised(order, words, known, () => false);
        return computed(left, left.words);
      });
      expect(some).toBeLessThanOrEqual((none ?? 0) + 3);
      // Of a block RAM nothing is known.
      const usesRam = order.steps.some(
        ({ value }) => value !== null && words.operator(value) === WORD_OP.ram,
      );
      if (!usesRam) expect(everything).toBe(0);
    }
  });

  test.each([
    ['a bit that is known and another one that is not', { isKnown: wrongKnown }],
    ['the other operand', { sameAs: wrongSame }],
  ] as const)('%s would be detected', (_, fault) => {
    const noticed = withOthers(KnownBits, fault, () =>
      seeds(60).filter((seed) => fails(() => storesOther(seed))),
    );
    expect(noticed.length).toBeGreaterThan(10);
  });
});

const { isKnown, sameAs } = KnownBits.prototype;
const { needs } = Cases.prototype;

function wrongKnown(this: KnownBits, row: number): boolean {
  const sure = (this.zeros[row] ?? 0) | (this.ones[row] ?? 0);
  return isKnown.call(this, row) || ((this.asked[row] ?? 0) & sure) !== 0;
}

function wrongSame(this: KnownBits, row: number): number {
  const same = sameAs.call(this, row);
  return same > 0 ? same - 1 : same;
}

function fails(run: () => boolean): boolean {
  try {
    return run();
  } catch {
    return true;
  }
}

/** Cases by any bits at all. */
function anyCases(seed: number): Partial<Cases> {
  const random = generator(seed);
  return { worth: () => random(1_000_000), isWorthIt: () => true, isSeldom: () => false };
}

describe('cases', () => {
  test('each state belongs to exactly one', () => {
    for (const seed of seeds(10)) {
      const random = generator(seed);
      const { order, words } = randomOrder(random);
      const states = Array.from({ length: 40 }, () => randomMemory(random));
      const cases = withOthers(
        Cases,
        anyCases(seed),
        () =>
          new Cases(
            order,
            words,
            states,
            () => -1,
            () => false,
          ),
      );
      for (const state of [...states, ...Array.from({ length: 200 }, () => randomMemory(random))]) {
        const of = cases.all.filter(({ known }) =>
          [...known].every(([word, { mask, value }]) => ((state[word] ?? 0) & mask) === value),
        );
        expect(of).toHaveLength(1);
      }
    }
  });

  test('their choice affects only speed: any cases give the same results', () => {
    let most = 0;
    const differing = seeds(FUZZ).filter((seed) =>
      withOthers(
        Cases,
        { ...anyCases(seed), needs: countedNeeds },
        () => firstDifference(randomWords(seed), seed, 60) !== null,
      ),
    );
    expect(differing).toEqual([]);
    expect(most).toBeGreaterThan(8);

    function countedNeeds(this: Cases): Map<Value, number> {
      most = Math.max(most, this.all.length);
      return needs.call(this);
    }
  }, 300_000);
});
