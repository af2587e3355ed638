import type { Diagnostic } from '../../contract/diagnostics.ts';
import type { PreparedDesign } from '../intake/prepared-design.ts';
import { foreignCell } from '../languages/vendor-cells.ts';
import { modulesBelow, type Netlist } from './netlist.ts';

/**
 * Errors for instances below a slave: of missing modules, each once, and of VHDL entities whose generics are set. slang
 * reports missing modules itself; other readers leave instances without a module.
 * @param isPartCell whether the part has a cell of this name
 */
export function missingModules(
  slave: string,
  netlist: Netlist,
  source: PreparedDesign,
  isPartCell: (name: string) => boolean,
): Diagnostic[] {
  const missing = new Set<string>();
  return modulesBelow(slave, netlist).flatMap(({ definition: inside, cells }) =>
    cells.flatMap(({ type, name, place, parameters }): Diagnostic[] => {
      if (type.startsWith('$') || isPartCell(type)) return [];
      const found = { severity: 'error' as const, code: 'design_invalid', ...place, module: type };
      if (netlist.has(type)) {
        const [parameter] = Object.keys(parameters);
        const isVhdl = source.verilog !== undefined && !source.verilog.modules.has(type.toLowerCase());
        if (!isVhdl || parameter === undefined) return [];
        return [
          {
            ...found,
            message: `the instance ${name} in ${inside} sets ${parameter}, but ${type} is VHDL: Verilog cannot set the generics of an entity, so write the value in its source`,
          },
        ];
      }
      if (missing.has(type)) return [];
      missing.add(type);
      return [
        {
          ...found,
          message: `module ${type} (instance ${name} in ${inside}) ${whyMissing(type, source)}`,
        },
      ];
    }),
  );
}

function whyMissing(type: string, { uploaded }: PreparedDesign): string {
  const isProject = uploaded.length > 1;
  const send = isProject ? 'upload its file with the others' : 'upload its file too, as a project';
  const foreign = foreignCell(type);
  if (foreign === null) return `is not in the ${isProject ? 'project' : 'file'}; ${send}`;
  return foreign.kind === 'gate'
    ? `is a standard cell of ${foreign.process}, so this is a netlist: upload the sources that it was made from`
    : `is a cell of ${foreign.maker} FPGAs, which this board does not have: write a module ${type} that does the same; if it is your own module, ${send}`;
}
