import type { BoardDefinition } from '../../boards/definition.ts';
import type { Diagnostic } from '../../contract/diagnostics.ts';
import { RESERVED_MODULE } from '../match/match.ts';
import { inUpload, type PreparedDesign } from './prepared-design.ts';
import type { ElaboratedModule } from './rtlil.ts';

type Family = BoardDefinition['fpga']['family'];

/** Cells that belong to the FPGA, not to the design. */
const PRIMITIVE: Record<Family, RegExp | null> = {
  ice40: /^SB_|^ICESTORM_|^\$/,
  // The libraries of these are long and change; synthesis reports what is missing.
  ecp5: null,
  gowin: null,
};

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
  const where =
    source.uploaded.length > 1
      ? 'is not in the project; send its file with the others'
      : 'is not in the file; send its file along, as a project';
  return modules.flatMap(({ name: inside, instances }) => {
    const missing = new Map(instances.map((instance) => [instance.module, instance]));
    return [...missing.values()]
      .filter(({ module }) => !names.has(module) && !primitive.test(module))
      .map(({ module, name, place }) => ({
        inside,
        severity: 'error' as const,
        code: 'design_invalid',
        message: `module ${module}, of which ${inside} has the instance ${name}, ${where}`,
        ...inUpload(place, source),
        module,
      }));
  });
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
