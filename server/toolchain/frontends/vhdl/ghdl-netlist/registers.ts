import type { ModuleWriter } from './module-writer.ts';
import type { Gate } from './netlist.ts';

/** Input with the initial value, by kind of register. */
const INITIAL: Readonly<Record<string, number>> = { $idff: 2, $iadff: 4 };

/** Writes a register as a Yosys process, the form in which other front ends write registers. */
export function writeRegister(gate: Gate, writer: ModuleWriter): void {
  const q = writer.output(gate);
  const clock = writer.clock(gate, 0);
  if (clock === null) return;
  const d = writer.input(gate, 1, q.width);
  const hasReset = gate.kind === '$adff' || gate.kind === '$iadff';
  const initial = INITIAL[gate.kind];
  if (initial !== undefined) {
    const bits = writer.constantBits(gate.inputs[initial] ?? null);
    if (bits === null) writer.refuse(gate, 'the initial value of a register is not constant');
    else writer.initial(q, bits);
  }
  const reset = hasReset ? writer.input(gate, 2) : null;
  const value = hasReset ? writer.constantBits(gate.inputs[3] ?? null) : null;
  const after = value === null ? writer.input(gate, 3, q.width).text : `${q.width}'${value}`;
  writer.raw(gate, [
    `process $proc$${gate.id}`,
    ...(reset ? [`  sync high ${reset.text}`, `    update ${q.text} ${after}`] : []),
    `  sync ${clock.edge} ${clock.signal.text}`,
    `    update ${q.text} ${d.text}`,
    'end',
  ]);
}

/** Writes a latch. GHDL makes one only when it is allowed. */
export function writeLatch(gate: Gate, writer: ModuleWriter): void {
  const q = writer.output(gate);
  writer.operation(
    gate,
    '$dlatch',
    { WIDTH: q.width, EN_POLARITY: 1 },
    { D: writer.input(gate, 0, q.width), EN: writer.input(gate, 1), Q: q },
  );
}
