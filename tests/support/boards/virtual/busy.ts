import type { Netlist } from '../../../../server/boards/virtual/netlist/netlist.ts';
import { Machine } from '../../../../server/boards/virtual/runtime/machine.ts';
import { compile } from '../../../../server/boards/virtual/runtime/machine-plan.ts';
import { designSource } from './bridge.ts';
import { inputIndices, outputIndices, outputsOf } from './drive.ts';
import { stimulus } from './random-design.ts';

/** Designs in which in every clock something changes, by the names of their files: one port in, one out. */
export const BUSY_DESIGNS = ['lfsr', 'crc', 'fir', 'digest', 'fifo', 'register-file', 'serial-cpu'] as const;
export type BusyDesign = (typeof BUSY_DESIGNS)[number];

/** Name of its module. */
export const busyModule = (name: BusyDesign): string => name.replaceAll('-', '_');

export const busySource = (name: BusyDesign): string => designSource(`busy/${name}.v`);

/** All of them side by side in a module `top`: bit k of the output is the output of design k. */
export function busyDesignsSource(): string {
  const instances = BUSY_DESIGNS.map(
    (name, k) => `${busyModule(name)} d${k}(.clk(clk), .rx(in[${k}]), .tx(out[${k}]));`,
  );
  return `${BUSY_DESIGNS.map(busySource).join('\n')}
module top(input clk, input [15:0] in, output [31:0] out);
${instances.join('\n')}
assign out[31:${BUSY_DESIGNS.length}] = 0;
endmodule
`;
}

/**
 * What a design shows after every `every`th cycle.
 * @param evaluationAt how it is evaluated from a cycle on; null for as before
 */
export function signaturesOf(
  netlist: Netlist,
  cycles: number,
  every: number,
  evaluationAt: (cycle: number) => 'events' | 'words' | null,
): { signatures: string[]; words: number; branches: number; cases: number; operations: number } {
  const machine = new Machine(
    compile(netlist),
    netlist.inputs.map(() => 0),
  );
  const inputs = inputIndices(netlist);
  const outputs = outputIndices(netlist);
  const signatures: string[] = [];
  let words = 0;
  let cycle = 0;
  for (const value of stimulus(cycles)) {
    const evaluation = evaluationAt(cycle);
    if (evaluation) machine.evaluateIn(evaluation);
    inputs.forEach((index, k) => {
      if (index >= 0) machine.setInput(index, (value >> k) & 1);
    });
    machine.run(1);
    if (machine.evaluation === 'words') words++;
    if (++cycle % every === 0) signatures.push(outputsOf(machine, outputs));
  }
  const { branches = 0, cases = 0, operations = 0 } = machine.words ?? {};
  return { signatures, words, branches, cases, operations };
}
