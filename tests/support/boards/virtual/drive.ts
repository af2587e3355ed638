import type { Netlist } from '../../../../server/boards/virtual/netlist/netlist.ts';
import { Machine } from '../../../../server/boards/virtual/runtime/machine.ts';
import { compile } from '../../../../server/boards/virtual/runtime/machine-plan.ts';
import { INPUT_WIDTH, OUTPUT_WIDTH, stimulus } from './random-design.ts';

/** Pins of the ct256 package for the ports of the random designs. */
export const PINS = {
  clk: 'J3',
  in: 'B5 B4 A2 A1 C5 C4 B3 C3 B10 B12 B13 B14 B15 A15 A16 B16'.split(' '),
  out: 'C16 D16 E16 F16 G16 H16 J16 K16 L16 M16 N16 P16 R16 T16 T15 T14 T13 T11 T10 T9 T8 T7 T6 T5 T3 T2 T1 R1 P1 N2 M2 L1'.split(
    ' ',
  ),
};

export const PIN_CONSTRAINTS = [
  `set_io clk ${PINS.clk}`,
  ...PINS.in.map((pin, k) => `set_io in[${k}] ${pin}`),
  ...PINS.out.map((pin, k) => `set_io out[${k}] ${pin}`),
  '',
].join('\n');

/** Index of the netlist's pin for bit k of a port: by the name `port[k]`, or by the package's pin. */
function pinIndex(pins: { name: string }[], port: 'in' | 'out', k: number): number {
  return pins.findIndex(({ name }) => name === `${port}[${k}]` || name === PINS[port][k]);
}

/** Indices of the netlist's inputs for the 16 bits of `in`; -1 where synthesis has dropped one. */
export const inputIndices = ({ inputs }: Netlist): number[] =>
  Array.from({ length: INPUT_WIDTH }, (_, k) => pinIndex(inputs, 'in', k));

/** Indices of the netlist's outputs for the 32 bits of `out`. */
export const outputIndices = (netlist: Netlist): number[] =>
  Array.from({ length: OUTPUT_WIDTH }, (_, k) => pinIndex(netlist.outputs, 'out', k));

/** The outputs, as hexadecimal digits. */
export function outputsOf(machine: Machine, outputs: readonly number[]): string {
  let bits = 0;
  outputs.forEach((index, k) => {
    if (index >= 0 && machine.output(index)) bits |= 1 << k;
  });
  return (bits >>> 0).toString(16).padStart(8, '0');
}

/**
 * Drives a netlist with the stimulus and compares each cycle with Icarus.
 * @returns the first cycle that differs with both values, or null.
 */
export function firstDifference(
  netlist: Netlist,
  expected: string[],
  evaluation: 'events' | 'words' = 'events',
): { cycle: number; got: string; want: string } | null {
  const inputs = inputIndices(netlist);
  const outputs = outputIndices(netlist);
  const machine = new Machine(
    compile(netlist),
    netlist.inputs.map((_, index) => (index === inputs[15] ? 1 : 0)),
  );
  machine.evaluateIn(evaluation);
  let cycle = 0;
  for (const value of stimulus()) {
    inputs.forEach((index, k) => {
      if (index >= 0) machine.setInput(index, (value >> k) & 1);
    });
    machine.run(1);
    const got = outputsOf(machine, outputs);
    const want = expected[cycle] ?? '';
    if (got !== want) return { cycle, got, want };
    cycle++;
  }
  return null;
}
