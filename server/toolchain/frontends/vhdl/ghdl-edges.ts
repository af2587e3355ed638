import type { Diagnostic } from '../../../contract/diagnostics.ts';
import { reportedName } from '../../tool-paths.ts';
import { edgesUsedAsValues } from './ghdl-netlist/edge-enables.ts';
import type { NetlistModule } from './ghdl-netlist/netlist.ts';
import { NO_ELSE } from './hint-table.ts';

/**
 * Reports edges of a clock that are used as values, as in an `else` after `rising_edge`. GHDL 2 refuses that only
 * where the signal has no initial value, and no part has such a register.
 */
export function edgesAsValues(modules: readonly NetlistModule[]): Diagnostic[] {
  return modules.flatMap((module) =>
    edgesUsedAsValues(module).map(({ place: { file, line } }) => ({
      severity: 'error' as const,
      code: 'ghdl_error',
      message: NO_ELSE,
      ...(file !== undefined && { file: reportedName(file) }),
      ...(line !== undefined && { line }),
    })),
  );
}
