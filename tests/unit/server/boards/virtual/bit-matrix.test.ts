import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BitMatrix } from '../../../../../server/boards/virtual/words/bit-matrix.ts';
import { type Value, WORD_OP, WordGraph } from '../../../../../server/boards/virtual/words/word-graph.ts';

/** A value of the graph for these loaded words. */
function evaluated(words: WordGraph, value: Value, loads: Int32Array): number {
  const operand = (k: 0 | 1) => evaluated(words, words.operand(value, k), loads);
  switch (words.operator(value)) {
    case WORD_OP.constant:
      return words.operand(value, 0);
    case WORD_OP.load:
      return loads[words.operand(value, 0)]!;
    case WORD_OP.and:
      return operand(0) & operand(1);
    case WORD_OP.xor:
      return operand(0) ^ operand(1);
    case WORD_OP.sub:
      return (operand(0) - operand(1)) | 0;
    case WORD_OP.shl:
      return operand(0) << operand(1);
    case WORD_OP.shrU:
      return operand(0) >>> operand(1);
    case WORD_OP.shrS:
      return operand(0) >> operand(1);
    case WORD_OP.table:
      return words.tables[words.operand(value, 0)]![operand(1) >> 2]!;
    default:
      throw new Error(`operation ${words.operator(value)}`);
  }
}

/** Bit `from` of word `word` goes into a lane. */
interface Entry {
  word: number;
  from: number;
  lane: number;
}

const LANES = Array.from({ length: 32 }, (_, lane) => lane);
const lane = fc.integer({ min: 0, max: 31 });
const word = fc.integer({ min: 0, max: 2 });

/** Few bits and many, bits that move together, one bit in many lanes, and a permutation. */
const entries: fc.Arbitrary<Entry[]> = fc.oneof(
  fc.array(fc.record({ word, from: lane, lane }), { minLength: 1, maxLength: 6 }),
  fc.array(fc.record({ word, from: lane, lane }), { minLength: 100, maxLength: 900 }),
  fc
    .tuple(word, fc.integer({ min: -31, max: 31 }))
    .map(([of, by]) =>
      LANES.filter((to) => to + by >= 0 && to + by < 32).map((to) => ({ word: of, from: to + by, lane: to })),
    ),
  fc
    .tuple(word, lane, fc.uniqueArray(lane, { minLength: 1 }))
    .map(([of, from, to]) => to.map((one) => ({ word: of, from, lane: one }))),
  fc
    .tuple(word, fc.shuffledSubarray(LANES, { minLength: 32 }))
    .map(([of, to]) => to.map((one, from) => ({ word: of, from, lane: one }))),
);

test('every lane is the exclusive or of the bits that go into it', () => {
  const loads = fc.tuple(fc.integer(), fc.integer(), fc.integer());
  fc.assert(
    fc.property(fc.array(entries, { minLength: 1, maxLength: 3 }), fc.array(loads), (groups, states) => {
      const words = new WordGraph();
      const matrix = new BitMatrix(words);
      let live = 0;
      for (const entry of groups.flat()) {
        matrix.toggle(words.load(entry.word, -1), entry.from, entry.lane);
        live |= 1 << entry.lane;
      }
      const value = matrix.joined(live);
      for (const state of states) {
        const wanted = groups
          .flat()
          .reduce((sum, entry) => sum ^ (((state[entry.word as 0]! >>> entry.from) & 1) << entry.lane), 0);
        expect(evaluated(words, value, Int32Array.from(state)) & live).toBe(wanted & live);
      }
    }),
    { numRuns: 300 },
  );
});

test('bits with one shift use a single move, and scattered ones at most a look-up for each byte', () => {
  const words = new WordGraph();
  const load = words.load(0, -1);
  const moved = new BitMatrix(words);
  const scattered = new BitMatrix(words);
  for (const to of LANES) if (to + 7 < 32) moved.toggle(load, to + 7, to);
  for (const to of LANES)
    for (const from of LANES) if ((to * from) % 3 === 1) scattered.toggle(load, from, to);
  expect(moved.joined(LANES.slice(0, 25).reduce((mask, to) => mask | (1 << to), 0))).toBe(
    words.moved(load, 7),
  );
  expect(words.tables).toHaveLength(0);
  scattered.joined(-1);
  expect(words.tables.length).toBeLessThanOrEqual(4);
});
