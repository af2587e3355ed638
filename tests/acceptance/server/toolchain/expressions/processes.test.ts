import { describe, expect, test } from 'vitest';
import { seeded } from '../../../../support/seeded.ts';
import { SOAK } from '../../../../support/soak.ts';
import { inputsOf, type Trial, wrongOutputs } from '../../../../support/toolchain/expressions/bench.ts';
import { OPERAND_COUNT, ProcessMaker } from '../../../../support/toolchain/expressions/processes.ts';
import { hasIcarus } from '../../../../support/toolchain/simulate.ts';
import { plainYosys } from '../../../../support/toolchain/support.ts';

/** Random designs of each language. */
const COUNT = SOAK ? 300 : 1;
const FIRST_SEED = Number(process.env['WISHBENCH_PROCESS_SEED'] ?? 1);
/** Levels of statements within statements. */
const LEVELS = 1;
const CLOCKS = 100;

/** Icarus 11 cannot run some designs in SystemVerilog; the next seed takes their place. */
const isBeyondIcarus = (error: unknown): boolean => /vvp|iverilog/.test(String(error));

describe.skipIf(!hasIcarus)('processes do what they do in Icarus Verilog', () => {
  test.each(['design.v', 'design.sv'] as const)(`${COUNT} random designs, %s`, async (filename) => {
    const found: string[] = [];
    for (let compared = 0, seed = FIRST_SEED; compared < COUNT; seed++) {
      const { text, outputs } = new ProcessMaker(seeded(seed), filename === 'design.sv', LEVELS).make();
      const inputs = inputsOf(seeded(seed + 1), OPERAND_COUNT, CLOCKS);
      const trial: Trial = {
        ...{ engine: plainYosys, board: 'virtual-hx8k', depth: 'words', filename },
        ...{ operands: [], inputs },
      };
      try {
        const wrong = await wrongOutputs(trial, text, outputs);
        if (wrong.length > 0) found.push(`seed ${seed}:\n${text}\n${JSON.stringify(wrong)}`);
        compared++;
      } catch (error) {
        if (!isBeyondIcarus(error)) throw error;
      }
    }
    expect(found).toEqual([]);
  });
});
