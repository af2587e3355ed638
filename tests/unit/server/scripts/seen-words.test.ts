import fc from 'fast-check';
import { expect, test } from 'vitest';
import { expectationOf } from '../../../../server/contract/jobs/read-proposals.ts';
import type { DoneTransaction } from '../../../../server/scripts/done-transaction.ts';
import { recordedScript } from '../../../../server/scripts/recorded-script.ts';
import { seenWords } from '../../../../server/scripts/seen-words.ts';

let clock = 0;
const one = (op: 'read' | 'write', address: number, ...words: number[]): DoneTransaction => ({
  ...{ op, address, count: words.length, fixed: false, fault: false, data: Uint32Array.from(words) },
  at: ++clock,
});
const reads = (address: number, ...words: number[]) => words.map((word) => one('read', address, word));
const proposed = (done: DoneTransaction[], value: number) => seenWords(done).at(4, value).proposal;

test.each([
  ['a word that was read once', [7], 'expected'],
  ['a constant', [7, 7, 7], 'expected'],
  ['a counter', [10, 250, 900], 'ignored'],
  ['a counter that counts down', [900, 250, 10], 'ignored'],
  ['two values of what may be a counter', [10, 250], 'ignored'],
  ['a flag that comes', [0x80, 0x80, 0x81], 'mask'],
  ['a flag that comes and goes', [0x80, 0x81, 0x80], 'mask'],
  ['a measured value', [500, 530, 490, 610], 'range'],
] as const)('%s', (_, words, proposal) => {
  expect(proposed(reads(4, ...words), words[0])).toBe(proposal);
});

test('changes by writes are expected; only changes between reads without writes affect the proposal', () => {
  const done = [...reads(4, 0), one('write', 0, 1), ...reads(4, 1), one('write', 0, 0), ...reads(4, 0)];
  expect(proposed(done, 1)).toBe('expected');
  // A FIFO returns what was written.
  expect(proposed([one('write', 4, 1), one('write', 4, 2), ...reads(4, 1, 2)], 2)).toBe('expected');
});

test('polls reveal a changing word that was read only once', () => {
  const [asked] = reads(0xc, 1000);
  const { script, reads: seen } = recordedScript([asked as DoneTransaction], reads(0xc, 1500, 2000));
  expect(script.steps).toEqual([{ op: 'read', address: 0xc, expect: [null] }]);
  expect(seen).toMatchObject([
    { step: [0], words: [{ value: 1000, reads: 3, min: 1000, max: 2000, proposal: 'ignored' }] },
  ]);
});

test('each word of a burst has its own proposal, and a repeat refers to its step', () => {
  const burst = [one('read', 0, 5, 10), one('read', 0, 5, 20), one('read', 0, 5, 30)];
  const { script, reads: seen } = recordedScript(burst);
  expect(script.steps).toEqual([
    { op: 'repeat', times: 3, steps: [{ op: 'read', address: 0, expect: [5, null] }] },
  ]);
  expect(seen.map(({ step }) => step)).toEqual([[0, 0]]);
});

test('every proposal except a counter’s value accepts the observed words', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 0xffff_ffff }), { minLength: 1 }), (words) => {
      const seen = seenWords(reads(4, ...words));
      for (const value of words) {
        const word = seen.at(4, value);
        const range = expectationOf(word, 'range') as { min: number; max: number };
        const mask = expectationOf(word, 'mask') as { mask: number; value: number };
        for (const other of words) {
          expect(other >= range.min && other <= range.max).toBe(true);
          expect((other & mask.mask) >>> 0).toBe(mask.value);
        }
        expect(expectationOf(word, 'expected')).toBe(value);
        expect(expectationOf(word, 'ignored')).toBeNull();
      }
    }),
  );
});
