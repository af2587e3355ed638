import type { Diagnostic } from '../../../contract/diagnostics.ts';
import { isPlainName, tokenizeVhdl, type VhdlToken } from './vhdl-lexer.ts';

/** Limit of reported errors. */
const MAX_ERRORS = 50;

/** `-- synthesis translate_off` and its variants: whether it hides or shows. */
const PRAGMA =
  /^(?:--|\/\*)\s*(?:synopsys|synthesis|pragma|rtl_synthesis)\s+(?:(?:translate|synthesis)_)?(on|off)\b/i;

/** Blanks a text and keeps its line ends. */
const blank = (text: string) => text.replace(/[^\n]/g, ' ');

/** Why a token must not be in a source; null when it may. */
function objection({ kind, text }: VhdlToken): string | null {
  if (kind === 'word')
    switch (text.toLowerCase()) {
      case 'file':
      case 'file_open':
        return `${text}: a design cannot read or write files while it is built; put the data into a constant`;
      case 'foreign':
        return 'functions of the host (attribute foreign) cannot be called from a design on the bench';
      default:
        return null;
    }
  // A comment is left only where a hidden part changes the reading of what follows.
  if (kind === 'comment') return 'tools may read this as a comment or as code';
  if (kind !== 'other') return null;
  if (text === '`') return 'tool directives cannot be used in a design on the bench';
  // Tools that read bytes take them for letters, spaces or nothing.
  if (text === '%' || text > '\u007f')
    return `the character ${text} (U+${text.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}) is allowed only in comments and strings`;
  return null;
}

/** Blanks comments and the parts that are hidden from synthesis. */
function withoutHidden(text: string): string {
  let hidden = false;
  const pieces = tokenizeVhdl(text).map((token) => {
    if (token.kind !== 'comment') return hidden ? blank(token.text) : token.text;
    const pragma = PRAGMA.exec(token.text)?.[1]?.toLowerCase();
    if (pragma !== undefined) hidden = pragma === 'off';
    return blank(token.text);
  });
  return pieces.join('');
}

/**
 * Makes VHDL safe to elaborate. VHDL can open files during elaboration (`file f : text open read_mode is "/etc/passwd"`)
 * and bind subprograms to functions of the host (`attribute foreign`). Both are refused.
 *
 * The result leaves a tool no choice in reading it. Comments are blanked, because some tools find directives in them, and so
 * are parts between `translate_off` and `translate_on`. Where a tool could take a tick for the begin of a character
 * literal, two spaces follow it, which rules that out.
 * @returns the text with the source's line numbers; with errors no tool may read it
 */
export function neutraliseVhdl(source: string, file: string): { text: string; diagnostics: Diagnostic[] } {
  const diagnostics: Diagnostic[] = [];
  const pieces: string[] = [];
  let before: VhdlToken | null = null;
  // Vertical tab and form feed end a line, and so a comment (IEEE 1076-2008, 15.3). Editors show neither.
  const text = withoutHidden(source.replace(/[\v\f]/g, ' '));
  for (const token of tokenizeVhdl(text)) {
    pieces.push(token.text);
    if (token.kind === 'tick' && text[token.start + 2] === "'" && !isPlainName(before)) pieces.push('  ');
    before = token;
    const message = objection(token);
    if (message === null) continue;
    diagnostics.push({ severity: 'error', code: 'design_file_reference', file, line: token.line, message });
    if (diagnostics.length === MAX_ERRORS) break; // no tool will read the source
  }
  return { text: pieces.join(''), diagnostics };
}

/** Names of a source's entities, in order, in lower case. */
export function vhdlEntities(text: string): string[] {
  return declarations(text).map(({ name }) => name);
}

/** Entities with the text of their declaration, up to the first `end`, without comments and strings. */
function declarations(text: string): { name: string; declaration: string }[] {
  const bare = text.replace(/--[^\n]*/g, '').replace(/"(?:[^"\n]|"")*"/g, '""');
  const heads = [...bare.matchAll(/^[ \t]*entity\s+(\w+)\s+is\b/gim)];
  return heads.map(({ 0: head, 1: name = '', index }, at) => {
    // A declaration without an end stops at the next one.
    const declaration = bare.slice(index + head.length, heads[at + 1]?.index).split(/\bend\b/i, 1)[0] ?? '';
    return { name: name.toLowerCase(), declaration };
  });
}

/** Entities with a generic that has no default, in lower case. No tool builds these by themselves. */
export const vhdlPartsOnly = (text: string): string[] =>
  declarations(text)
    .filter(({ declaration }) => {
      const generics = declaration.split(/\bgeneric\b/i, 2)[1]?.split(/\bport\b/i, 1)[0] ?? '';
      return generics.split(';').some((one) => one.includes(':') && !one.includes(':='));
    })
    .map(({ name }) => name);

/** Type of a port with the low bound of its range. */
const RANGE = /:\s{0,40}(?:in|out|inout)\s{1,40}\w+\s{0,40}\([^();]{0,200}\bdownto\s{1,40}(\d+)\s{0,40}\)/gi;

/** Entities with the low bounds above 0 of their ports; names in lower case. */
export const vhdlLowBounds = (text: string): [string, ReadonlyMap<string, number>][] =>
  declarations(text).map(({ name, declaration }) => {
    const bounds = [...declaration.matchAll(RANGE)].flatMap(({ index, 1: low }) => {
      const names =
        declaration
          .slice(Math.max(0, index - 1000), index)
          .split(/[;(]/)
          .at(-1) ?? '';
      return names
        .split(',')
        .map((one) => [one.trim().split(/\s+/).at(-1)?.toLowerCase() ?? '', Number(low)] as const);
    });
    return [name, new Map(bounds.filter(([, low]) => low > 0))];
  });
