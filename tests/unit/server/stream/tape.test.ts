import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Tape } from '../../../../server/stream/tape.ts';

/** Words of a session that are remembered. */
const MOST = 1 << 18;

test('a session’s newest words are retained up to the capacity; dropping words frees room', () => {
  let forgotten = 0;
  const step = fc.record({
    words: fc.oneof(fc.constant(1), fc.integer({ min: 0, max: MOST + 1 }), fc.nat(MOST >> 1)),
    drop: fc.option(fc.nat(11), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const tape = new Tape();
      /** By seq, oldest first. */
      const model: { seq: number; words: Uint32Array }[] = [];
      const total = () => model.reduce((sum, { words }) => sum + words.length, 0);
      steps.forEach(({ words: count, drop }, seq) => {
        const words = new Uint32Array(count);
        tape.keep(seq, words);
        if (count > 0 && count <= MOST) model.push({ seq, words });
        while (total() > MOST) {
          model.shift();
          forgotten++;
        }
        if (drop === undefined) return;
        tape.drop(drop);
        const at = model.findIndex((one) => one.seq === drop);
        if (at >= 0) model.splice(at, 1);
      });
      for (const seq of steps.keys())
        expect(tape.wordsOf(seq)).toBe(model.find((one) => one.seq === seq)?.words ?? null);
    }),
  );
  expect(forgotten).toBeGreaterThan(20);
});
