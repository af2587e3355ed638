import type { Piece } from './outline-lexer.ts';

const OPENS = /^[([{]$/;
const CLOSES = /^[)\]}]$/;
const BLOCKS: Readonly<Record<string, string>> = {
  begin: 'end',
  case: 'endcase',
  casex: 'endcase',
  casez: 'endcase',
  fork: 'join',
};
/** No statement goes beyond these. */
const STRUCTURE = /^(?:end)?(?:module|interface|package|function|task|generate)$/;

/** Statements that lie within each other without a block. */
const MOST_LEVELS = 500;

/** A text in its pieces, read from one to the next. */
export type Pieces = readonly Piece[];

/** A text ends in the middle of something: looked for from each piece on, that would take long. */
export class Unclosed extends Error {}

/** What stands at an index; empty where nothing does. */
export const textAt = (pieces: Pieces, at: number): string => pieces[at]?.text ?? '';

/** Each bracket that opens in a text with the one that closes it, both by their indices; each kind by itself. */
export function bracketPairs(pieces: Pieces): Map<number, number> {
  const open: Record<string, number[]> = { ')': [], ']': [], '}': [] };
  const closing: Readonly<Record<string, string>> = { '(': ')', '(*': ')', '[': ']', '{': '}' };
  const pairs = new Map<number, number>();
  for (const [at, { kind, text }] of pieces.entries()) {
    if (kind !== 'mark' && kind !== 'attribute') continue;
    const close = closing[text];
    if (close !== undefined) open[close]?.push(at);
    const last = open[text]?.pop();
    if (last !== undefined) pairs.set(last, at);
  }
  return pairs;
}

/** The index behind the bracket that ends what the one at an index begins; null where a module ends first. @throws Unclosed */
export function behindBrackets(pieces: Pieces, open: number): number | null {
  let depth = 0;
  for (let at = open; at < pieces.length; at++) {
    const text = textAt(pieces, at);
    if (OPENS.test(text) || pieces[at]?.kind === 'attribute') depth++;
    else if (CLOSES.test(text) && --depth === 0) return at + 1;
    if (pieces[at]?.kind === 'word' && STRUCTURE.test(text)) return null;
  }
  throw new Unclosed();
}

/** The index behind the `;` that ends what begins at an index. @throws Unclosed */
function behindSemicolon(pieces: Pieces, from: number): number | null {
  let depth = 0;
  for (let at = from; at < pieces.length; at++) {
    const text = textAt(pieces, at);
    if (OPENS.test(text)) depth++;
    else if (CLOSES.test(text)) depth--;
    else if (text === ';' && depth === 0) return at + 1;
    if (pieces[at]?.kind === 'word' && STRUCTURE.test(text)) return null;
  }
  throw new Unclosed();
}

/** The index behind the end of the block that begins at an index, and its name. @throws Unclosed */
function behindBlock(pieces: Pieces, from: number): number | null {
  const ends: string[] = [];
  for (let at = from; at < pieces.length; at++) {
    const { kind, text } = pieces[at] as Piece;
    if (kind !== 'word') continue;
    if (STRUCTURE.test(text)) return null;
    const end = BLOCKS[text];
    if (end !== undefined) ends.push(end);
    else if (text === ends.at(-1) || (ends.at(-1) === 'join' && text.startsWith('join_'))) {
      ends.pop();
      if (ends.length > 0) continue;
      return textAt(pieces, at + 1) === ':' ? at + 3 : at + 1;
    }
  }
  throw new Unclosed();
}

/**
 * The index behind the statement of a process that begins at one, with its `else`.
 * @returns null where a module ends first, or where it is not to be followed
 * @throws Unclosed
 */
export function behindStatement(pieces: Pieces, from: number, levels = 0): number | null {
  if (levels > MOST_LEVELS) return null;
  let at = from;
  for (;;) {
    const text = textAt(pieces, at);
    if (text === '#' || text === '@') {
      // `@(posedge clk)`, `@*`, `#10`
      const behind =
        textAt(pieces, at + 1) === '(' || pieces[at + 1]?.kind === 'attribute'
          ? behindBrackets(pieces, at + 1)
          : at + 2;
      if (behind === null) return null;
      at = behind;
      if (at >= pieces.length) throw new Unclosed();
    } else if (/^(?:unique0?|priority)$/.test(text)) at++;
    else if (/^(?:if|for|while|repeat|foreach)$/.test(text)) {
      const condition = behindBrackets(pieces, at + 1);
      if (condition === null) return null;
      if (text !== 'if') {
        at = condition;
        continue;
      }
      const then = behindStatement(pieces, condition, levels + 1);
      if (then === null || textAt(pieces, then) !== 'else') return then;
      at = then + 1;
    } else if (text === 'forever') at++;
    else return BLOCKS[text] === undefined ? behindSemicolon(pieces, at) : behindBlock(pieces, at);
  }
}

/** Each module of a text, from the index of its name to that of its end. */
export function* modulesOf(pieces: Pieces): Generator<[name: string, from: number, to: number]> {
  let from: number | null = null;
  for (const [at, { kind, text }] of pieces.entries()) {
    if (kind !== 'word') continue;
    if (text === 'module') from = textAt(pieces, at + 1) === 'automatic' ? at + 2 : at + 1;
    else if (text === 'endmodule' && from !== null) {
      yield [textAt(pieces, from), from, at];
      from = null;
    }
  }
}
