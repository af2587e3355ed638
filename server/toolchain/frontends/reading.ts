import type { Diagnostic } from '../../contract/diagnostics.ts';
import type { PreparedDesign } from '../intake/prepared-design.ts';
import type { Netlist } from '../slave/netlist.ts';

/** A design that was read, or why it was not. */
export interface Reading {
  /** What synthesis goes on with; null where the sources cannot be read. */
  read: { design: PreparedDesign; netlist: Netlist } | null;
  diagnostics: readonly Diagnostic[];
  /** Of the tops those in which errors were found; errors in the text of a source are in none. */
  failing?: ReadonlySet<string>;
}
