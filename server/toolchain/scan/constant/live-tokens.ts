import { type Piece, piecesOf } from '../outline-lexer.ts';
import { PreprocessorState } from '../preprocessor.ts';
import { joined } from './tokens.ts';

/** Macros of more tokens, and deeper within each other, stay as they are: whatever asks for them is not known. */
const LONGEST = 100;
const DEEPEST = 10;

/**
 * The tokens of the live parts of a source in Verilog or SystemVerilog, with macros without parameters in the place of their
 * use: such tokens lie where the use lies.
 */
export function liveTokens(text: string): Piece[] {
  const state = new PreprocessorState();
  const macros = new Map<string, Piece[]>();
  const live: Piece[] = [];
  const put = (token: Piece, at: Piece, depth: number) => {
    const body = token.kind === 'macro' && depth < DEEPEST ? macros.get(token.text) : undefined;
    if (!body) live.push({ ...token, start: at.start, end: at.end });
    else for (const one of body) put(one, at, body.length > LONGEST ? DEEPEST : depth + 1);
  };
  for (const token of joined(piecesOf(text))) {
    if (token.kind === 'directive') directive(token, state, macros);
    else if (state.active) put(token, token, 0);
  }
  return live;
}

function directive({ text }: Piece, state: PreprocessorState, macros: Map<string, Piece[]>): void {
  const [, kind = '', name = ''] = /^(`\w+)\s*(\w*)/.exec(text) ?? [];
  if (state.active && kind === '`define') {
    const [head] = /^`define\s+\w+/.exec(text) ?? [''];
    const body = text.slice(head.length);
    // One with parameters has its parenthesis right behind its name.
    if (body.startsWith('(')) macros.delete(`\`${name}`);
    else macros.set(`\`${name}`, joined(piecesOf(body.replace(/\\\n/g, ' '))));
  }
  if (state.active && kind === '`undef') macros.delete(`\`${name}`);
  if (state.active && kind === '`undefineall') macros.clear();
  const place = { start: 0, end: 0, line: 0 };
  state.directive({ kind: 'directive', text: kind, ...place }, { kind: 'word', text: name, ...place });
}
