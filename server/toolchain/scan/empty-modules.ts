import type { BoardDefinition } from '../../boards/definition.ts';
import type { Diagnostic } from '../../contract/diagnostics.ts';
import { textOf } from './copies.ts';
import { isPrimitive } from './missing-modules.ts';
import { inUpload, type PreparedDesign } from './prepared-design.ts';
import type { ElaboratedModule } from './rtlil.ts';
import { reportedName } from './tool-paths.ts';

/** Whether a file has an `initial` block, without which a module may have been read that is nothing else. */
const hasInitial = (file: string | undefined, { files }: PreparedDesign): boolean =>
  Object.keys(files).some((path) => reportedName(path) === file && /\binitial\b/.test(textOf(files, path)));

/**
 * Errors for instances of modules with nothing inside whose outputs something is connected to: Yosys takes such a module for a
 * part of the FPGA, and place and route ends at it. One that only listens is left out by synthesis.
 */
export function emptyModules(
  modules: readonly ElaboratedModule[],
  source: PreparedDesign,
  family: BoardDefinition['fpga']['family'],
): (Diagnostic & { inside: string })[] {
  const empty = new Map(
    modules
      .filter(
        ({ name, hollow, place }) =>
          hollow === 'no content' && !isPrimitive(name, family) && !hasInitial(place.file, source),
      )
      .map((module) => [module.name, module]),
  );
  return modules.flatMap(({ name: inside, instances }) =>
    instances.flatMap(({ module, name, place, ports, open }) => {
      const connected = new Set(ports.filter((port) => !open.includes(port)));
      const gives = (empty.get(module)?.ports ?? []).some(
        ({ name: port, direction }, at) =>
          direction !== 'input' && (connected.has(port) || connected.has(`$${at + 1}`)),
      );
      if (!gives) return [];
      return [
        {
          inside,
          severity: 'error' as const,
          code: 'design_invalid',
          message: `module ${module}, of which ${inside} has the instance ${name}, has ports and nothing inside, or nothing but what is for a simulator: write what it does`,
          ...inUpload(place, source),
          module,
        },
      ];
    }),
  );
}
