import type { Literal } from './lut-graph.ts';
import { withInverted } from './table-classes.ts';

/** A bit in many cases: 32 in each word. */
export type Cases = Int32Array<ArrayBuffer>;

/** What a table makes of its operands in many cases. */
export function casesOfTable(
  table: number,
  operands: readonly Literal[],
  casesOf: (node: number) => Cases | undefined,
  words: number,
): Cases {
  let inverted = 0;
  const values = operands.map((literal, k) => {
    inverted |= (literal & 1) << k;
    const value = casesOf(literal >> 1);
    if (value === undefined) throw new Error(`node ${literal >> 1} comes after its user`);
    return value;
  });
  const straight = withInverted(table, operands.length, inverted);
  const result: Cases = new Int32Array(words);
  for (let entry = 0; entry < 1 << values.length; entry++) {
    if (((straight >> entry) & 1) === 0) continue;
    for (let word = 0; word < words; word++) {
      let term = -1;
      for (let k = 0; k < values.length; k++) {
        const value = values[k]?.[word] ?? 0;
        term &= (entry >> k) & 1 ? value : ~value;
      }
      result[word] = (result[word] ?? 0) | term;
    }
  }
  return result;
}

/** A text that is the same for a bit and its complement, and which of them it is. */
export function signatureOf(value: Cases): { signature: string; inverted: number } {
  const inverted = (value[0] ?? 0) & 1;
  return { signature: (inverted ? value.map((word) => ~word) : value).join(), inverted };
}
