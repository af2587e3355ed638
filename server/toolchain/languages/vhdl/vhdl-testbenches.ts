import type { Testbenches } from '../source-form.ts';
import { vhdlUnits } from './vhdl-units.ts';

/** Testbenches of a VHDL source: entities without ports, with their architectures and configurations. */
export function vhdlTestbenches(text: string): Testbenches {
  const units = vhdlUnits(text);
  const benches = units.filter(({ kind, hasPorts }) => kind === 'entity' && !hasPorts);
  const names = new Set(benches.map(({ name }) => name));
  const parts = units.filter(({ kind, name }) => names.has(name) && kind !== 'package');
  return { benches, isOnlyTestbench: benches.length > 0 && parts.length === units.length, parts };
}
