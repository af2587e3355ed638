import { bitCount, KnownBits, type KnownWords } from './known-bits.ts';
import { Rows } from './rows.ts';
import type { Order } from './schedule.ts';
import { type Value, WORD_OP, type WordGraph } from './word-graph.ts';

/** Maximum cases, case bits, and values computed in all of them together. */
const MAX_CASES = 40;
const MAX_BITS = 12;
const MAX_VALUES = 30_000;
/** Minimum saving of one more case, as a share of a clock's values and as a number. */
const WORTH = 0.005;
const LEAST = 8;
/** Minimum saving of all cases together, because selecting a case takes time too. */
const WORTH_IT = 0.15;
const FINDING_OUT = 100;
/** Minimum share of clocks for a case with code of its own. */
const SELDOM = 0.01;
/** Maximum bits of a word that may each be a state. */
const FEW = 8;
/** Bits tried for every case: those that decide most by themselves. */
const TRIED = 40;

/** A bit of a word of the machine. */
export interface Bit {
  word: number;
  lane: number;
}

/** The states in which some bits are known. */
export interface Case {
  readonly known: KnownWords;
  /** Numbers of the observed clocks in this case. */
  readonly clocks: readonly number[];
  /** Number of values that remain to be computed. */
  readonly left: number;
}

interface Split {
  bit: Bit;
  /** The values that it saves, over all clocks. */
  worth: number;
  parts: readonly [Part, Part];
}

interface Part extends Case {
  split: Split | null;
}

/**
 * Divides the states of a design into cases that need far fewer values, by the bits that decide most: a machine's
 * state, or the kind of an executed instruction. The bits are chosen from the running design. The cases cover all
 * states and do not overlap by construction.
 */
export class Cases {
  readonly all: readonly Case[];
  /** The case bits, those of one word next to each other. */
  readonly bits: readonly Bit[];
  readonly #rows: Rows;
  readonly #found: KnownBits;
  readonly #states: readonly Int32Array[];
  readonly #tried: readonly Bit[];

