import type { Net, Netlist } from '../netlist/netlist.ts';
import { dependsOn } from './truth-table.ts';

/** Minimum length of a carry chain that is an adder. */
const ADDER = 4;
/** Maximum look-up tables on the way back from a register. */
const MAX_TRAVERSED_TABLES = 300;

/** Relations between the bits of different words. */
export interface Neighbourhood {
  /** Per flip-flop: state bits of its next value, without paths through carries. */
  near: number[][];
  /** State bits that are operands of adders, lowest first. */
  adders: number[][][];
}

/**
 * The flip-flops and RAM outputs near each flip-flop, and the operands of adders. Paths through carries don't count,
 * because the highest bit of a sum would be near all bits.
 * @param stateOf state bit of a net that a register or RAM drives
 */
export function neighbourhoodOf(netlist: Netlist, stateOf: ReadonlyMap<Net, number>): Neighbourhood {
  const tables = new Map<Net, readonly Net[]>();
  for (const { output, inputs, table } of netlist.luts)
    tables.set(
      output,
      inputs.filter((net, v) => net >= 2 && dependsOn(table, v)),
    );
  const statesBehind = (start: Net): number[] => {
    const found = new Set<number>();
    const seen = new Set([start]);
    const stack = [start];
    for (let net = stack.pop(); net !== undefined; net = stack.pop()) {
      const state = stateOf.get(net);
      if (state !== undefined) found.add(state);
      if (state !== undefined || seen.size > MAX_TRAVERSED_TABLES) continue;
      for (const input of tables.get(net) ?? [])
        if (!seen.has(input)) {
          seen.add(input);
          stack.push(input);
        }
    }
    return [...found];
  };
  return {
    near: netlist.flipFlops.map(({ d }) => statesBehind(d)),
    adders: addersOf(netlist, stateOf).map((nets) =>
      nets.map((ofBit) => ofBit.map((net) => stateOf.get(net)).filter((state) => state !== undefined)),
    ),
  };
}

/** Nets of the operands of each adder, lowest bit first. */
function addersOf({ carries, luts }: Netlist, stateOf: ReadonlyMap<Net, number>): Net[][][] {
  const next = new Map(carries.map((carry) => [carry.inputs[2], carry]));
  const outputs = new Set(carries.map(({ output }) => output));
  const readers = new Map<Net, Net[]>();
  for (const { inputs } of luts)
    for (const net of inputs)
      if (outputs.has(net)) readers.set(net, [...(readers.get(net) ?? []), ...inputs]);
  return carries
    .filter(({ inputs }) => !outputs.has(inputs[2]))
    .map((first) => {
      const bits: Net[][] = [];
      let last = first;
      for (
        let at: typeof first | undefined = first;
        at && bits.length <= carries.length;
        at = next.get(at.output)
      ) {
        // A cell that only injects a carry is no bit.
        const constants = at.inputs.filter((net) => net < 2).length;
        if (constants < 2) bits.push([at.inputs[0], at.inputs[1]]);
        last = at;
      }
      // A counter begins with its lowest bit as the carry; the highest bit of a sum has no carry of its own.
      const [, , carryIn] = first.inputs;
      if (stateOf.has(carryIn)) bits.unshift([carryIn]);
      bits.push((readers.get(last.output) ?? []).filter((net) => net !== last.output));
      return bits;
    })
    .filter(({ length }) => length > ADDER);
}
