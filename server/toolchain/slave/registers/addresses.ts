import { COMPARISON, ZERO_TEST } from './cell-uses.ts';
import { type Circuit, type FlatCell, ONE, type Value, ZERO } from './circuit.ts';
import type { Evaluation } from './evaluation.ts';
import { isConstant, type Origins } from './origins.ts';

/** Limit of addresses that are looked at. */
const MAX_ADDRESSES = 1024;
/** Words of a memory that are looked at one by one, as bits of their index. */
const MAX_INDEX_BITS = 6;

/** Bits of the address port and the values that a design tells apart there. */
type Parts = Map<string, { bits: number[]; values: Set<string> }>;

/**
 * The values of the address port that a design tells apart: the constants with which it compares parts of the address, in
 * all combinations, and the words that it chooses by a part.
 * @returns these values, and the cells that compare
 * @param symbolic an evaluation with an unknown address @param width bits of the port
 */
export function decodedAddresses(
  { logic, memoryWrites }: Circuit,
  origins: Origins,
  symbolic: Evaluation,
  width: number,
): { values: Set<number>; comparisons: readonly FlatCell[] } {
  const parts: Parts = new Map();
  const comparisons = new Set<FlatCell>();
  const bitsOf = (values: readonly Value[]): (number | null)[] =>
    values.map((value) => {
      const origin = origins.of(value);
      return origin?.kind === 'address' ? origin.at : null;
    });
  const add = (flat: FlatCell, left: readonly Value[], right: readonly Value[]) => {
    const bits = bitsOf(left);
    const compared: [bit: number, level: Value][] = [];
    for (const [at, value] of left.entries()) {
      const [bit, other = ZERO] = [bits[at] ?? null, right[at]];
      if (bit !== null && isConstant(other)) compared.push([bit, other]);
      else if (value !== other) return;
    }
    if (compared.length === 0) return;
    comparisons.add(flat);
    put(parts, compared);
  };
  const index = (values: readonly Value[]) => {
    const bits = bitsOf(values).flatMap((bit) => bit ?? []);
    for (let word = 0; word < 2 ** Math.min(bits.length, MAX_INDEX_BITS) && bits.length > 0; word++)
      put(
        parts,
        bits.map((bit, at) => [bit, Math.floor(word / 2 ** at) % 2 === 1 ? ONE : ZERO]),
      );
  };
  for (const flat of [...logic, ...memoryWrites]) {
    const { type } = flat.cell;
    const pin = (name: string) => symbolic.values(flat.ports[name]);
    if (COMPARISON.has(type)) {
      add(flat, pin('A'), pin('B'));
      add(flat, pin('B'), pin('A'));
    } else if (ZERO_TEST.has(type)) add(flat, pin('A'), []);
    else if (type === '$mux' || type === '$bmux' || type === '$pmux') index(pin('S'));
    else if (type === '$shiftx' || type === '$shift' || type === '$shr') index(pin('B'));
    else if (/^\$mem(?:rd|wr)/.test(type)) index(pin('ADDR'));
  }
  return { values: combined(parts, width), comparisons: [...comparisons] };
}

function put(parts: Parts, compared: readonly (readonly [number, Value])[]): void {
  const sorted = [...compared].sort(([a], [b]) => a - b);
  const bits = sorted.map(([bit]) => bit);
  const part = parts.get(bits.join()) ?? { bits, values: new Set() };
  parts.set(bits.join(), part);
  part.values.add(sorted.map(([, level]) => level).join(''));
}

/** The lowest value that a part is not compared with: what is at all other addresses. Null where there is none. */
function otherOf(bits: readonly number[], values: ReadonlySet<string>): string | null {
  for (let value = 0; value < Math.min(2 ** bits.length, values.size + 1); value++) {
    const levels = bits.map((_, at) => (Math.floor(value / 2 ** at) % 2 === 1 ? '1' : '0')).join('');
    if (!values.has(levels)) return levels;
  }
  return null;
}

/** All combinations of the parts' values and of one other, up to a limit. */
function combined(parts: Parts, width: number): Set<number> {
  let addresses = new Set(['0'.repeat(width)]);
  for (const { bits, values } of [...parts.values()].sort((a, b) => b.bits.length - a.bits.length)) {
    const more = new Set(addresses);
    const other = otherOf(bits, values);
    for (const address of addresses)
      for (const value of other === null ? values : [...values, other]) {
        const levels = [...address];
        for (const [at, bit] of bits.entries()) levels[bit] = value[at] ?? '0';
        if (more.size < MAX_ADDRESSES) more.add(levels.join(''));
      }
    addresses = more;
  }
  return new Set([...addresses].map((levels) => Number.parseInt([...levels].reverse().join(''), 2)));
}
