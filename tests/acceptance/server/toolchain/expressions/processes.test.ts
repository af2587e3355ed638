import { describe, expect, test } from 'vitest';
import { BenchError } from '../../../../../server/errors/bench-error.ts';
import { seeded } from '../../../../support/seeded.ts';
import { SOAK } from '../../../../support/soak.ts';
import { inputsOf, type Trial, wrongOutputs } from '../../../../support/toolchain/expressions/bench.ts';
import { MemoryMaker } from '../../../../support/toolchain/expressions/memories.ts';
import { OPERAND_COUNT, ProcessMaker } from '../../../../support/toolchain/expressions/processes.ts';
import { SystemVerilogMaker } from '../../../../support/toolchain/expressions/systemverilog.ts';
import { hasVerilator } from '../../../../support/toolchain/expressions/verilator.ts';
import { VhdlMaker } from '../../../../support/toolchain/expressions/vhdl.ts';
import { CompositeMaker } from '../../../../support/toolchain/expressions/vhdl-composites.ts';
import { NumberMaker } from '../../../../support/toolchain/expressions/vhdl-numbers.ts';
import { hasGhdl, hasIcarus } from '../../../../support/toolchain/simulate.ts';
import { plainYosys } from '../../../../support/toolchain/support.ts';

/** Random designs of each kind. */
const COUNT = SOAK ? 300 : 1;
const FIRST_SEED = Number(process.env['WISHBENCH_PROCESS_SEED'] ?? 1);
const CLOCKS = 100;

type Random = () => number;
interface Kind extends Pick<Trial, 'filename' | 'simulator'>, Partial<Pick<Trial, 'depth'>> {
  runs: boolean;
  make(random: Random): { text: string; outputs: number };
}

const KINDS: Readonly<Record<string, Kind>> = {
  'Verilog, as in Icarus Verilog': {
    ...{ filename: 'design.v', simulator: 'icarus', runs: hasIcarus },
    make: (random: Random) => new ProcessMaker(random).make(),
  },
  'Verilog with memories, as in Icarus Verilog': {
    ...{ filename: 'design.v', simulator: 'icarus', depth: 'cells', runs: hasIcarus },
    make: (random: Random) => new MemoryMaker(random, false).make(),
  },
  'SystemVerilog with types and modules, as in Verilator': {
    ...{ filename: 'design.sv', simulator: 'verilator', runs: hasIcarus && hasVerilator },
    make: (random: Random) => new SystemVerilogMaker(random).make(),
  },
  'SystemVerilog with memories, as in Verilator': {
    ...{ filename: 'design.sv', simulator: 'verilator', depth: 'cells', runs: hasIcarus && hasVerilator },
    make: (random: Random) => new MemoryMaker(random, true).make(),
  },
  'VHDL, as in GHDL': {
    ...{ filename: 'design.vhd', simulator: 'ghdl', runs: hasIcarus && hasGhdl },
    make: (random: Random) => new VhdlMaker(random).make(),
  },
  'VHDL with numbers, as in GHDL': {
    ...{ filename: 'design.vhd', simulator: 'ghdl', runs: hasIcarus && hasGhdl },
    make: (random: Random) => new NumberMaker(random).make(),
  },
  'VHDL with records and arrays, as in GHDL': {
    ...{ filename: 'design.vhd', simulator: 'ghdl', runs: hasIcarus && hasGhdl },
    make: (random: Random) => new CompositeMaker(random).make(),
  },
};

/** A simulator cannot run some designs, GHDL refuses some, and some memories fit no part. The next seed takes their place. */
const isBeyond = (error: unknown, filename: string): boolean =>
  /vvp|iverilog|verilator|@refused/.test(String(error)) ||
  (filename === 'design.vhd' && error instanceof BenchError);

describe('random designs do what they do in a simulation', () => {
  for (const [name, { filename, simulator, depth = 'words', runs, make }] of Object.entries(KINDS))
    test.skipIf(!runs)(`${COUNT} in ${name}`, async () => {
      const found: string[] = [];
      for (let compared = 0, seed = FIRST_SEED; compared < COUNT; seed++) {
        const { text, outputs } = make(seeded(seed));
        const inputs = inputsOf(seeded(seed + 1), OPERAND_COUNT, CLOCKS);
        const trial: Trial = {
          ...{
            engine: plainYosys,
            board: 'virtual-hx8k',
            depth,
            filename,
            ...(simulator && { simulator }),
          },
          ...{ operands: [], inputs },
        };
        try {
          const wrong = await wrongOutputs(trial, text, outputs);
          if (wrong.length > 0) found.push(`seed ${seed}:\n${text}\n${JSON.stringify(wrong)}`);
          compared++;
        } catch (error) {
          if (!isBeyond(error, filename)) throw error;
        }
      }
      expect(found).toEqual([]);
    });
});
