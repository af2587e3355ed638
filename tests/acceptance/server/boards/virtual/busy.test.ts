import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Netlist } from '../../../../../server/boards/virtual/netlist/netlist.ts';
import { Machine } from '../../../../../server/boards/virtual/runtime/machine.ts';
import { compile } from '../../../../../server/boards/virtual/runtime/machine-plan.ts';
import { signaturesOf } from '../../../../support/boards/virtual/busy.ts';
import { noticeWithoutIcarus, simulateInIcarus } from '../../../../support/boards/virtual/icarus.ts';
import { RECORDED, recordedNetlist } from '../../../../support/boards/virtual/recorded-netlists.ts';
import { closeTools } from '../../../../support/boards/virtual/tools.ts';
import { SOAK } from '../../../../support/soak.ts';

/**
 * The outputs that are compared, the number of cycles, and the interval in cycles. The signature of a CPU contains
 * everything it has done. In words, rarely needed logic depends on at least so many branches, and at least so many
 * cases have code of their own.
 */
const DESIGNS = [
  {
    name: 'a soft CPU, now and then',
    design: 'soft-cpu',
    cycles: SOAK ? 1_000_000 : 8000,
    every: SOAK ? 1000 : 250,
    branches: 20,
    cases: 5,
    // Some registers are operands of adders, some are read or fed by those bit by bit; 3,963 where only registers that are made
    // alike share a word.
    operations: 3600,
  },
  {
    name: 'checksums, feedback, a filter, a digest, queues, registers and a serial CPU, in every cycle',
    design: 'busy-designs',
    cycles: SOAK ? 200_000 : 2000,
    every: 1,
    branches: 1,
    cases: 0,
    operations: Number.POSITIVE_INFINITY,
  },
  {
    name: 'a soft CPU with a barrel shifter, now and then',
    design: 'soft-cpu-barrel',
    cycles: SOAK ? 1_000_000 : 8000,
    every: SOAK ? 1000 : 250,
    branches: 20,
    cases: 5,
    operations: Number.POSITIVE_INFINITY,
  },
] as const;

afterAll(() => closeTools());

// The last one in `npm run soak`.
describe.skipIf(noticeWithoutIcarus()).each(SOAK ? DESIGNS : DESIGNS.slice(0, 2))(
  '$name, against Icarus Verilog',
  (design) => {
    const { cycles, every } = design;
    let netlist: Netlist;
    let expected: string[] = [];

    beforeAll(async () => {
      netlist = await recordedNetlist(design.design);
      expected = await simulateInIcarus(RECORDED[design.design](), cycles, every);
      expect(expected).toHaveLength(cycles / every);
      // A stuck output shows nothing.
      expect(new Set(expected).size).toBeGreaterThan(19);
    }, 300_000);

    test('the compiled engine, and then both engines alternately, match', () => {
      const half = cycles / 2;
      const { signatures, words, branches, cases, operations } = signaturesOf(
        netlist,
        cycles,
        every,
        (cycle) => {
          if (cycle === 0) return 'words';
          if (cycle < half || cycle % 300 !== 0) return null;
          return cycle % 600 === 0 ? 'events' : 'words';
        },
      );
      expect(words).toBeGreaterThan(half);
      expect(words).toBeLessThan(cycles);
      expect(branches).toBeGreaterThanOrEqual(design.branches);
      expect(cases).toBeGreaterThanOrEqual(design.cases);
      expect(operations).toBeLessThan(design.operations);
      expect(signatures).toEqual(expected);
    });
  },
);

// Half of the bits of their seeds are ones, which the chip's registers keep inverted.
test('a thousand bits that feed each other, inverted or not, compile to fewer than 700 operations', async () => {
  const machine = new Machine(compile(await recordedNetlist('lfsr')));
  machine.evaluateIn('words');
  expect(machine.words?.operations).toBeLessThan(700);
});

// Nearly seven thousand if each full adder is computed by itself.
test('sixteen products with constants and their sums compile to fewer than 1000 operations', async () => {
  const machine = new Machine(compile(await recordedNetlist('fir')));
  machine.evaluateIn('words');
  expect(machine.words?.operations).toBeLessThan(1000);
});

test('the compiled engine vectorises registers with constant reset values', async () => {
  const machine = new Machine(compile(await recordedNetlist('digest')));
  machine.evaluateIn('words');
  expect(machine.words?.operations).toBeLessThan(1800);
});
