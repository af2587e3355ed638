import { assertNever } from '../../../errors/bench-error.ts';
import { type BooleanGraph, type Node, OP } from '../graph/boolean-graph.ts';
import type { Place } from '../graph/partition.ts';

/**
 * A word whose bits are computed together. Lanes that were not requested are undefined, except where a part lists its
 * lanes.
 */
export type Vector = { lanes: number } & (
  | { kind: 'constant'; value: number }
  /** A word moved by `shift` towards lower bits, or by `-shift` towards higher ones. */
  | { kind: 'move'; word: number; shift: number }
  /** One bit in all lanes. */
  | { kind: 'spread'; node: Node }
  | { kind: 'flip'; of: Vector; mask: number }
  | { kind: 'and' | 'or' | 'xor'; of: readonly [Vector, Vector] }
  | { kind: 'mux'; of: readonly [Vector, Vector, Vector] }
  /** Each part is right in its own lanes. */
  | { kind: 'parts'; parts: Vector[] }
  /** Single bits in their lanes; all other lanes are 0. */
  | { kind: 'bits'; bits: { node: Node; bit: number }[] }
);

/** Where the nodes of a cluster are found. */
export interface Sources {
  graph: BooleanGraph;
  /** Place of a node that need not be computed here, else null. */
  place(node: Node): Place | null;
  /** True for a node whose value is in a local. */
  computed(node: Node): boolean;
}

/** Lane without a node. */
const ANY = -1;

/** Minimum lanes that are worth computing together. */
const WORTH = 3;
/** Operations to put a single bit into its lane. */
const BIT_COST = 3;
const DEPTH = 24;

/** Plans how to compute the nodes of `lanes` (ANY for unused lanes) as one word. */
export function planVector(sources: Sources, lanes: readonly Node[]): Vector {
  return new Planner(sources).plan(lanes, DEPTH);
}

/** Nodes that a vector needs as single bits. */
export function scalarsOf(vector: Vector, found: Node[] = []): Node[] {
  switch (vector.kind) {
    case 'constant':
    case 'move':
      break;
    case 'spread':
      found.push(vector.node);
      break;
    case 'bits':
      for (const { node } of vector.bits) found.push(node);
      break;
    case 'flip':
      scalarsOf(vector.of, found);
      break;
    case 'and':
    case 'or':
    case 'xor':
    case 'mux':
      for (const part of vector.of) scalarsOf(part, found);
      break;
    case 'parts':
      for (const part of vector.parts) scalarsOf(part, found);
      break;
    default:
      return assertNever(vector);
  }
  return found;
}