  /**
   * @param states words of the machine in each of the observed clocks
   * @param bitsOf bits of a word that may be case bits
   * @param isKept values that exist already
   */
  constructor(
    order: Order,
    words: WordGraph,
    states: readonly Int32Array[],
    bitsOf: (word: number) => number,
    isKept: (value: Value) => boolean,
  ) {
    this.#rows = new Rows(order, words);
    this.#found = new KnownBits(this.#rows, words.tables, isKept);
    this.#states = states;
    const whole = this.#part(
      new Map(),
      states.map((_, clock) => clock),
    );
    this.#tried = this.#saying(whole, this.#singleBits(bitsOf));
    const parts = this.#divided(whole);
    const left = parts.reduce((sum, part) => sum + part.left * part.clocks.length, 0) / states.length;
    this.all = this.isWorthIt(whole.left, left) ? parts : [whole];
    this.bits = bitsIn(this.all);
  }

  /** Whether cases pay, from the number of values in a clock without and with them. */
  isWorthIt(before: number, after: number): boolean {
    return before - after > WORTH_IT * before + FINDING_OUT;
  }

  /** The saving, from the number of values before and after. */
  worth(before: number, after: number): number {
    return before - after;
  }

  /** Whether a case is too rare for code of its own. */
  isSeldom({ clocks }: Case): boolean {
    return clocks.length < SELDOM * this.#states.length;
  }

  /** The share of clocks in which a value must be computed, for those needed only in some. */
  needs(): Map<Value, number> {
    const needs = new Map<Value, number>();
    for (const { known, clocks } of this.all) {
      this.#found.find(known);
      this.#rows.values.forEach((value, row) => {
        if (this.#found.isLeft(row))
          needs.set(value, (needs.get(value) ?? 0) + clocks.length / this.#states.length);
      });
    }
    return needs;
  }

  #part(known: KnownWords, clocks: readonly number[]): Part {
    this.#found.find(known);
    return { known, clocks, left: this.#found.left, split: null };
  }

  /** Divides the most worthwhile part, again and again. */
  #divided(whole: Part): readonly Part[] {
    const least = Math.max(LEAST, WORTH * whole.left) * this.#states.length;
    const parts = [whole];
    this.#findSplit(whole);
    while (parts.length < MAX_CASES) {
      const bits = bitsIn(parts);
      const code = (some: readonly Part[]) =>
        some.reduce((sum, part) => sum + (this.isSeldom(part) ? 0 : part.left), 0);
      const values = code(parts);
      const allowed = parts.filter((part) => {
        const { split } = part;
        if (!split || split.worth < least) return false;
        if (values - code([part]) + code(split.parts) > MAX_VALUES) return false;
        return bits.length < MAX_BITS || bits.some((bit) => isSame(bit, split.bit));
      });
      const [best] = allowed.toSorted((x, y) => (y.split?.worth ?? 0) - (x.split?.worth ?? 0));
      if (!best?.split) break;
      parts.splice(parts.indexOf(best), 1, ...best.split.parts);
      for (const part of best.split.parts) this.#findSplit(part);
    }
    return parts;
  }

  /**
   * State bits that some operation extracts from their words, or that are in words of a few bits: the others are data.
   */
  #singleBits(bitsOf: (word: number) => number): Bit[] {
    const masks = new Map<number, number>();
    const add = (word: number, bits: number) => masks.set(word, (masks.get(word) ?? 0) | bits);
    const take = (row: number, bits: number) => {
      if (this.#rows.operators[row] === WORD_OP.load && bitCount(bits) === 1)
        add(this.#rows.a[row] ?? 0, bits);
    };
    this.#rows.operators.forEach((operator, row) => {
      const word = this.#rows.a[row] ?? 0;
      if (operator === WORD_OP.load && bitCount(bitsOf(word)) <= FEW) add(word, bitsOf(word));
      if (!this.#found.isLeft(row)) return;
      const [x, y] = [this.#rows.a[row] ?? 0, this.#rows.b[row] ?? 0];
      const asked = this.#found.asked[row] ?? 0;
      const by = this.#rows.operators[y] === WORD_OP.constant ? (this.#rows.a[y] ?? 0) & 31 : 0;
      if (operator === WORD_OP.shl) take(x, asked >>> by);
      else if (operator === WORD_OP.shrU) take(x, asked << by);
      else if (operator === WORD_OP.and || operator === WORD_OP.or || operator === WORD_OP.xor) {
        const ends = operator === WORD_OP.and ? this.#found.zeros : this.#found.ones;
        const decides = operator === WORD_OP.xor ? null : ends;
        take(x, asked & ~(decides?.[y] ?? 0));
        take(y, asked & ~(decides?.[x] ?? 0));
      }
    });
    return bitsOfMasks([...masks].map(([word, mask]) => [word, mask & bitsOf(word)]));
  }

  /** The bits that decide most by themselves. */
  #saying(whole: Part, bits: readonly Bit[]): readonly Bit[] {
    return bits
      .map((bit) => ({ bit, worth: this.#split(whole, bit)?.worth ?? 0 }))
      .toSorted((x, y) => y.worth - x.worth)
      .slice(0, TRIED)
      .map(({ bit }) => bit);
  }

  #findSplit(part: Part): void {
    if (this.isSeldom(part)) return;
    for (const bit of this.#tried) {
      const split = this.#split(part, bit);
      if (split && split.worth > (part.split?.worth ?? 0)) part.split = split;
    }
  }

  #split({ known, clocks, left }: Part, bit: Bit): Split | null {
    const { word, lane } = bit;
    const { mask, value } = known.get(word) ?? { mask: 0, value: 0 };
    if ((mask >>> lane) & 1) return null;
    const part = (is: 0 | 1): Part => {
      const own = clocks.filter((clock) => (((this.#states[clock]?.[word] ?? 0) >>> lane) & 1) === is);
      const more = new Map(known).set(word, { mask: mask | (1 << lane), value: value | (is << lane) });
      return own.length === 0 ? { known: more, clocks: own, left, split: null } : this.#part(more, own);
    };
    const [zero, one] = [part(0), part(1)];
    const after = zero.left * zero.clocks.length + one.left * one.clocks.length;
    return { bit, worth: this.worth(left * clocks.length, after), parts: [zero, one] };
  }
}

const isSame = (x: Bit, y: Bit): boolean => x.word === y.word && x.lane === y.lane;

/** Bits that are known in any of the cases, in order. */
function bitsIn(cases: readonly Case[]): Bit[] {
  const masks = new Map<number, number>();
  for (const { known } of cases)
    for (const [word, { mask }] of known) masks.set(word, (masks.get(word) ?? 0) | mask);
  return bitsOfMasks([...masks]);
}

const bitsOfMasks = (masks: readonly (readonly [word: number, mask: number])[]): Bit[] =>
  masks.flatMap(([word, mask]) =>
    Array.from({ length: 32 }, (_, lane) => ({ word, lane })).filter(({ lane }) => (mask >>> lane) & 1),
  );
