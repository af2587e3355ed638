import type { Diagnostic } from '../../../contract/diagnostics.ts';
import { isPlainName, tokenizeVhdl, type VhdlToken } from './vhdl-lexer.ts';

/** Nobody reads more. */
const MAX_ERRORS = 50;

/** `-- synthesis translate_off` and its kin, and whether it hides or shows. */
const PRAGMA =
  /^(?:--|\/\*)\s*(?:synopsys|synthesis|pragma|rtl_synthesis)\s+(?:(?:translate|synthesis)_)?(on|off)\b/i;

/** As long as the text, with its line ends, and nothing in it. */
const blank = (text: string) => text.replace(/[^\n]/g, ' ');

/** Why a token must not stand in a source, or null. */
function objection({ kind, text }: VhdlToken): string | null {
  if (kind === 'word')
    switch (text.toLowerCase()) {
      case 'file':
      case 'file_open':
        return `${text}: a design reads and writes no files while it is built; write what it would read as a constant`;
      case 'foreign':
        return 'functions of the host (attribute foreign) cannot be called from a design on the bench';
      default:
        return null;
    }
  // Only where a hidden part makes what follows it read in another way.
  if (kind === 'comment') return 'this comment cannot be told from code';
  if (kind !== 'other') return null;
  if (text === '`') return 'tool directives cannot be used in a design on the bench';
  // Tools that read bytes see letters, spaces or nothing in them.
  if (text === '%' || text > '\u007f')
    return `the character ${text} (U+${text.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}) can stand in comments and strings only`;
  return null;
}

/** The text without comments and without the parts that are hidden from synthesis, place for place. */
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
 * VHDL can open files while it is elaborated (`file f : text open read_mode is "/etc/passwd"`) and bind
 * subprograms to functions of the host (`attribute foreign`); neither is let through.
 *
 * What a tool is given leaves it no choice in reading it: comments are blanked, so that it does not matter which
 * directives it honours in them; so are the parts between `translate_off` and `translate_on`; a tick that a tool could
 * take for the begin of a character literal is followed by two spaces, behind which none can begin.
 * @returns the text, line for line the source; with errors it must not be given to a tool
 */
export function neutraliseVhdl(source: string, file: string): { text: string; diagnostics: Diagnostic[] } {
  const diagnostics: Diagnostic[] = [];
  const pieces: string[] = [];
  let before: VhdlToken | null = null;
  // Vertical tab and form feed end a line, and with it a comment (IEEE 1076-2008, 15.3); editors show neither.
  const text = withoutHidden(source.replace(/[\v\f]/g, ' '));
  for (const token of tokenizeVhdl(text)) {
    pieces.push(token.text);
    if (token.kind === 'tick' && text[token.start + 2] === "'" && !isPlainName(before)) pieces.push('  ');
    before = token;
    const message = objection(token);
    if (message === null) continue;
    diagnostics.push({ severity: 'error', code: 'design_file_reference', file, line: token.line, message });
    if (diagnostics.length === MAX_ERRORS) break; // the source is given to no tool
  }
  return { text: pieces.join(''), diagnostics };
}

/** Names of the entities that a VHDL source declares, in order, lower case. */
export function vhdlEntities(text: string): string[] {
  return declarations(text).map(({ name }) => name);
}

/** Each entity of a source with the text of its declaration, up to the first `end`; comments and strings are gone. */
function declarations(text: string): { name: string; declaration: string }[] {
  const bare = text.replace(/--[^\n]*/g, '').replace(/"(?:[^"\n]|"")*"/g, '""');
  const heads = [...bare.matchAll(/^[ \t]*entity\s+(\w+)\s+is\b/gim)];
  return heads.map(({ 0: head, 1: name = '', index }, at) => {
    // What has no end is cut where the next one begins.
    const declaration = bare.slice(index + head.length, heads[at + 1]?.index).split(/\bend\b/i, 1)[0] ?? '';
    return { name: name.toLowerCase(), declaration };
  });
}

/** Names of entities, lower case, with a generic that has no default: no tool builds these by themselves. */
export const vhdlPartsOnly = (text: string): string[] =>
  declarations(text)
    .filter(({ declaration }) => {
      const generics = declaration.split(/\bgeneric\b/i, 2)[1]?.split(/\bport\b/i, 1)[0] ?? '';
      return generics.split(';').some((one) => one.includes(':') && !one.includes(':='));
    })
    .map(({ name }) => name);

/** The type of a port with the lower end of its range. */
const RANGE = /:\s{0,40}(?:in|out|inout)\s{1,40}\w+\s{0,40}\([^();]{0,200}\bdownto\s{1,40}(\d+)\s{0,40}\)/gi;

/** Entities of a source, each with its ports whose range ends above 0 and where it does; names in lower case. */
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
