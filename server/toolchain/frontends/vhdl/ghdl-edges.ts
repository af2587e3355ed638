import type { Diagnostic } from '../../../contract/diagnostics.ts';
import { reportedName } from '../../tool-paths.ts';
import type { NetlistModule } from './ghdl-netlist/netlist.ts';
import { NO_ELSE } from './hint-table.ts';

const EDGES = new Set(['$posedge', '$negedge']);

/** Index of the clock input by kind of gate. */
const CLOCKED: Readonly<Record<string, number>> = {
  $dff: 0,
  $adff: 0,
  $idff: 0,
  $iadff: 0,
  $mdff: 0,
  $midff: 0,
  $mem_rd_sync: 2,
  $mem_wr_sync: 2,
};

/**
 * Reports edges of a clock that are used as values, as in an `else` after `rising_edge`. GHDL 2 refuses that only
 * where the signal has no initial value, and no part has such a register.
 */
export function edgesAsValues(modules: readonly NetlistModule[]): Diagnostic[] {
  return modules.flatMap(({ gates }) => {
    const edges = new Map(
      gates.filter(({ kind }) => EDGES.has(kind)).map((gate) => [gate.outputs[0]?.id ?? -1, gate]),
    );
    const used = new Set(
      gates.flatMap(({ kind, inputs }) =>
        inputs.flatMap((net, at) => {
          const edge = net === null || CLOCKED[kind] === at ? undefined : edges.get(net);
          return edge ? [edge] : [];
        }),
      ),
    );
    return [...used].map(({ place: { file, line } }) => ({
      severity: 'error' as const,
      code: 'ghdl_error',
      message: NO_ELSE,
      ...(file !== undefined && { file: reportedName(file) }),
      ...(line !== undefined && { line }),
    }));
  });
}
