import type { Diagnostic } from '../../contract/diagnostics.ts';
import { type CheckedSource, fileReference } from './checked-source.ts';
import { Edits } from './lexer.ts';

// Comments, strings, character literals, extended identifiers, words; everything else is passed over.
const TOKEN =
  /(--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|"(?:[^"\n]|"")*"|'(?:[^\n])'|\\(?:[^\\\n]|\\\\)*\\|([A-Za-z][\w]*)|\n/g;

/**
 * VHDL can open files while it is elaborated (`file f : text open read_mode is "/etc/passwd"`) and bind
 * subprograms to functions of the host (`attribute foreign`); neither is let through. Parts between
 * `translate_off` and `translate_on` are blanked, so that it does not matter whether the tool honours them.
 */
export function neutraliseVhdl(text: string, filename: string): CheckedSource {
  const edits = new Edits();
  const diagnostics: Diagnostic[] = [];
  let line = 1;
  let hidden: number | null = null;
  for (const match of text.matchAll(TOKEN)) {
    const [piece, comment, word] = match;
    const here = line;
    for (let at = piece.indexOf('\n'); at >= 0; at = piece.indexOf('\n', at + 1)) line++;
    if (comment !== undefined) {
      const pragma =
        /^(?:--|\/\*)\s*(?:synopsys|synthesis|pragma|rtl_synthesis)\s+(?:(?:translate|synthesis)_)?(on|off)\b/i.exec(
          comment,
        )?.[1];
      if (pragma?.toLowerCase() === 'off') hidden ??= match.index + piece.length;
      else if (pragma && hidden !== null) {
        edits.replace(hidden, match.index);
        hidden = null;
      }
      continue;
    }
    if (word === undefined || hidden !== null) continue;
    const name = word.toLowerCase();
    if (name === 'file' || name === 'file_open')
      diagnostics.push(
        fileReference(filename, here, `${word}: a design is one file, and no other can be read or written`),
      );
    else if (name === 'foreign')
      diagnostics.push(
        fileReference(
          filename,
          here,
          'functions of the host (attribute foreign) cannot be called from a design on the bench',
        ),
      );
  }
  if (hidden !== null) edits.replace(hidden, text.length);
  return { text: edits.apply(text), notes: [], diagnostics };
}

/** Names of the entities that a VHDL source declares, in order, lower case. */
export function vhdlEntities(text: string): string[] {
  const bare = text.replace(/--[^\n]*/g, '').replace(/"(?:[^"\n]|"")*"/g, '""');
  return [...bare.matchAll(/^[ \t]*entity\s+(\w+)\s+is\b/gim)].map((match) => match[1]!.toLowerCase());
}

/**
 * Low bounds of one or more among the ports of a VHDL source: `wb_adr_i : in std_logic_vector(31 downto 2)`
 * gives 2. GHDL's Verilog counts every port from 0.
 */
export function vhdlLowBounds(text: string): Record<string, number> {
  const bare = text.replace(/--[^\n]*/g, '');
  const bounds: Record<string, number> = {};
  const type = /:\s{0,40}(?:in|out|inout)\s{1,40}\w+\s{0,40}\([^();]{0,200}\bdownto\s{1,40}(\d+)\s{0,40}\)/gi;
  for (const { index, 1: low } of bare.matchAll(type)) {
    const names =
      bare
        .slice(Math.max(0, index - 1000), index)
        .split(/[;(]/)
        .at(-1) ?? '';
    for (const name of names.split(',')) {
      const last = name.trim().split(/\s+/).at(-1);
      if (last && Number(low) > 0) bounds[last.toLowerCase()] = Number(low);
    }
  }
  return bounds;
}
