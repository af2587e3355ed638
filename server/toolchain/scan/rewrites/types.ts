import type { Pieces } from '../statements.ts';
import { textAt } from '../statements.ts';

/** What is to be known of a type of SystemVerilog that has bits. */
export interface BitsType {
  isSigned: boolean;
  /** One vector that counts down to 0, or a number: its bits can be named by their places. */
  isPlain: boolean;
  /** Its bits; null where they are not written as a number. */
  width: number | null;
}

/** Types by their names, `package::name` where a package has them; null where several are declared. */
export type Types = ReadonlyMap<string, readonly string[] | null>;

const NUMBERS = new Map([
  ['byte', 8],
  ['shortint', 16],
  ['int', 32],
  ['integer', 32],
  ['longint', 64],
]);
const BITS = /^(?:logic|bit|reg)$/;
/** Types that are named by another one in a row. */
const MOST_LEVELS = 20;

/**
 * The types that texts declare, each with the words and marks in front of its name, without what is between braces.
 * @param inPackage the package whose names can be left out
 */
export function typesIn(
  pieces: Pieces,
  pairs: ReadonlyMap<number, number>,
  types: Map<string, string[] | null>,
  inPackage: (at: number) => string | null,
): void {
  for (let at = 0; at < pieces.length; at++) {
    if (pieces[at]?.kind !== 'word' || textAt(pieces, at) !== 'typedef') continue;
    const said: string[] = [];
    let end = at + 1;
    for (; end < pieces.length && textAt(pieces, end) !== ';'; end++) {
      said.push(textAt(pieces, end));
      if (textAt(pieces, end) === '{') end = pairs.get(end) ?? end;
    }
    const name = said.pop();
    if (name === undefined || !/^\w+$/.test(name)) continue;
    const own = inPackage(at);
    for (const one of own === null ? [name] : [name, `${own}::${name}`])
      types.set(one, types.has(one) ? null : said);
    at = end;
  }
}

/** What a type comes to that is written in words and marks; null where it is not known. */
export function typeOf(said: readonly string[], types: Types, level = 0): BitsType | null {
  const [first = '', ...others] = said.filter((word) => word !== 'var' && word !== 'automatic');
  if (level > MOST_LEVELS) return null;
  const isSigned = others.includes('signed') || first === 'signed';
  const number = NUMBERS.get(first);
  if (number !== undefined) return { isSigned: !others.includes('unsigned'), isPlain: true, width: number };
  if (BITS.test(first) || first === '[' || first === 'signed' || first === 'unsigned') {
    const ranges = said.filter((word) => word === '[').length;
    const isPlain = ranges === 0 || (ranges === 1 && said.slice(-3).join('') === ':0]');
    const [, left, right] = /\[(\d+):(\d+)\]$/.exec(said.join('')) ?? [];
    const width =
      ranges === 0 ? 1 : left === undefined || ranges > 1 ? null : Math.abs(Number(left) - Number(right)) + 1;
    return { isSigned, isPlain, width };
  }
  if (first === 'enum') {
    const base = others.slice(0, others.indexOf('{'));
    return base.length === 0 ? { isSigned: true, isPlain: true, width: 32 } : typeOf(base, types, level + 1);
  }
  if (first === 'struct' || first === 'union') return { isSigned, isPlain: false, width: null };
  const name = said.join('');
  const meant = types.get(name);
  return meant ? typeOf(meant, types, level + 1) : null;
}
