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

/** One declared name: a signal, variable, constant, port, parameter or field. */
export interface VhdlDeclaration {
  name: string;
  /** Index of the name's token. */
  at: number;
  /** `signal`, `variable`, `constant` or `file` where it says so. */
  kind: string | null;
  /** Of a port or parameter, where it says so. */
  mode: string | null;
  /** Index of the first token of its type. */
  type: number;
}

/** Declared names, in order, but the last of `a, b : bit` first. Labels of statements are among them. */
export function vhdlDeclarations({ tokens }: Pick<VhdlSource, 'tokens'>): VhdlDeclaration[] {
  const word = (at: number) => tokens[at]?.text ?? '';
  return tokens.flatMap(({ text, kind: token }, colon) => {
    if (text !== ':' || token !== 'other' || word(colon + 1) === '=') return [];
    const names: number[] = [];
    for (let at = colon - 1; tokens[at]?.kind === 'word'; at -= 2) {
      names.push(at);
      if (word(at - 1) !== ',') break;
    }
    const before = word((names.at(-1) ?? colon) - 1);
    const mode = /^(?:in|out|inout|buffer|linkage)$/.test(word(colon + 1)) ? word(colon + 1) : null;
    const kind = /^(?:signal|variable|constant|file)$/.test(before) ? before : null;
    return names.map((at) => ({ name: word(at), at, kind, mode, type: colon + (mode ? 2 : 1) }));
  });
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
  for (const source of sources) {
    const own = new Map<string, string>();
    for (const { name, type } of vhdlDeclarations(source)) {
      const { tokens } = source;
      let mark = type;
      // `ieee.std_logic_1164.std_logic`
      while (tokens[mark + 1]?.text === '.') mark += 2;
      if (tokens[mark]?.kind === 'word') own.set(name, tokens[mark]?.text ?? '');
    }
    for (const [name, base] of own) {
      const type = judge(bases.get(base) ?? base, source);
      types.set(name, types.has(name) && types.get(name) !== type ? null : type);
    }
  }
  return types;
}
