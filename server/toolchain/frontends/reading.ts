import type { Diagnostic } from '../../contract/diagnostics.ts';
import type { PreparedDesign } from '../intake/prepared-design.ts';
import type { Netlist } from '../slave/netlist.ts';

/** Result of reading a design. */
export interface Reading {
  /** Input of synthesis; null when the sources cannot be read. */
  read: { design: PreparedDesign; netlist: Netlist } | null;
  diagnostics: readonly Diagnostic[];
  /** Tops with errors. A syntax error belongs to no top. */
  failing?: ReadonlySet<string>;
}
