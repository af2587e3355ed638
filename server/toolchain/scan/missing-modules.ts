import type { BoardDefinition } from '../../boards/definition.ts';
import type { Diagnostic } from '../../contract/diagnostics.ts';
import { someOf } from '../match/explain.ts';
import { RESERVED_MODULE } from '../match/match.ts';
import { inUpload, type PreparedDesign } from './prepared-design.ts';
import type { ElaboratedModule } from './rtlil.ts';
import { foreignCell } from './vendor-cells.ts';

type Family = BoardDefinition['fpga']['family'];

/** Cells that belong to the FPGA, not to the design. */
const PRIMITIVE: Record<Family, RegExp | null> = {
  ice40: /^SB_|^ICESTORM_|^\$/,
  // The libraries of these are long and change; synthesis reports what is missing.
  ecp5: null,
  gowin: null,
};

/** Whether a name is that of a cell of the FPGA; where nobody knows them all, any may be. */
export const isPrimitive = (name: string, family: Family): boolean => PRIMITIVE[family]?.test(name) ?? true;

/** Errors for modules whose names the bench needs for itself. */
export const reservedModules = (modules: readonly ElaboratedModule[], source: PreparedDesign): Diagnostic[] =>
  modules
    .filter(({ name }) => RESERVED_MODULE.test(name))
    .map(({ name, place }) => ({
      severity: 'error',
      code: 'design_invalid',
      message: `module ${name}: names that begin with wishbench_ belong to the bench; rename it`,
      ...inUpload(place, source),
      module: name,
    }));

/** Errors for instances of modules that are nowhere, each module once for every one that has it. */
export function missingModules(
  modules: readonly ElaboratedModule[],
  source: PreparedDesign,
  family: Family,
): (Diagnostic & { inside: string })[] {
  const primitive = PRIMITIVE[family];
  if (!primitive) return [];
  const names = new Set(modules.map(({ name }) => name));
  const send =
    source.uploaded.length > 1 ? 'send its file with the others' : 'send its file along, as a project';
  const nowhere = `is not in the ${source.uploaded.length > 1 ? 'project' : 'file'}; ${send}`;
  return modules.flatMap(({ name: inside, instances }) => {
    const missing = new Map(instances.map((instance) => [instance.module, instance]));
    let gates = 0;
    return [...missing.values()]
      .filter(({ module }) => !names.has(module) && !primitive.test(module))
      .flatMap(({ module, name, place }) => {
        const foreign = foreignCell(module);
        // A netlist has a hundred kinds of them, and one says it all.
        if (foreign?.kind === 'gate' && gates++ > 0) return [];
        const what =
          foreign === null
            ? (unreadIn(module, source) ?? nowhere)
            : foreign.kind === 'gate'
              ? `is a gate of a chip in a process of ${foreign.process}: ${inside} is a netlist; send the sources that it was made of`
              : `is a cell of FPGAs of ${foreign.maker}, which this board does not have: write a module ${module} that does the same; if it is one of your own, ${send}`;
        return [
          {
            inside,
            severity: 'error' as const,
            code: 'design_invalid',
            message: `module ${module}, of which ${inside} has the instance ${name}, ${what}`,
            ...inUpload(place, source),
            module,
          },
        ];
      });
  });
}

/** That a module is an entity of the project's VHDL, of which nothing could be read. */
function unreadIn(module: string, { verilog }: PreparedDesign): string | null {
  const path = verilog?.unread?.entities.get(module.toLowerCase());
  return path === undefined ? null : `is VHDL (${path}), which could not be read: ${verilog?.unread?.reason}`;
}

/** Errors for parameters that instances set and their modules do not have; an entity in VHDL has none for Verilog. */
export function missingParameters(
  modules: readonly ElaboratedModule[],
  source: PreparedDesign,
): (Diagnostic & { inside: string })[] {
  const byName = new Map(modules.map((module) => [module.name, module]));
  return modules.flatMap(({ name: inside, instances }) =>
    instances.flatMap(({ module, name, place, parameters }) => {
      const of = byName.get(module);
      if (of === undefined || of.hollow !== null) return [];
      const given = Object.keys(of.parameters);
      const isVhdl = source.verilog && !source.verilog.modules.has(module.toLowerCase());
      return (
        parameters
          // `$1` is one by its place, `part.WIDTH` one of a module farther down, which a defparam names.
          .filter((parameter) => !/^\$|\./.test(parameter) && !given.includes(parameter))
          .map((parameter) => ({
            inside,
            severity: 'error' as const,
            code: 'design_invalid',
            message: isVhdl
              ? `the instance ${name} in ${inside} sets ${parameter}, and ${module} is VHDL: beside Verilog an entity has the values of its generics that stand in it, so write the value there`
              : `the instance ${name} in ${inside} sets a parameter ${parameter}, which its module ${module} does not have: it has ${given.length === 0 ? 'no parameters' : someOf(given)}`,
            ...inUpload(place, source),
            module,
          }))
      );
    }),
  );
}

/** Errors for ports of instances that their modules do not have. */
export function missingPorts(
  modules: readonly ElaboratedModule[],
  source: PreparedDesign,
): (Diagnostic & { inside: string })[] {
  const byName = new Map(modules.map((module) => [module.name, module]));
  return modules.flatMap(({ name: inside, instances }) =>
    instances.flatMap(({ module, name, place, ports }) => {
      const of = byName.get(module);
      if (of === undefined || of.hollow !== null) return [];
      const given = of.ports.map((port) => port.name);
      const finding = { inside, severity: 'error' as const, code: 'design_invalid', module };
      const placed = { ...finding, ...inUpload(place, source) };
      const byPlace = ports.filter((port) => port.startsWith('$')).length;
      if (byPlace > given.length)
        return [
          {
            ...placed,
            message: `the instance ${name} in ${inside} has ${byPlace} ports, and its module ${module} has ${given.length}`,
          },
        ];
      return ports
        .filter((port) => !port.startsWith('$') && !given.includes(port))
        .map((port) => ({
          ...placed,
          message: `the instance ${name} in ${inside} has a port ${port}, which its module ${module} does not have: it has ${given.length === 0 ? 'no ports' : someOf(given)}`,
          port,
        }));
    }),
  );
}

/** A module and all that are instantiated below it. */
export function modulesBelow(top: string, modules: ReadonlyMap<string, ElaboratedModule>): Set<string> {
  const below = new Set<string>();
  const todo = [top];
  for (let name = todo.pop(); name !== undefined; name = todo.pop()) {
    if (below.has(name)) continue;
    below.add(name);
    todo.push(...(modules.get(name)?.instances.map(({ module }) => module) ?? []));
  }
  return below;
}
