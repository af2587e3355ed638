/** A value of 32 bits: its number. Operands always have lower numbers than the value that uses them. */
export type Value = number;

export const WORD_OP = {
  constant: 0,
  /** Word `a` of the machine. */
  load: 1,
  /** Word of block RAM `a` at address `b`. */
  ram: 2,
  /** Single node `a` of the look-up tables: bit 0 is its value, the others are undefined. */
  scalar: 3,
  and: 4,
  or: 5,
  xor: 6,
  add: 7,
  sub: 8,
  shl: 9,
  shrU: 10,
  shrS: 11,
  mul: 12,
  /** `a ? b : c`, a being 0 or 1. */
  select: 13,
  /** Word of table `a` at byte offset `b`. */
  table: 14,
  /** Value `a` of another evaluation, which stores it in memory. */
  kept: 15,
} as const;

const { constant, load, ram, scalar, and, or, xor, add, sub, shl, shrU, shrS, mul, select, table, kept } =
  WORD_OP;

/** Whether a value is constant or in memory: it needs no computation. */
export const isAvailable = (operator: number): boolean =>
  operator === constant || operator === load || operator === kept;

/** Maximum tables of 1 KiB: with more, a design's cells would not stay in the fastest cache. */
export const MAX_TABLES = 64;

/** Word operations as a graph in which equal expressions are one value. */
export class WordGraph {
  /** For look-up tables in vectors: all lanes 0, all lanes 1. */
  readonly low: Value;
  readonly high: Value;
  /** Contents of tables: 256 words each. */
  readonly tables: Int32Array[] = [];
  readonly #tableNumbers = new Map<string, number>();
  readonly #op: number[] = [];
  readonly #operands: [number, number, number][] = [];
  /** Bits that may be 1. */
  readonly #bits: number[] = [];
  readonly #known = new Map<string, Value>();

  constructor() {
    this.low = this.constant(0);
    this.high = this.constant(-1);
  }

  get size(): number {
    return this.#op.length;
  }

  operator(value: Value): number {
    return this.#op[value] ?? 0;
  }

  /** Operand `k` as given: for leaves an index or a constant, else a value. */
  operand(value: Value, k: 0 | 1 | 2): number {
    return this.#operands[value]?.[k] ?? 0;
  }

  /** A mask outside which the value is 0. */
  bitsOf(value: Value): number {
    return this.#bits[value] ?? -1;
  }

  /** Whether operand `k` is a value. */
  isOperand(value: Value, k: 0 | 1 | 2): boolean {
    const op = this.operator(value);
    if (op === ram || op === table) return k === 1;
    return op === select || (op >= and && op < select && k < 2);
  }

  /** Calls back with each operand that is a value. */
  operands(value: Value, visit: (operand: Value) => void): void {
    for (const k of [0, 1, 2] as const) if (this.isOperand(value, k)) visit(this.operand(value, k));
  }

  constant(value: number): Value {
    return this.#intern(constant, value | 0, 0, 0, value | 0);
  }

  /** @param bits of the word that are in use */
  load(word: number, bits: number): Value {
    return this.#intern(load, word, 0, 0, bits);
  }

  ram(index: number, address: Value): Value {
    return this.#intern(ram, index, address, 0, 0xffff);
  }

  /** @param bits that may be 1 */
  kept(value: number, bits: number): Value {
    return this.#intern(kept, value, 0, 0, bits);
  }

  scalar(node: number): Value {
    return this.#intern(scalar, node, 0, 0, -1);
  }

  /** Byte offset into a table for the byte of a value from bit `from` on. */
  byte(x: Value, from: number): Value {
    return this.and(this.moved(x, from - 2), this.constant(0xff << 2));
  }

  /** Whether there is room for more tables. */
  get takesTables(): boolean {
    return this.tables.length < MAX_TABLES;
  }

