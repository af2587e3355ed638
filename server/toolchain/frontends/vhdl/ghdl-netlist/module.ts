import type { Diagnostic } from '../../../../contract/diagnostics.ts';
import { NO_ELSE } from '../hint-table.ts';
import { edgesUsedAsValues } from './edge-enables.ts';
import { GATES } from './gates.ts';
import type { GenericValues } from './generics.ts';
import { isMemory, writeMemory } from './memories.ts';
import { ModuleWriter, type Signal } from './module-writer.ts';
import { type GenerateRanges, plainWord } from './names.ts';
import type { Gate, NetlistModule } from './netlist.ts';

/** A module as RTLIL, with errors where it cannot be built. */
interface WrittenModule {
  text: string;
  diagnostics: readonly Diagnostic[];
}

/** What a module needs of the rest of its netlist. */
export interface Surroundings {
  /** By name. */
  modules: ReadonlyMap<string, NetlistModule>;
  ranges: GenerateRanges;
  /** Entity → port → low bound of its range above 0, in lower case. GHDL counts every range from 0. */
  lowBounds: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** Values of the generics of instances without an entity. */
  generics: GenericValues;
  /** Final name of a module. */
  nameOf: (module: string) => string;
}

/** Writes a module of GHDL as RTLIL. */
export function writeModule(module: NetlistModule, around: Surroundings): WrittenModule {
  const lowBounds = around.lowBounds.get(module.name.toLowerCase()) ?? new Map<string, number>();
  const writer = new ModuleWriter({ ...module, name: around.nameOf(module.name) }, around.ranges, lowBounds);
  // GHDL 2 refuses an `else` after `rising_edge` only where the signal has no initial value. No part has such a register.
  for (const edge of edgesUsedAsValues(module)) writer.refuse(edge, NO_ELSE);
  for (const gate of module.gates) {
    const write = GATES[gate.kind];
    if (isMemory(gate)) writeMemory(gate, writer);
    else if (gate.kind.startsWith('\\')) writeInstance(gate, module, writer, around);
    else if (!write)
      writer.refuse(
        gate,
        `GHDL makes this a gate \`${gate.kind.slice(1)}\`, which the bench does not support: write it another way`,
      );
    else if (writer.output(gate).width > 0) write(gate, writer);
  }
  return { text: writer.text(), diagnostics: writer.diagnostics };
}

function writeInstance(
  gate: Gate,
  inside: NetlistModule,
  writer: ModuleWriter,
  { modules, generics, nameOf }: Surroundings,
): void {
  const kind = gate.kind.slice(1);
  const module = modules.get(kind);
  const pins: Record<string, Signal> = {};
  for (const [at, net] of gate.inputs.entries()) {
    const port = module?.inputs[at];
    if (port && net !== null) pins[plainWord(port.name)] = writer.net(net);
  }
  for (const [at, net] of gate.outputs.entries()) {
    const port = module?.outputs[at];
    const isRead = writer.readers.has(net.id) || writer.isOutput(net.id);
    if (port && net.width > 0 && isRead) pins[plainWord(port.name)] = writer.output(gate, at);
  }
  const values = generics(inside.name, gate);
  if (values === null)
    writer.refuse(
      gate,
      `the generics of \`${kind}\` have values that GHDL does not show: use numbers, bits and strings`,
    );
  writer.cell(
    gate,
    `\\${plainWord(nameOf(kind))}`,
    `\\${writer.names.unique(gate.name)}`,
    values ?? {},
    pins,
  );
}
