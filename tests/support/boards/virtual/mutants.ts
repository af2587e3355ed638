import type { Netlist } from '../../../../server/boards/virtual/netlist/netlist.ts';
import { Machine } from '../../../../server/boards/virtual/runtime/machine.ts';
import { compile } from '../../../../server/boards/virtual/runtime/machine-plan.ts';
import { inputIndices } from './drive.ts';
import { stimulus } from './random-design.ts';
import type { YosysModule } from './tools.ts';
import { netlistOf } from './yosys-netlist.ts';

/** A design with one bit of one look-up table inverted. */
export interface Mutant {
  module: YosysModule;
  netlist: Netlist;
}

/**
 * Up to `count` mutants of a design: bits of truth tables that the stimulus does read, in different tables. A bit
 * that is never read cannot be noticed by anybody.
 */
export function mutantsOf(module: YosysModule, seed: number, count: number): Mutant[] {
  const read = entriesRead(module);
  const candidates = read.flatMap((entries, lut) => {
    const bits = Array.from({ length: 16 }, (_, bit) => bit).filter((bit) => (entries >> bit) & 1);
    const bit = bits[(seed + lut * 7) % bits.length];
    return bit === undefined ? [] : [{ lut, bit }];
  });
  const step = Math.max(1, Math.floor(candidates.length / count));
  return candidates
    .filter((_, k) => k % step === 0)
    .slice(0, count)
    .map(({ lut, bit }) => {
      const netlist = netlistOf(module);
      const mutated = netlist.luts[lut];
      if (mutated) mutated.table ^= 1 << bit;
      return { module, netlist };
    });
}

/** Per look-up table: which entries are read at the end of some cycle, as a mask of 16 bits. */
function entriesRead(module: YosysModule): number[] {
  const netlist = netlistOf(module);
  netlist.outputs = netlist.luts.flatMap(({ inputs }) => inputs.map((net) => ({ name: '', net })));
  const inputs = inputIndices(netlist);
  const machine = new Machine(
    compile(netlist),
    netlist.inputs.map(() => 0),
  );
  const read = netlist.luts.map(() => 0);
  for (const value of stimulus()) {
    inputs.forEach((index, k) => {
      machine.setInput(index, (value >> k) & 1);
    });
    machine.run(1);
    for (let lut = 0; lut < read.length; lut++) {
      let entry = 0;
      for (let k = 0; k < 4; k++) entry |= machine.output(4 * lut + k) << k;
      read[lut] = (read[lut] ?? 0) | (1 << entry);
    }
  }
  return read;
}