  /** @param contents 256 words @param offset see `byte` */
  table(contents: Int32Array, offset: Value): Value {
    const key = contents.join();
    let number = this.#tableNumbers.get(key);
    if (number === undefined) {
      number = this.tables.push(contents) - 1;
      this.#tableNumbers.set(key, number);
    }
    return this.#intern(
      table,
      number,
      offset,
      0,
      contents.reduce((all, word) => all | word, 0),
    );
  }

  not(x: Value): Value {
    return this.xor(x, this.high);
  }

  and(x: Value, y: Value): Value {
    if (x > y) return this.and(y, x);
    if (x === y) return x;
    const [p, q] = [this.#constantOf(x), this.#constantOf(y)];
    if (p !== null && q !== null) return this.constant(p & q);
    if (q !== null) return this.#masked(x, q);
    if (p !== null) return this.#masked(y, p);
    if ((this.bitsOf(x) & this.bitsOf(y)) === 0) return this.low;
    const [nx, ny] = [this.#complementOf(x), this.#complementOf(y)];
    if (nx !== null && ny !== null) return this.not(this.or(nx, ny));
    return this.#intern(and, x, y, 0, this.bitsOf(x) & this.bitsOf(y));
  }

  or(x: Value, y: Value): Value {
    if (x > y) return this.or(y, x);
    if (x === y) return x;
    const [p, q] = [this.#constantOf(x), this.#constantOf(y)];
    if (p !== null && q !== null) return this.constant(p | q);
    if (p === 0 || q === -1) return y;
    if (q === 0 || p === -1) return x;
    const [nx, ny] = [this.#complementOf(x), this.#complementOf(y)];
    if (nx !== null && ny !== null) return this.not(this.and(nx, ny));
    return this.#intern(or, x, y, 0, this.bitsOf(x) | this.bitsOf(y));
  }

  xor(x: Value, y: Value): Value {
    if (x > y) return this.xor(y, x);
    if (x === y) return this.low;
    // Two equal terms cancel out: a sum bit is a ^ b ^ carry, and the carries are a ^ b ^ sum.
    const terms = this.#terms(x);
    const others = this.#terms(y);
    const once = [
      ...terms.filter((term) => !others.includes(term)),
      ...others.filter((term) => !terms.includes(term)),
    ];
    if (once.length < terms.length + others.length)
      return once.reduce((sum, term) => this.xor(sum, term), this.low);
    const [p, q] = [this.#constantOf(x), this.#constantOf(y)];
    if (p !== null && q !== null) return this.constant(p ^ q);
    if (p === 0) return y;
    if (q === 0) return x;
    // Move constants outwards, where they can be combined.
    for (const [inner, other] of [
      [x, y],
      [y, x],
    ] as const) {
      const flips = this.operator(inner) === xor ? this.#constantOf(this.operand(inner, 0)) : null;
      if (flips === null) continue;
      const more = this.#constantOf(other);
      const rest = this.operand(inner, 1);
      return more === null
        ? this.xor(this.constant(flips), this.xor(rest, other))
        : this.xor(this.constant(flips ^ more), rest);
    }
    if (q !== null) return this.#intern(xor, y, x, 0, this.bitsOf(x) | q);
    return this.#intern(xor, x, y, 0, this.bitsOf(x) | this.bitsOf(y));
  }

  /** `s ? h : l` in each lane. */
  mux(s: Value, h: Value, l: Value): Value {
    if (h === l) return h;
    const inverse = this.#complementOf(s);
    if (inverse !== null) return this.mux(inverse, l, h);
    if (this.#constantOf(l) === 0) return this.and(s, h);
    if (this.#constantOf(h) === 0) return this.and(this.not(s), l);
    if (this.#constantOf(l) === -1) return this.or(this.not(s), h);
    if (this.#constantOf(h) === -1) return this.or(s, l);
    return this.xor(this.and(this.xor(h, l), s), l);
  }

  /** In each lane what two of three have. */
  majority(x: Value, y: Value, z: Value): Value {
    return this.or(this.and(x, y), this.and(z, this.xor(x, y)));
  }

  add(x: Value, y: Value): Value {
    if (x > y) return this.add(y, x);
    const [p, q] = [this.#constantOf(x), this.#constantOf(y)];
    if (p !== null && q !== null) return this.constant(p + q);
    if (p === 0) return y;
    if (q === 0) return x;
    const most = this.bitsOf(x) | this.bitsOf(y);
    return this.#intern(add, x, y, 0, most >>> 30 ? -1 : (1 << (33 - Math.clz32(most))) - 1);
  }

  sub(x: Value, y: Value): Value {
    if (this.#constantOf(y) === 0) return x;
    return this.#intern(sub, x, y, 0, -1);
  }

  /** A value times a number. */
  times(x: Value, factor: number): Value {
    const by = factor | 0;
    if (by === 0) return this.low;
    if (by === -1) return this.sub(this.low, x);
    if ((by & (by - 1)) === 0) return this.shl(x, this.constant(31 - Math.clz32(by)));
    return this.mul(x, this.constant(by));
  }

  mul(x: Value, y: Value): Value {
    if (x > y) return this.mul(y, x);
    const [p, q] = [this.#constantOf(x), this.#constantOf(y)];
    if (p !== null && q !== null) return this.constant(Math.imul(p, q));
    const most = (this.bitsOf(x) >>> 0) * (this.bitsOf(y) >>> 0);
    return this.#intern(mul, x, y, 0, most >= 2 ** 31 ? -1 : (1 << (32 - Math.clz32(most))) - 1);
  }

  /** @param distance a value, modulo 32 */
  shl(x: Value, distance: Value): Value {
    const by = this.#constantOf(distance);
    if (by === 0) return x;
    const own = this.#constantOf(x);
    if (own !== null && by !== null) return this.constant(own << by);
    const bits = by === null ? -1 : this.bitsOf(x) << by;
    return bits === 0 ? this.low : this.#intern(shl, x, distance, 0, bits);
  }

  shrU(x: Value, distance: Value): Value {
    const by = this.#constantOf(distance);
    if (by === 0) return x;
    const own = this.#constantOf(x);
    if (own !== null && by !== null) return this.constant(own >>> by);
    const bits = by === null ? -1 : this.bitsOf(x) >>> by;
    return bits === 0 ? this.low : this.#intern(shrU, x, distance, 0, bits);
  }

  shrS(x: Value, distance: Value): Value {
    const by = this.#constantOf(distance);
    return by === 0 ? x : this.#intern(shrS, x, distance, 0, -1);
  }

  /** Shifts so many bits towards bit 0; negative for the other direction. */
  moved(x: Value, towardsZero: number): Value {
    return towardsZero >= 0
      ? this.shrU(x, this.constant(towardsZero))
      : this.shl(x, this.constant(-towardsZero));
  }

  /** Bit `lane` of a value in all lanes. */
  spread(x: Value, lane: number): Value {
    if (lane === 0 && (this.bitsOf(x) === 1 || this.operator(x) !== load))
      return this.sub(this.low, this.and(x, this.constant(1)));
    return this.shrS(this.shl(x, this.constant(31 - lane)), this.constant(31));
  }

  /** @param condition 0 or 1 */
  select(condition: Value, x: Value, y: Value): Value {
    if (x === y) return x;
    const known = this.#constantOf(condition);
    if (known !== null) return known ? x : y;
    return this.#intern(select, condition, x, y, this.bitsOf(x) | this.bitsOf(y));
  }

  #constantOf(value: Value): number | null {
    return this.#op[value] === constant ? this.operand(value, 0) : null;
  }

  /** The value of which this one is the complement. */
  #complementOf(value: Value): Value | null {
    const own = this.#constantOf(value);
    if (own !== null) return null;
    return this.#op[value] === xor && this.operand(value, 0) === this.high ? this.operand(value, 1) : null;
  }

  #masked(x: Value, mask: number): Value {
    if ((this.bitsOf(x) & ~mask) === 0) return x;
    const bits = this.bitsOf(x) & mask;
    if (bits === 0) return this.low;
    if (this.#op[x] === and) {
      const inner = this.#constantOf(this.operand(x, 0));
      if (inner !== null) return this.#masked(this.operand(x, 1), inner & mask);
    }
    return this.#intern(and, this.constant(mask), x, 0, bits);
  }

  /** Terms of an exclusive or, at most four. */
  #terms(value: Value): Value[] {
    if (this.#op[value] !== xor) return [value];
    return [this.operand(value, 0), this.operand(value, 1)].flatMap((term) =>
      this.#op[term] === xor ? [this.operand(term, 0), this.operand(term, 1)] : [term],
    );
  }

  #intern(op: number, a: number, b: number, c: number, bits: number): Value {
    const key = `${op},${a},${b},${c}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const value = this.#op.length;
    this.#op.push(op);
    this.#operands.push([a, b, c]);
    this.#bits.push(bits);
    this.#known.set(key, value);
    return value;
  }
}
