import type { Value, WordGraph } from './word-graph.ts';

/** Operations for a move of several bits, for one bit in several lanes, and for a byte look-up. */
const MOVE = 3;
const SPREAD = 4;
const LOOK_UP = 6;
const WORD = 32;
const BYTE = 8;

/** Bits that move by the same number of lanes, and their target lanes. */
interface Move {
  towardsZero: number;
  mask: number;
}

/** How the bits of one value reach their lanes. */
interface Way {
  moves: readonly Move[];
  /** The part for byte look-ups: for each bit its target lanes. */
  columns: Int32Array;
  cost: number;
}

/**
 * A word whose lanes are exclusive ors of bits of other words: linear in those. Each byte of them contributes one of
 * 256 words, whatever its bits are used for. Where bits are not just moved together, a table gives that word.
 */
export class BitMatrix {
  readonly #columns = new Map<Value, Int32Array>();
  readonly #words: WordGraph;

  constructor(words: WordGraph) {
    this.#words = words;
  }

  /** Adds bit `from` of a value to a lane; a second time cancels it. */
  toggle(value: Value, from: number, lane: number): void {
    let columns = this.#columns.get(value);
    if (!columns) {
      columns = new Int32Array(WORD);
      this.#columns.set(value, columns);
    }
    columns[from] = (columns[from] ?? 0) ^ (1 << lane);
  }

  /** Number of operations, without those of its operands. */
  get cost(): number {
    let sum = 0;
    for (const columns of this.#columns.values()) sum += this.#wayOf(columns).cost;
    return sum;
  }

  /** The word: 0 in unused lanes; undefined in them where all used lanes are `live`. */
  joined(live: number): Value {
    const words = this.#words;
    const parts = [...this.#columns].flatMap(([value, columns]) => this.#partsOf(value, columns));
    const [only] = parts;
    // A part that is right in all lanes needs no mask.
    if (only && parts.length === 1 && only.mask === live) return only.value;
    return parts.reduce(
      (sum, { value, mask }) => words.xor(sum, words.and(value, words.constant(mask))),
      words.low,
    );
  }

  /** The contributions of one value, each for some lanes. */
  #partsOf(value: Value, all: Int32Array): { value: Value; mask: number }[] {
    const words = this.#words;
    const { moves, columns } = this.#wayOf(all);
    const parts = moves.map(({ towardsZero, mask }) => ({ value: words.moved(value, towardsZero), mask }));
    for (let byte = 0; byte < WORD; byte += BYTE) {
      const part = columns.subarray(byte, byte + BYTE);
      const used = part.filter((lanes) => lanes !== 0).length;
      const first = part.findIndex((lanes) => lanes !== 0);
      if (used === 1) parts.push({ value: words.spread(value, byte + first), mask: part[first] ?? 0 });
      if (used > 1) {
        const mask = part.reduce((sum, lanes) => sum | lanes, 0);
        parts.push({ value: words.table(contributions(part), words.byte(value, byte)), mask });
      }
    }
    return parts;
  }

  /** Chooses the largest groups of bits that move together, as long as that pays; byte look-ups do the rest. */
  #wayOf(all: Int32Array): Way {
    const lanes = new Map<number, number>();
    all.forEach((column, from) => {
      for (let rest = column; rest !== 0; rest &= rest - 1) {
        const lane = 31 - Math.clz32(rest & -rest);
        lanes.set(from - lane, (lanes.get(from - lane) ?? 0) | (1 << lane));
      }
    });
    const moves = [...lanes]
      .map(([towardsZero, mask]) => ({ towardsZero, mask }))
      .sort((x, y) => bitCount(y.mask) - bitCount(x.mask));
    const columns = all.slice();
    const tables = this.#words.takesTables;
    let best: Way = { moves: [], columns: columns.slice(), cost: costOfBytes(columns, tables) };
    moves.forEach(({ towardsZero, mask }, index) => {
      for (let rest = mask; rest !== 0; rest &= rest - 1) {
        const lane = 31 - Math.clz32(rest & -rest);
        const from = lane + towardsZero;
        columns[from] = (columns[from] ?? 0) & ~(1 << lane);
      }
      const cost = MOVE * (index + 1) + costOfBytes(columns, tables);
      if (cost < best.cost) best = { moves: moves.slice(0, index + 1), columns: columns.slice(), cost };
    });
    return best;
  }
}

/** @param tables whether bytes may be looked up */
function costOfBytes(columns: Int32Array, tables: boolean): number {
  let cost = 0;
  for (let byte = 0; byte < WORD; byte += BYTE) {
    let used = 0;
    for (let bit = byte; bit < byte + BYTE; bit++) if (columns[bit] !== 0) used++;
    if (used === 1) cost += SPREAD;
    if (used > 1) cost += tables ? LOOK_UP : Number.POSITIVE_INFINITY;
  }
  return cost;
}

/** The contribution of a byte, for each of its values. */
function contributions(columns: Int32Array): Int32Array {
  const table = new Int32Array(1 << BYTE);
  for (let value = 1; value < table.length; value++) {
    const lowest = 31 - Math.clz32(value & -value);
    table[value] = (table[value & (value - 1)] ?? 0) ^ (columns[lowest] ?? 0);
  }
  return table;
}

function bitCount(mask: number): number {
  let count = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) count++;
  return count;
}
