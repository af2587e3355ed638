import { type BooleanGraph, type Node, OP } from '../graph/boolean-graph.ts';
import type { Design } from '../graph/lower.ts';
import { isLeaf, loopTarget, type Partition, type Place, placeOf } from '../graph/partition.ts';
import { type FunctionBody, I32, type Local } from './assembler.ts';
import type { Layout } from './layout.ts';
import { VectorWriter } from './vector-writer.ts';
import { planVector, scalarsOf } from './vectors.ts';

/** A node or its complement. */
interface Literal {
  node: Node;
  inverted: boolean;
}

/**
 * The literals of a tree of equal operations: `(a & ~b) & ~(c | d)` is the conjunction of a, ~b, ~c, ~d. Descends only
 * into nodes for which `within` holds. An inverted literal of an exclusive or counts as an inversion of it.
 */
function literalsOf(
  graph: BooleanGraph,
  root: Node,
  within: (node: Node) => boolean,
): { literals: Literal[]; inverted: boolean } {
  const op = graph.operator(root);
  const dual = op === OP.and ? OP.or : op === OP.or ? OP.and : -1;
  const literals: Literal[] = [];
  let inverted = false;
  const stack: Literal[] = [
    { node: graph.second(root), inverted: false },
    { node: graph.first(root), inverted: false },
  ];
  for (let next = stack.pop(); next; next = stack.pop()) {
    const kind = graph.operator(next.node);
    const descend = within(next.node);
    if (kind === OP.not && descend) {
      if (op === OP.xor) inverted = !inverted;
      stack.push({ node: graph.first(next.node), inverted: op === OP.xor ? false : !next.inverted });
    } else if (descend && kind === (next.inverted ? dual : op)) {
      stack.push({ node: graph.second(next.node), inverted: next.inverted });
      stack.push({ node: graph.first(next.node), inverted: next.inverted });
    } else literals.push(next);
  }
  return { literals, inverted };
}

/** Single-use expressions are nested up to this depth, then put into a local. */
const DEPTH = 40;
/** Minimum bits of a word for which one joint comparison is less work than single ones. */
const TOGETHER = 3;

/**
 * Writes the expressions of one cluster. A bit is in bit 0 of a 32-bit value whose other bits are undefined, so that
 * reading bit k of a word is one shift. It is masked only as a condition or for packing.
 */
export class Expressions {
  readonly #inside: Set<Node>;
  readonly #uses = new Map<Node, number>();
  readonly #locals = new Map<Node, Local>();
  readonly #wordUses = new Map<number, number>();
  readonly #words = new Map<number, Local>();
  readonly #heights = new Map<Node, number>();
  readonly #design: Design;
  readonly #partition: Partition;
  readonly #layout: Layout;
  readonly #body: FunctionBody;

  constructor(
    design: Design,
    partition: Partition,
    layout: Layout,
    body: FunctionBody,
    nodes: readonly Node[],
    roots: readonly Node[],
  ) {
    this.#design = design;
    this.#partition = partition;
    this.#layout = layout;
    this.#body = body;
    this.#inside = new Set(nodes);
    for (const root of roots) this.#countUses(root);
  }