class Planner {
  readonly #known = new Map<string, Vector>();
  readonly #costs = new Map<Node, number>();
  readonly #sources: Sources;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  plan(lanes: readonly Node[], depth: number): Vector {
    const key = lanes.join();
    let vector = this.#known.get(key);
    if (!vector) {
      vector = this.#cheapest(lanes, depth);
      this.#known.set(key, vector);
    }
    return vector;
  }

  #cheapest(lanes: readonly Node[], depth: number): Vector {
    const together = this.#together(lanes, depth);
    if (
      together.kind !== 'and' &&
      together.kind !== 'or' &&
      together.kind !== 'xor' &&
      together.kind !== 'mux'
    )
      return together;
    const single = this.#single(lanes);
    return this.#cost(together, new Set()) < this.#cost(single, new Set()) ? together : single;
  }

  #single(lanes: readonly Node[]): Vector {
    const bits: { node: Node; bit: number }[] = [];
    lanes.forEach((node, bit) => {
      if (node !== ANY) bits.push({ node, bit });
    });
    return { kind: 'bits', lanes: maskOf(lanes), bits };
  }

  #together(lanes: readonly Node[], depth: number): Vector {
    const { graph } = this.#sources;
    const live = lanes.filter((node) => node !== ANY);
    const mask = maskOf(lanes);
    const [first] = live;
    if (first === undefined || live.every((node) => node < 2)) {
      let value = 0;
      lanes.forEach((node, bit) => {
        if (node === graph.high) value |= 1 << bit;
      });
      return { kind: 'constant', lanes: mask, value };
    }
    const moved = this.#moves(lanes);
    if (moved) return moved;
    if (live.length > 1 && live.every((node) => node === first))
      return { kind: 'spread', lanes: mask, node: first };

    const negated = lanes.map((node) => this.#isOpen(node) && graph.operator(node) === OP.not);
    if (negated.some(Boolean)) {
      let flipped = 0;
      const stripped = lanes.map((node, bit) => {
        if (!negated[bit]) return node;
        flipped |= 1 << bit;
        return graph.first(node);
      });
      return { kind: 'flip', lanes: mask, of: this.plan(stripped, depth), mask: flipped };
    }

    const classes = new Map<number, number[]>();
    lanes.forEach((node, bit) => {
      if (node === ANY) return;
      const kind = this.#classOf(node);
      const known = classes.get(kind);
      if (known) known.push(bit);
      else classes.set(kind, [bit]);
    });
    if (classes.size === 1) {
      const [kind] = classes.keys();
      if (live.length < WORTH || depth === 0 || kind === undefined || kind < OP.and)
        return this.#single(lanes);
      return this.#operation(lanes, kind, mask, depth - 1);
    }
    const parts: Vector[] = [];
    let alone: Node[] | null = null;
    for (const [kind, bits] of classes) {
      if (bits.length >= WORTH || kind <= 0) {
        const part: Node[] = lanes.map(() => ANY);
        for (const bit of bits) part[bit] = lanes[bit] ?? ANY;
        parts.push(this.plan(part, depth));
      } else {
        alone ??= lanes.map(() => ANY);
        for (const bit of bits) alone[bit] = lanes[bit] ?? ANY;
      }
    }
    if (alone) parts.push(this.#single(alone));
    return { kind: 'parts', lanes: mask, parts };
  }

  /** An operator node that must be computed here. */
  #isOpen(node: Node): boolean {
    const { graph, computed, place } = this.#sources;
    return node !== ANY && graph.operator(node) >= OP.not && !computed(node) && !place(node);
  }

  /** Lanes of one class may be joined: 0 constants, -1 placed bits, -2 values in locals, else the operator. */
  #classOf(node: Node): number {
    if (node < 2) return 0;
    if (this.#isOpen(node)) return this.#sources.graph.operator(node);
    return this.#sources.place(node) ? -1 : -2;
  }

  /** All lanes are bits of words: one move for each distance. */
  #moves(lanes: readonly Node[]): Vector | null {
    const moves = new Map<string, Vector & { kind: 'move' }>();
    for (const [bit, node] of lanes.entries()) {
      if (node === ANY) continue;
      const place = this.#sources.computed(node) ? null : this.#sources.place(node);
      if (!place) return null;
      const shift = place.bit - bit;
      const key = `${place.word},${shift}`;
      const move = moves.get(key);
      if (move) move.lanes |= 1 << bit;
      else moves.set(key, { kind: 'move', lanes: 1 << bit, word: place.word, shift });
    }
    const parts = [...moves.values()];
    const [only] = parts;
    if (parts.length === 1 && only) return only;
    // The same bit everywhere is better spread.
    const [first] = lanes.filter((node) => node !== ANY);
    if (lanes.every((node) => node === ANY || node === first)) return null;
    return { kind: 'parts', lanes: maskOf(lanes), parts };
  }

  #operation(lanes: readonly Node[], op: number, mask: number, depth: number): Vector {
    const { graph } = this.#sources;
    const a: Node[] = lanes.map((node) => (node === ANY ? ANY : graph.first(node)));
    const b: Node[] = lanes.map((node) => (node === ANY ? ANY : graph.second(node)));
    if (op === OP.mux) {
      const c = lanes.map((node) => (node === ANY ? ANY : graph.third(node)));
      return {
        kind: 'mux',
        lanes: mask,
        of: [this.plan(a, depth), this.plan(b, depth), this.plan(c, depth)],
      };
    }
    // Operands of a lane are swapped where they then fit those of the lane before better.
    let before = -1;
    for (let bit = 0; bit < lanes.length; bit++) {
      const [x, y] = [a[bit] ?? ANY, b[bit] ?? ANY];
      if (x === ANY) continue;
      if (before >= 0) {
        const [p, q] = [a[before] ?? ANY, b[before] ?? ANY];
        const gap = bit - before;
        const straight = this.#fit(x, p, gap) + this.#fit(y, q, gap);
        const crossed = this.#fit(y, p, gap) + this.#fit(x, q, gap);
        if (crossed > straight) {
          a[bit] = y;
          b[bit] = x;
        }
      }
      before = bit;
    }
    const name = op === OP.and ? 'and' : op === OP.or ? 'or' : 'xor';
    return { kind: name, lanes: mask, of: [this.plan(a, depth), this.plan(b, depth)] };
  }

  /** How well a node continues a node `gap` lanes before. */
  #fit(node: Node, before: Node, gap: number): number {
    const { graph } = this.#sources;
    if (node === before) return 4;
    const [kind, other] = [this.#classOf(node), this.#classOf(before)];
    if (kind !== other) return 0;
    if (kind === -1) {
      const [p, q] = [this.#sources.place(node), this.#sources.place(before)];
      if (!p || !q || p.word !== q.word) return 1;
      return p.bit - q.bit === gap ? 4 : 2;
    }
    if (kind < OP.and) return 1;
    return this.#classOf(graph.first(node)) === this.#classOf(graph.first(before)) ? 3 : 2;
  }

  #cost(vector: Vector, counted: Set<Vector>): number {
    if (counted.has(vector)) return 1;
    counted.add(vector);
    switch (vector.kind) {
      case 'constant':
        return 0.5;
      case 'move':
        return vector.shift === 0 ? 1 : 2;
      case 'spread':
        return 3;
      case 'flip':
        return 1 + this.#cost(vector.of, counted);
      case 'and':
      case 'or':
      case 'xor':
      case 'mux':
        return vector.of.reduce(
          (sum, part) => sum + this.#cost(part, counted),
          vector.kind === 'mux' ? 4 : 1,
        );
      case 'parts':
        return vector.parts.reduce((sum, part) => sum + 2 + this.#cost(part, counted), 0);
      case 'bits':
        return vector.bits.reduce((sum, { node }) => sum + BIT_COST + this.#nodeCost(node, 6), 0);
      default:
        return assertNever(vector);
    }
  }

  /** Operations for one node, with shared parts counted at each use. */
  #nodeCost(node: Node, depth: number): number {
    if (node < 2) return 0;
    if (!this.#isOpen(node)) return 1;
    const known = this.#costs.get(node);
    if (known !== undefined) return known;
    let cost = this.#sources.graph.operator(node) === OP.mux ? 4 : 1;
    if (depth > 0)
      this.#sources.graph.operands(node, (operand) => {
        cost += this.#nodeCost(operand, depth - 1);
      });
    this.#costs.set(node, cost);
    return cost;
  }
}

function maskOf(lanes: readonly Node[]): number {
  let mask = 0;
  lanes.forEach((node, bit) => {
    if (node !== ANY) mask |= 1 << bit;
  });
  return mask;
}
