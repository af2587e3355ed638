import { behindBrackets, behindStatement, type Pieces, textAt, Unclosed } from './statements.ts';

const CASE = /^case[xz]?$/;
const OPERATOR = /^[-+*/%~&|^!<>]$/;
/** A number of 32 bits. */
const PLAIN = /^\d[\d_]*$/;

/** Whether what stands between two indices is computed with widths of its own. @throws Unclosed */
export function isComputed(pieces: Pieces, from: number, to: number): boolean {
  const operators: number[] = [];
  for (let at = from; at < to; at++) {
    // What is joined, or an index, has the width that it has.
    if (/^[[{]$/.test(textAt(pieces, at))) at = (behindBrackets(pieces, at) ?? to) - 1;
    else if (OPERATOR.test(textAt(pieces, at)) && pieces[at]?.kind === 'mark') operators.push(at);
  }
  const [only, ...others] = operators;
  if (only === undefined) return false;
  // `-1`, `BASE + 1`: of 32 bits.
  const isPlain = PLAIN.test(textAt(pieces, only + 1)) && to === only + 2;
  return others.length > 0 || !isPlain || (only > from && textAt(pieces, only) !== '+');
}

/**
 * The index of the first label of a case that is computed; null where there is none, or it is not to be followed.
 * @param isConstant whether nothing but constants is between two indices
 * @throws Unclosed
 */
function computedLabel(
  pieces: Pieces,
  word: number,
  isConstant: (from: number, to: number) => boolean,
): number | null {
  const isWrong = (from: number, to: number) => isComputed(pieces, from, to) && isConstant(from, to);
  let at = behindBrackets(pieces, word + 1);
  if (textAt(pieces, at ?? 0) === 'inside') return null;
  while (at !== null && textAt(pieces, at) !== 'endcase') {
    if (textAt(pieces, at) === 'default') at += textAt(pieces, at + 1) === ':' ? 2 : 1;
    else {
      let from = at;
      for (; textAt(pieces, at) !== ':'; at++) {
        const text = textAt(pieces, at);
        if (at >= pieces.length) throw new Unclosed();
        if (/^[;?]$/.test(text)) return null;
        if (/^[([{]$/.test(text)) at = (behindBrackets(pieces, at) ?? pieces.length) - 1;
        else if (text === ',') {
          if (isWrong(from, at)) return from;
          from = at + 1;
        }
      }
      if (isWrong(from, at)) return from;
      at++;
    }
    at = behindStatement(pieces, at);
  }
  return null;
}

/**
 * The first labels that are computed of constants, of each `case` between two indices. Yosys computes one with the widths of what is in it,
 * and not with that of what is compared: of `A + 1'b1` the carry is lost where A has two bits and is 3.
 * What is no constant, as in `case (1'b1) a & b: …`, it computes right.
 * @throws Unclosed
 */
export function computedLabels(
  pieces: Pieces,
  from: number,
  to: number,
  isConstant: (from: number, to: number) => boolean,
): number[] {
  const found: number[] = [];
  for (let at = from; at < to; at++) {
    const label = CASE.test(textAt(pieces, at)) ? computedLabel(pieces, at, isConstant) : null;
    if (label !== null) found.push(label);
  }
  return found;
}
