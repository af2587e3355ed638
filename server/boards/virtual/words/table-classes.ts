/**
 * Truth tables of two to four inputs in classes: two tables are of one class when one becomes the other by swapping
 * inputs and inverting inputs or the output. Bits of a vector often have different tables of one class, because
 * synthesis and place and route order each table's inputs independently.
 */
export interface Classified {
  /** The representative of the class: the smallest number among its members. */
  table: number;
  /** Input of the original table at each input of `table`. */
  order: readonly number[];
  /** Bit k: input k of `table` is the complement of the original's. */
  inverted: number;
  /** The output of the original is the complement of that of `table`. */
  complement: boolean;
}

/** A way of swapping and inverting inputs that leaves a table unchanged. */
export interface Symmetry {
  order: readonly number[];
  inverted: number;
}

const ORDERS = [0, 1, 2, 3, 4].map(permutations);

function permutations(count: number): number[][] {
  if (count === 0) return [[]];
  return permutations(count - 1).flatMap((shorter) =>
    Array.from({ length: count }, (_, at) => [...shorter.slice(0, at), count - 1, ...shorter.slice(at)]),
  );
}

/** Entries of a table of four inputs in which each input is high. */
const HIGH = [0xaaaa, 0xcccc, 0xf0f0, 0xff00] as const;

/** A table of up to four inputs with input `v` inverted. */
export function inputInverted(table: number, v: number): number {
  const mask = HIGH[v] ?? 0;
  const shift = 1 << v;
  return ((table & mask) >>> shift) | ((table << shift) & mask);
}

/** `table` over swapped and inverted inputs. */
function transformed(table: number, order: readonly number[], inverted: number): number {
  const entries = 1 << order.length;
  let result = 0;
  for (let entry = 0; entry < entries; entry++) {
    const given = entry ^ inverted;
    let original = 0;
    for (let k = 0; k < order.length; k++) original |= ((given >> k) & 1) << (order[k] ?? 0);
    result |= ((table >> original) & 1) << entry;
  }
  return result;
}

/** By the number of inputs, the class of their exclusive or, whose table may be the complement. */
const PARITY: readonly ({ table: number; inverted: 0 | 1 } | null)[] = [
  null,
  null,
  { table: 0x6, inverted: 0 },
  { table: 0x69, inverted: 1 },
  { table: 0x6996, inverted: 0 },
];

/** Whether a table of a class is the exclusive or of its inputs, and whether it is the complement; null if it is not. */
export function parityOf(table: number, inputs: number): { inverted: 0 | 1 } | null {
  const parity = PARITY[inputs];
  return parity?.table === table ? parity : null;
}

const COMPLEMENTS = [false, true];

const ones = (x: number) => (x & 1) + ((x >> 1) & 1) + ((x >> 2) & 1) + ((x >> 3) & 1);

const classes = new Map<number, Classified>();

/** The class of a table of `inputs` inputs, all of which it depends on; cached. */
export function classify(table: number, inputs: number): Classified {
  const key = (inputs << 16) | table;
  const known = classes.get(key);
  if (known) return known;
  const all = (1 << (1 << inputs)) - 1;
  let best: Classified = { table: all + 1, order: [], inverted: 0, complement: false };
  let bestPrice = 0;
  for (const order of ORDERS[inputs] ?? []) {
    let plain = transformed(table, order, 0);
    let inverted = 0;
    // Gray code: one inverter changes between two combinations.
    for (let step = 1; step <= 1 << inputs; step++) {
      for (const complement of COMPLEMENTS) {
        const found = complement ? plain ^ all : plain;
        if (found > best.table) continue;
        const price = ones(inverted) * 2 + (complement ? 1 : 0);
        if (found === best.table && price >= bestPrice) continue;
        best = { table: found, order, inverted, complement };
        bestPrice = price;
      }
      const next = 31 - Math.clz32(step & -step);
      if (next >= inputs) break;
      plain = inputInverted(plain, next) & all;
      inverted ^= 1 << next;
    }
  }
  classes.set(key, best);
  return best;
}

const symmetries = new Map<number, Symmetry[]>();

/** The ways to swap the inputs of a table that leave it unchanged, the identity first. */
export function symmetriesOf(table: number, inputs: number): Symmetry[] {
  const key = (inputs << 16) | table;
  const known = symmetries.get(key);
  if (known) return known;
  const found: Symmetry[] = [];
  const identity = Array.from({ length: inputs }, (_, k) => k);
  for (const order of [identity, ...(ORDERS[inputs] ?? [])]) {
    if (found.length > 0 && order.every((from, to) => from === to)) continue;
    // One inversion for each order is enough: the one with the fewest inverters.
    let best = -1;
    for (let inverted = 0; inverted < 1 << inputs; inverted++)
      if (transformed(table, order, inverted) === table && (best < 0 || ones(inverted) < ones(best)))
        best = inverted;
    if (best >= 0) found.push({ order, inverted: best });
  }
  symmetries.set(key, found);
  return found;
}

/** `table` with the inputs whose bit is set in `inverted` replaced by their complements. */
export function withInverted(table: number, inputs: number, inverted: number): number {
  let result = table;
  for (let v = 0; v < inputs; v++) if ((inverted >> v) & 1) result = inputInverted(result, v);
  return result;
}

/** Whether a table is an exclusive or with its input `v`. */
export function isExclusiveWith(table: number, inputs: number, v: number): boolean {
  const mask = (1 << (1 << inputs)) - 1;
  return ((table ^ inputInverted(table, v)) & mask) === mask;
}

/** A table of fewer inputs as one of four, which does not depend on the others. */
export function widened(table: number, inputs: number): number {
  let wide = table;
  for (let k = inputs; k < 4; k++) wide |= wide << (1 << k);
  return wide & 0xffff;
}
