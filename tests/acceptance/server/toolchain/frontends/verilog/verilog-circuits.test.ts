import { describe, expect, test } from 'vitest';
import { seeded } from '../../../../../support/seeded.ts';
import { everyNth } from '../../../../../support/soak.ts';
import { inputsOf, type Trial, wrongOutputs } from '../../../../../support/toolchain/expressions/bench.ts';
import { hasVerilator } from '../../../../../support/toolchain/expressions/verilator.ts';
import {
  circuitsTogether,
  WORDS,
} from '../../../../../support/toolchain/frontends/verilog/circuits-together.ts';
import { SYSTEMVERILOG_CIRCUITS } from '../../../../../support/toolchain/frontends/verilog/systemverilog-circuits.ts';
import {
  VERILOG_CIRCUITS,
  type VerilogCircuit,
} from '../../../../../support/toolchain/frontends/verilog/verilog-circuits.ts';
import { hasIcarus } from '../../../../../support/toolchain/simulate.ts';
import { plainYosys } from '../../../../../support/toolchain/support.ts';

const CLOCKS = 120;

/** What the circuits do wrong, of all words of their outputs. */
async function wrongOf(
  circuits: Readonly<Record<string, VerilogCircuit>>,
  how: Pick<Trial, 'simulator' | 'depth'>,
): Promise<string[]> {
  const names = Object.keys(circuits);
  const trial: Trial = {
    ...{ engine: plainYosys, board: 'virtual-hx8k', filename: 'design.sv', operands: [] },
    ...{ inputs: inputsOf(seeded(7), WORDS, CLOCKS), ...how },
  };
  const wrong = await wrongOutputs(trial, circuitsTogether(Object.values(circuits)), names.length);
  return wrong.map(({ at, input, meant, got }) => `${names[at]}: ${meant}, got ${got}, for ${input}`);
}

// The models of the cells let no latch settle, and Icarus Verilog drives no bits of a vector that clock its other bits.
const SETTLING = Object.fromEntries(
  Object.entries(VERILOG_CIRCUITS).filter(([name]) => !/latch|ripple/.test(name)),
);

describe.skipIf(!hasIcarus)('circuits do what they do in a simulation', () => {
  // Down to the cells in the soak.
  test.each(everyNth(2, ['words', 'cells'] as const))(
    'in Verilog, as in Icarus Verilog: %s',
    async (depth) => {
      const circuits = depth === 'cells' ? SETTLING : VERILOG_CIRCUITS;
      expect(await wrongOf(circuits, { simulator: 'icarus', depth })).toEqual([]);
    },
  );

  test.skipIf(!hasVerilator)('in SystemVerilog, as in Verilator', async () => {
    expect(await wrongOf(SYSTEMVERILOG_CIRCUITS, { simulator: 'verilator', depth: 'words' })).toEqual([]);
  });
});
