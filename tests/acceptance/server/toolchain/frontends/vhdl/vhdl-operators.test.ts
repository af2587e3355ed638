import { describe, expect, test } from 'vitest';
import { compareOperations } from '../../../../../support/toolchain/frontends/vhdl/vhdl-compare.ts';
import {
  LIBRARIES,
  type Library,
  randomFrom,
  type Widths,
} from '../../../../../support/toolchain/frontends/vhdl/vhdl-operators.ts';
import { hasGhdl, hasIcarus } from '../../../../../support/toolchain/simulate.ts';

/** How many entities of each library are compared in the long form, and its first seed. */
const SOAK = Number(process.env['WISHBENCH_VHDL_ENTITIES'] ?? (process.env['WISHBENCH_SOAK'] ? 60 : 0));
const SEED = Number(process.env['WISHBENCH_VHDL_SEED'] ?? 1);

const runs = (library: Library): { library: Library; widths: Widths; seed: number }[] =>
  SOAK > 0
    ? Array.from({ length: SOAK }, (_, at) => {
        const random = randomFrom((SEED + at) * 7919);
        for (let n = 0; n < 8; n++) random(2);
        return { library, widths: { a: 1 + random(33), b: 1 + random(33) }, seed: SEED + at };
      })
    : [{ library, widths: { a: 7 + SEED, b: 5 }, seed: SEED }];

// Numbers as the packages have them: signs, what is cut and what is not, numbers beyond the width of a value.
describe.skipIf(!hasGhdl || !hasIcarus)('operators of VHDL', () => {
  test.each(LIBRARIES)(
    '%s: a circuit matches GHDL’s simulation, or the operator is rejected',
    async (library) => {
      let words = 0;
      let operations = 0;
      const refused = new Map<string, string>();
      const wrong: string[] = [];
      for (const { widths, seed } of runs(library)) {
        const found = await compareOperations(library, widths, seed, SOAK > 0 ? { stimuli: 64 } : {});
        words += found.words;
        operations += found.operations;
        wrong.push(...found.wrong);
        for (const { expression, message } of found.refused) refused.set(message, expression);
      }
      if (SOAK > 0)
        process.stdout.write(
          `${library}: ${SOAK} entities from seed ${SEED}, ${operations} operations, ${words} words, ${wrong.length} wrong\n${[...refused].map(([message, expression]) => `  refused: ${expression}: ${message}\n`).join('')}${wrong.slice(0, 20).join('\n')}\n`,
        );
      expect(wrong).toEqual([]);
      expect(words).toBeGreaterThan(500);
      expect([...refused.keys()].filter((message) => message === '')).toEqual([]);
    },
    SOAK > 0 ? 24 * 3_600_000 : 60_000,
  );

  test('arith: numbers with vectors of more than 32 bits', async () => {
    const { words, wrong } = await compareOperations('arith', { a: 33, b: 23 }, 19);
    expect(wrong).toEqual([]);
    expect(words).toBeGreaterThan(500);
  });
});