  #place(node: Node): Place | null {
    return this.#inside.has(node) ? null : placeOf(this.#design, this.#partition, node);
  }

  #countUses(root: Node): void {
    const stack = [root];
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      if (node < 2) continue;
      const place = this.#place(node);
      if (place) {
        this.#wordUses.set(place.word, (this.#wordUses.get(place.word) ?? 0) + 1);
        continue;
      }
      const uses = (this.#uses.get(node) ?? 0) + 1;
      this.#uses.set(node, uses);
      if (uses === 1) this.#design.graph.operands(node, (operand) => stack.push(operand));
    }
  }

  /** Computes the shared parts of `roots`, so that `value` may be called for them in any order afterwards. */
  prepare(roots: readonly Node[]): void {
    const { graph } = this.#design;
    const needed: Node[] = [];
    const seen = new Set<Node>();
    const stack = [...roots];
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      if (node < 2 || seen.has(node) || this.#locals.has(node) || this.#place(node)) continue;
      seen.add(node);
      needed.push(node);
      graph.operands(node, (operand) => stack.push(operand));
    }
    for (const node of needed.sort((x, y) => x - y)) {
      let height = 1;
      graph.operands(node, (operand) => {
        height = Math.max(height, 1 + (this.#locals.has(operand) ? 0 : (this.#heights.get(operand) ?? 0)));
      });
      this.#heights.set(node, height);
      if (isLeaf(graph, node) || ((this.#uses.get(node) ?? 0) < 2 && height < DEPTH)) continue;
      this.#compute(node);
      const local = this.#body.newLocal();
      this.#body.set(local);
      this.#locals.set(node, local);
    }
  }

  /** Pushes a value whose bit 0 is the node's. */
  value(node: Node): void {
    const body = this.#body;
    if (node < 2) {
      body.constant(-node);
      return;
    }
    const local = this.#locals.get(node);
    if (local !== undefined) {
      body.get(local);
      return;
    }
    const place = this.#place(node);
    if (!place) {
      this.#compute(node);
      return;
    }
    this.#word(place.word);
    if (place.bit > 0) {
      body.constant(place.bit);
      body.op(I32.shrU);
    }
  }

  /** Pushes exactly 0 or 1. */
  bit(node: Node): void {
    if (node < 2) {
      this.#body.constant(node);
      return;
    }
    this.value(node);
    this.#body.constant(1);
    this.#body.op(I32.and);
  }

  #word(index: number): void {
    const body = this.#body;
    const local = this.#words.get(index);
    if (local !== undefined) {
      body.get(local);
      return;
    }
    body.load(this.#layout.word(index));
    if ((this.#wordUses.get(index) ?? 0) < 2) return;
    const kept = body.newLocal();
    body.tee(kept);
    this.#words.set(index, kept);
  }

  #compute(node: Node): void {
    const body = this.#body;
    const { graph } = this.#design;
    const a = graph.first(node);
    const b = graph.second(node);
    switch (graph.operator(node)) {
      case OP.not:
        this.value(a);
        body.constant(-1);
        body.op(I32.xor);
        return;
      case OP.and:
      case OP.or:
      case OP.xor:
        this.#tree(node);
        return;
      case OP.mux: {
        // low ^ ((high ^ low) & select), which is right for each single bit
        const low = graph.third(node);
        this.value(b);
        this.value(low);
        body.op(I32.xor);
        this.value(a);
        body.op(I32.and);
        this.value(low);
        body.op(I32.xor);
        return;
      }
      case OP.loop:
        // A loop that contains only itself rests low; any other has a place.
        body.constant(-Math.min(1, loopTarget(this.#design, a)));
        return;
      default:
        throw new Error(`node ${node} has no expression`);
    }
  }

  /**
   * A tree of one operation. Several bits of one word in it are handled together: compared under a mask for
   * conjunctions and disjunctions, counted for parities.
   */
  #tree(root: Node): void {
    const body = this.#body;
    const { graph } = this.#design;
    const kind = graph.operator(root);
    const { literals, inverted } = literalsOf(
      graph,
      root,
      (node) => !isLeaf(graph, node) && !this.#locals.has(node) && !this.#place(node),
    );
    const words = new Map<number, { mask: number; flipped: number; literals: Literal[] }>();
    const rest: Literal[] = [];
    for (const literal of literals) {
      const place = this.#locals.has(literal.node) ? null : this.#place(literal.node);
      const bit = place ? 1 << place.bit : 0;
      const group = place ? words.get(place.word) : undefined;
      // A bit with both signs, or twice in a parity, is handled separately.
      if (!place || (group && group.mask & bit)) rest.push(literal);
      else if (group) {
        group.mask |= bit;
        if (literal.inverted) group.flipped |= bit;
        group.literals.push(literal);
      } else words.set(place.word, { mask: bit, flipped: literal.inverted ? bit : 0, literals: [literal] });
    }
    let parts = 0;
    const join = () => {
      if (parts++ > 0) body.op(kind === OP.and ? I32.and : kind === OP.or ? I32.or : I32.xor);
    };
    for (const [word, group] of words) {
      if (group.literals.length < TOGETHER) {
        rest.push(...group.literals);
        continue;
      }
      this.#word(word);
      body.constant(group.mask);
      body.op(I32.and);
      if (kind === OP.xor) body.op(I32.popcnt);
      else {
        // All must match: equal to the bits that must be 1. Any may match: not equal to those that must be 0.
        const unwanted = kind === OP.and ? group.mask & ~group.flipped : group.flipped;
        body.constant(unwanted);
        body.op(kind === OP.and ? I32.eq : I32.ne);
      }
      join();
    }
    for (const literal of rest) {
      this.value(literal.node);
      if (literal.inverted) {
        body.constant(-1);
        body.op(I32.xor);
      }
      join();
    }
    if (inverted) {
      body.constant(-1);
      body.op(I32.xor);
    }
  }

  /**
   * Pushes a word whose bit k is node k of `lanes`, and 0 above. Call it only where all of it may be computed: locals
   * that it sets are undefined elsewhere.
   */
  pack(lanes: readonly Node[]): void {
    const vector = planVector(
      {
        graph: this.#design.graph,
        place: (node) => this.#place(node),
        computed: (node) => this.#locals.has(node),
      },
      lanes,
    );
    this.prepare(scalarsOf(vector));
    const writing = new VectorWriter(this.#body, {
      value: (node) => this.value(node),
      bit: (node) => this.bit(node),
      word: (index) => this.#word(index),
    });
    writing.exact(vector);
  }
}
