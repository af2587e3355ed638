import type { Diagnostic } from '../../../contract/diagnostics.ts';
import { inUpload, type PreparedDesign } from '../../intake/prepared-design.ts';
import { deepestVhdlNesting } from '../../languages/vhdl/vhdl-nesting.ts';
import { reportedName } from '../../tool-paths.ts';

/** Where GHDL has crashed, so many levels are the reason; programs are not nested by hundreds. */
const CRASHES = 1000;

const plain = (value: number) => value.toLocaleString('en-US');

/** Why GHDL has run out of its stack on sources in VHDL, with the line; null where nothing lies so deep in them. */
export function vhdlTooDeep(source: PreparedDesign): Diagnostic | null {
  const found = source.units.flatMap((path) => {
    const text = source.files[path];
    const deepest = typeof text === 'string' ? deepestVhdlNesting(text) : null;
    return deepest ? [{ path, ...deepest }] : [];
  });
  const [deepest] = found.sort((a, b) => b.levels - a.levels);
  if (!deepest || deepest.levels <= CRASHES) return null;
  const { what, levels, path, line } = deepest;
  const said = {
    expression: `this expression is ${plain(levels)} levels deep (a bracket is one, and so is an operator); GHDL has run out of its stack on it: divide it into several, with a signal or a constant for each part`,
    statements: `these statements lie within each other ${plain(levels)} levels deep; GHDL has run out of its stack on it: use a case of many values, or several statements side by side`,
  };
  return {
    severity: 'error',
    code: 'design_invalid',
    message: said[what],
    ...inUpload({ file: reportedName(path), line }, source),
  };
}
