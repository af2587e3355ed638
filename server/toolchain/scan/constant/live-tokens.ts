import { type Piece, piecesOf } from '../outline-lexer.ts';
import { PreprocessorState } from '../preprocessor.ts';
import { joined, unescaped } from './tokens.ts';

/** Macros of more tokens, and deeper within each other, stay as they are: whatever asks for them is not known. */
const LONGEST = 100;
const DEEPEST = 10;

/**
 * The tokens of the live parts of a source in Verilog or SystemVerilog, with macros without parameters in the place of their
 * use: such tokens lie where the use lies.
 */
export function liveTokens(text: string): Piece[] {
  const state = new PreprocessorState();
  const macros: Macros = new Map();
  const live: Piece[] = [];
  for (const token of joined(piecesOf(text))) {
    if (token.kind === 'directive') {
      if (state.active) takeOver(token, macros);
      directive(token, state);
    } else if (state.active) put(token, token, 0, macros, live);
  }
  return live;
}

/** What macros without parameters stand for, by their names with the backtick. */
export type Macros = Map<string, Piece[]>;

function put(token: Piece, at: Piece, depth: number, macros: Macros, into: Piece[]): void {
  const body = token.kind === 'macro' && depth < DEEPEST ? macros.get(token.text) : undefined;
  if (!body) into.push(unescaped({ ...token, start: at.start, end: at.end }));
  else for (const one of body) put(one, at, body.length > LONGEST ? DEEPEST : depth + 1, macros, into);
}

/** The tokens of some pieces, with macros without parameters in the place of their use. */
export function expanded(pieces: readonly Piece[], macros: Macros): Piece[] {
  const tokens = joined(pieces);
  if (macros.size === 0 || !tokens.some(({ kind }) => kind === 'macro')) return tokens;
  const result: Piece[] = [];
  for (const token of tokens) put(token, token, 0, macros, result);
  return result;
}

/** Takes over what a directive makes of macros. */
export function takeOver({ text }: Piece, macros: Macros): void {
  const [head = '', kind = '', name = ''] = /^(`\w+)\s*(\w*)/.exec(text) ?? [];
  if (kind === '`define') {
    const body = text.slice(head.length);
    // One with parameters has its parenthesis right behind its name.
    if (body.startsWith('(')) macros.delete(`\`${name}`);
    else macros.set(`\`${name}`, joined(piecesOf(body.replace(/\\\n/g, ' '))));
  }
  if (kind === '`undef') macros.delete(`\`${name}`);
  if (kind === '`undefineall') macros.clear();
}

function directive({ text }: Piece, state: PreprocessorState): void {
  const [, kind = '', name = ''] = /^(`\w+)\s*(\w*)/.exec(text) ?? [];
  const place = { start: 0, end: 0, line: 0 };
  state.directive({ kind: 'directive', text: kind, ...place }, { kind: 'word', text: name, ...place });
}
