import { expect, test } from 'vitest';
import type { Netlist } from '../../../../../server/boards/virtual/netlist/netlist.ts';
import { Machine } from '../../../../../server/boards/virtual/runtime/machine.ts';
import { compile } from '../../../../../server/boards/virtual/runtime/machine-plan.ts';
import { LutGraph } from '../../../../../server/boards/virtual/words/lut-graph.ts';
import { shiftsOf } from '../../../../../server/boards/virtual/words/shifts.ts';
import { WordGraph } from '../../../../../server/boards/virtual/words/word-graph.ts';
import { randomShift } from '../../../../support/boards/virtual/random-shift.ts';
import { recordedNetlist } from '../../../../support/boards/virtual/recorded-netlists.ts';
import { firstDifference } from '../../../../support/boards/virtual/side-by-side.ts';
import { SOAK } from '../../../../support/soak.ts';

const SEEDS = Array.from({ length: SOAK ? 60 : 8 }, (_, k) => k + 1);

/** Bits of shifts by all of a distance. */
const shiftedBits = (netlist: Netlist, stages: number) =>
  shiftsOf(new LutGraph(netlist), () => -1)
    .filter(({ distance }) => distance.filter((literal) => literal > 0).length === stages)
    .reduce((sum, { bits }) => sum + bits.length, 0);

/** Bits of the distance: the registers that many tables read. */
const stagesOf = (netlist: Netlist) =>
  netlist.flipFlops.filter(({ q }) => netlist.luts.filter(({ inputs }) => inputs[0] === q).length > 10)
    .length;

test('shifts by a variable distance are found, and give the same results in words as in events', () => {
  for (const seed of SEEDS) {
    const { netlist, width } = randomShift(seed);
    // Bits to which a single place of the data can come are no shift by all of the distance.
    expect({ seed, bits: shiftedBits(netlist, stagesOf(netlist)) >= width / 2 }).toEqual({
      seed,
      bits: true,
    });
    expect({ seed, step: firstDifference(netlist, seed, 40) }).toEqual({ seed, step: null });
  }
}, 300_000);

test('a bit with one wrong entry in one table is not taken for one of the shift', () => {
  for (const seed of SEEDS) {
    const { netlist } = randomShift(seed);
    const stages = stagesOf(netlist);
    const right = shiftedBits(netlist, stages);
    // A table of the last stage, which is one bit of the result.
    const last = netlist.luts.at(-(seed + 2));
    if (last) last.table ^= 0x1111 << (seed % 4);
    expect({ seed, fewer: shiftedBits(netlist, stages) < right || right === 0 }).toEqual({
      seed,
      fewer: true,
    });
    expect({ seed, step: firstDifference(netlist, seed, 40) }).toEqual({ seed, step: null });
  }
}, 300_000);

test('a shift by one bit too many is noticed', () => {
  const { netlist } = randomShift(1);
  const places = netlist.flipFlops.map(({ name }) => name);
  const stateIn = (engine: 'events' | 'words') => {
    const machine = new Machine(
      compile(netlist),
      netlist.inputs.map((_, k) => k & 1),
    );
    machine.evaluateIn(engine);
    machine.run(100);
    expect(machine.evaluation).toBe(engine);
    return machine.peek(places).join('');
  };
  const right = stateIn('events');
  expect(stateIn('words')).toBe(right);
  const { shrU, shl } = WordGraph.prototype;
  let spoilt = 0;
  const wrong = (shift: typeof shl): typeof shl =>
    function (this: WordGraph, x, distance) {
      const isConstant = this.constant(this.operand(distance, 0)) === distance;
      if (isConstant) return shift.call(this, x, distance);
      spoilt++;
      return shift.call(this, x, this.add(distance, this.constant(1)));
    };
  WordGraph.prototype.shrU = wrong(shrU);
  WordGraph.prototype.shl = wrong(shl);
  try {
    expect(stateIn('words')).not.toBe(right);
    expect(spoilt).toBeGreaterThan(0);
  } finally {
    WordGraph.prototype.shrU = shrU;
    WordGraph.prototype.shl = shl;
  }
});

// Synthesis merges stages, puts masks into tables and resets, and shares what both directions have in common. 1,500
// without shifts.
test('three shifters of 32 bits compile to fewer than 600 operations', async () => {
  const netlist = await recordedNetlist('shifters');
  const machine = new Machine(compile(netlist));
  machine.evaluateIn('words');
  expect(machine.words?.operations).toBeLessThan(600);
  expect(firstDifference(netlist, 1, 40)).toBeNull();
}, 60_000);
