import type { ToolFiles } from '../toolchain.ts';
import { neutraliseFileReferences } from './file-references.ts';
import type { PreparedDesign } from './prepared-design.ts';

/**
 * A translated source in which no file can be named: the design chooses names and strings of it, and GHDL 2 writes
 * `\x; initial $readmemh("…", m); \` as it is.
 */
export function checkedAgain(source: PreparedDesign): PreparedDesign {
  const files: ToolFiles = {};
  const diagnostics = [...source.diagnostics];
  for (const [path, text] of Object.entries(source.files)) {
    const checked = neutraliseFileReferences(String(text), source.uploaded[0] ?? path, 'verilog');
    files[path] = checked.text;
    // Their lines are those of the translation, which nobody has seen.
    diagnostics.push(...checked.diagnostics.map(({ line: _, ...diagnostic }) => diagnostic));
  }
  return { ...source, files, diagnostics };
}
