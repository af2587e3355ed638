import { tokenizeVhdl, type VhdlToken } from './vhdl-lexer.ts';

/** Width of a tab, as GHDL counts columns. */
const TAB = 8;

/** A VHDL text with its tokens, without comments and white space. */
export interface VhdlSource {
  text: string;
  tokens: readonly VhdlToken[];
}

/** Splits a source. Keywords and names are in lower case. */
export function vhdlSource(text: string): VhdlSource {
  const tokens = tokenizeVhdl(text)
    .filter(({ kind }) => kind !== 'space' && kind !== 'comment')
    .map((token) => (token.kind === 'word' ? { ...token, text: token.text.toLowerCase() } : token));
  return { text, tokens };
}

/** A text in place of the one between two offsets. */
export type Edit = readonly [from: number, to: number, text: string];

/** The text between two offsets, on one line. */
export const onOneLine = (text: string, from: number, to: number): string =>
  text.slice(from, to).replaceAll('\n', ' ').trim();

/** Edits a text. Line ends that an edit removes follow its text. */
export function edited(text: string, edits: readonly Edit[]): string {
  const pieces: string[] = [];
  let at = 0;
  for (const [from, to, other] of edits.toSorted(([a], [b]) => a - b)) {
    pieces.push(text.slice(at, from), other, text.slice(from, to).replace(/[^\n]/g, ''));
    at = Math.max(at, to);
  }
  return [...pieces, text.slice(at)].join('');
}

/** Index of the first token at or after a place; lines and columns count from 1. */
export function tokenFrom({ text, tokens }: VhdlSource, line: number, column: number): number {
  const from =
    text
      .split('\n')
      .slice(0, line - 1)
      .join('\n').length + (line > 1 ? 1 : 0);
  let [at, shown] = [from, 1];
  while (shown < column && at < text.length && text[at] !== '\n') {
    shown = text[at] === '\t' ? (Math.floor((shown - 1) / TAB) + 1) * TAB + 1 : shown + 1;
    at++;
  }
  const found = tokens.findIndex(({ start, text: own }) => start >= at || start + own.length > at);
  return found < 0 ? tokens.length : found;
}

/** Declared types of signals, variables, constants and ports, without ranges, by name in lower case. */
function declaredTypes({ tokens }: VhdlSource): Map<string, string> {
  const types = new Map<string, string>();
  for (const [at, { text, kind }] of tokens.entries()) {
    if (text !== ':' || kind !== 'other' || tokens[at + 1]?.text === '=') continue;
    let type = at + 1;
    while (/^(?:in|out|inout|buffer)$/.test(tokens[type]?.text ?? '')) type++;
    if (tokens[type]?.kind !== 'word') continue;
    // `ieee.std_logic_1164.std_logic`
    while (tokens[type + 1]?.text === '.') type += 2;
    for (let name = at - 1; tokens[name]?.kind === 'word'; name -= 2) {
      types.set(tokens[name]?.text ?? '', tokens[type]?.text ?? '');
      if (tokens[name - 1]?.text !== ',') break;
    }
  }
  return types;
}

/**
 * What `judge` makes of the type of each declared name: of a subtype's base, where the sources declare it. Null for a name
 * with several.
 */
export function typesByName<S extends VhdlSource, T>(
  sources: readonly S[],
  judge: (type: string, source: S) => T,
): Map<string, T | null> {
  const bases = new Map<string, string>();
  for (const { tokens } of sources)
    for (const [at, { text }] of tokens.entries())
      if (text === 'subtype') bases.set(tokens[at + 1]?.text ?? '', tokens[at + 3]?.text ?? '');
  const types = new Map<string, T | null>();
  for (const source of sources)
    for (const [name, own] of declaredTypes(source)) {
      const type = judge(bases.get(own) ?? own, source);
      types.set(name, types.has(name) && types.get(name) !== type ? null : type);
    }
  return types;
}
