/** A node of the graph: its index. Operands always have lower indices than the node that uses them. */
export type Node = number;

export const OP = {
  constant: 0,
  /** Bit `a` of the state: a flip-flop or a data output of a block RAM. */
  state: 1,
  /** Input `a`. */
  input: 2,
  /** Combinational loop `a`, cut open: the value of the last evaluation. */
  loop: 3,
  not: 4,
  and: 5,
  or: 6,
  xor: 7,
  /** `a ? b : c` */
  mux: 8,
} as const;

/** Logic as a graph of one-bit operations in which equal expressions are one node. */
export class BooleanGraph {
  readonly low: Node;
  readonly high: Node;
  #op = new Uint8Array(1024);
  #a = new Int32Array(1024);
  #b = new Int32Array(1024);
  #c = new Int32Array(1024);
  #count = 0;
  #slots = new Int32Array(4096);

  constructor() {
    this.low = this.#intern(OP.constant, 0, 0, 0);
    this.high = this.#intern(OP.constant, 1, 0, 0);
  }

  get size(): number {
    return this.#count;
  }

  /** Operator of a node: see OP. */
  operator(node: Node): number {
    return this.#op[node] ?? 0;
  }

  /** First operand of a node; for a leaf, its index. */
  first(node: Node): Node {
    return this.#a[node] ?? 0;
  }

  second(node: Node): Node {
    return this.#b[node] ?? 0;
  }

  third(node: Node): Node {
    return this.#c[node] ?? 0;
  }

  state(index: number): Node {
    return this.#intern(OP.state, index, 0, 0);
  }

  input(index: number): Node {
    return this.#intern(OP.input, index, 0, 0);
  }

  loop(index: number): Node {
    return this.#intern(OP.loop, index, 0, 0);
  }

  not(x: Node): Node {
    if (x < 2) return 1 - x;
    if (this.#op[x] === OP.not) return this.first(x);
    return this.#intern(OP.not, x, 0, 0);
  }

  and(x: Node, y: Node): Node {
    if (x > y) return this.and(y, x);
    if (x === this.low || x === y) return x;
    if (x === this.high) return y;
    if (this.#opposite(x, y)) return this.low;
    return this.#intern(OP.and, x, y, 0);
  }

  or(x: Node, y: Node): Node {
    if (x > y) return this.or(y, x);
    if (x === this.high || x === y) return x;
    if (x === this.low) return y;
    if (this.#opposite(x, y)) return this.high;
    return this.#intern(OP.or, x, y, 0);
  }

  xor(x: Node, y: Node): Node {
    if (x > y) return this.xor(y, x);
    if (x === y) return this.low;
    if (x === this.low) return y;
    if (x === this.high) return this.not(y);
    if (this.#op[x] === OP.not) return this.not(this.xor(this.first(x), y));
    if (this.#op[y] === OP.not) return this.not(this.xor(x, this.first(y)));
    return this.#intern(OP.xor, x, y, 0);
  }

  mux(select: Node, whenHigh: Node, whenLow: Node): Node {
    if (select === this.high || whenHigh === whenLow) return whenHigh;
    if (select === this.low) return whenLow;
    if (this.#op[select] === OP.not) return this.mux(this.first(select), whenLow, whenHigh);
    if (whenHigh === this.high) return this.or(select, whenLow);
    if (whenHigh === this.low) return this.and(this.not(select), whenLow);
    if (whenLow === this.low) return this.and(select, whenHigh);
    if (whenLow === this.high) return this.or(this.not(select), whenHigh);
    if (this.#opposite(whenHigh, whenLow)) return this.not(this.xor(select, whenHigh));
    return this.#intern(OP.mux, select, whenHigh, whenLow);
  }

  majority(x: Node, y: Node, z: Node): Node {
    if (x < 2) return x === this.high ? this.or(y, z) : this.and(y, z);
    if (y < 2) return y === this.high ? this.or(x, z) : this.and(x, z);
    if (z < 2) return z === this.high ? this.or(x, y) : this.and(x, y);
    return this.or(this.and(x, y), this.and(z, this.xor(x, y)));
  }

  /** Calls back with each operand. */
  operands(node: Node, visit: (operand: Node) => void): void {
    const op = this.operator(node);
    if (op < OP.not) return;
    visit(this.first(node));
    if (op > OP.not) visit(this.second(node));
    if (op === OP.mux) visit(this.third(node));
  }

  #opposite(x: Node, y: Node): boolean {
    return (this.#op[x] === OP.not && this.#a[x] === y) || (this.#op[y] === OP.not && this.#a[y] === x);
  }

  #intern(op: number, a: number, b: number, c: number): Node {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = hash(op, a, b, c) & mask;
    for (;;) {
      const found = (slots[slot] ?? 0) - 1;
      if (found < 0) break;
      if (this.#op[found] === op && this.#a[found] === a && this.#b[found] === b && this.#c[found] === c)
        return found;
      slot = (slot + 1) & mask;
    }
    const node = this.#count++;
    if (node === this.#op.length) this.#grow();
    this.#op[node] = op;
    this.#a[node] = a;
    this.#b[node] = b;
    this.#c[node] = c;
    slots[slot] = node + 1;
    if (this.#count * 2 > slots.length) this.#rehash();
    return node;
  }

  #grow(): void {
    const size = this.#op.length * 2;
    const op = new Uint8Array(size);
    op.set(this.#op);
    this.#op = op;
    const larger = (operands: Int32Array) => {
      const copy = new Int32Array(size);
      copy.set(operands);
      return copy;
    };
    this.#a = larger(this.#a);
    this.#b = larger(this.#b);
    this.#c = larger(this.#c);
  }

  #rehash(): void {
    this.#slots = new Int32Array(this.#slots.length * 2);
    const mask = this.#slots.length - 1;
    for (let node = 0; node < this.#count; node++) {
      let slot = hash(this.operator(node), this.first(node), this.second(node), this.third(node)) & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = node + 1;
    }
  }
}

function hash(op: number, a: number, b: number, c: number): number {
  let h = Math.imul(op + 1, 0x9e3779b1) ^ Math.imul(a + 1, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 15), 0xc2b2ae35) ^ Math.imul(b + 1, 0x27d4eb2f);
  h = Math.imul(h ^ (h >>> 13), 0x165667b1) ^ Math.imul(c + 1, 0x9e3779b1);
  return h ^ (h >>> 16);
}
