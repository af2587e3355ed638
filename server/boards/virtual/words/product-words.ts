import type { Literal } from './lut-graph.ts';
import type { Product } from './products.ts';
import type { Value, WordGraph } from './word-graph.ts';

const WORD = 32;

/**
 * Computes a product with the numbers that are added to it, the lowest word first.
 * @param exact makes a word of these bits, the lowest first
 */
export function wordsOfProduct(
  words: WordGraph,
  exact: (literals: readonly Literal[]) => Value,
  { a, b, isSigned, addends, width }: Product,
): Value[] {
  const factor = (literals: readonly Literal[]) => {
    const beyond = words.constant(WORD - literals.length);
    const value = exact(literals);
    return isSigned ? words.shrS(words.shl(value, beyond), beyond) : value;
  };
  const [x, y] = [factor(a), factor(b)];
  const halves = [words.mul(x, y)];
  if (width > WORD) halves.push(highHalf(words, x, y, isSigned));
  for (const addend of addends) {
    let carry = words.low;
    halves.forEach((half, k) => {
      const other = exact(addend.slice(k * WORD, (k + 1) * WORD));
      const sum = words.add(half, other);
      halves[k] = words.add(sum, carry);
      carry = words.moved(words.majority(half, other, words.not(sum)), WORD - 1);
    });
  }
  return halves;
}

/** The higher word of the product of two words, from products of half words. */
function highHalf(words: WordGraph, x: Value, y: Value, isSigned: boolean): Value {
  const low = (value: Value) => words.and(value, words.constant(0xffff));
  const high = (value: Value) => words.moved(value, 16);
  const middle = words.add(words.mul(high(x), low(y)), high(words.mul(low(x), low(y))));
  const other = words.add(words.mul(low(x), high(y)), low(middle));
  const product = words.add(words.mul(high(x), high(y)), words.add(high(middle), high(other)));
  if (!isSigned) return product;
  // A negative number is 2^32 too much.
  const excess = words.add(words.and(words.spread(x, WORD - 1), y), words.and(words.spread(y, WORD - 1), x));
  return words.sub(product, excess);
}
