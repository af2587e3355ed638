import { type Node, OP } from '../graph/boolean-graph.ts';
import type { Design } from '../graph/lower.ts';
import { isLeaf, loopTarget, type Partition, type Place, placeOf } from '../graph/partition.ts';
import { type FunctionBody, I32, type Local } from './assembler.ts';
import type { Layout } from './layout.ts';

/** Single-use expressions are nested up to this depth, then put into a local. */
const DEPTH = 40;

/**
 * Writes the expressions of one cluster. A bit is kept in bit 0 of a 32-bit value whose other bits mean nothing,
 * so that reading bit k of a word is one shift; it is masked only where it becomes a condition or is packed.
 */
export class Expressions {
  private readonly inside: Set<Node>;
  private readonly uses = new Map<Node, number>();
  private readonly locals = new Map<Node, Local>();
  private readonly wordUses = new Map<number, number>();
  private readonly words = new Map<number, Local>();
  private readonly heights = new Map<Node, number>();

  constructor(
    private readonly design: Design,
    private readonly partition: Partition,
    private readonly layout: Layout,
    private readonly body: FunctionBody,
    nodes: readonly Node[],
    roots: readonly Node[],
  ) {
    this.inside = new Set(nodes);
    for (const root of roots) this.countUses(root);
  }

  private place(node: Node): Place | null {
    return this.inside.has(node) ? null : placeOf(this.design, this.partition, node);
  }

  private countUses(root: Node): void {
    const stack = [root];
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      if (node < 2) continue;
      const place = this.place(node);
      if (place) {
        this.wordUses.set(place.word, (this.wordUses.get(place.word) ?? 0) + 1);
        continue;
      }
      const uses = (this.uses.get(node) ?? 0) + 1;
      this.uses.set(node, uses);
      if (uses === 1) this.design.graph.operands(node, (operand) => stack.push(operand));
    }
  }

  /** Computes what `roots` share, so that `value` may be called for them in any order afterwards. */
  prepare(roots: readonly Node[]): void {
    const { graph } = this.design;
    const needed: Node[] = [];
    const seen = new Set<Node>();
    const stack = [...roots];
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      if (node < 2 || seen.has(node) || this.locals.has(node) || this.place(node)) continue;
      seen.add(node);
      needed.push(node);
      graph.operands(node, (operand) => stack.push(operand));
    }
    for (const node of needed.sort((x, y) => x - y)) {
      let height = 1;
      graph.operands(node, (operand) => {
        height = Math.max(height, 1 + (this.locals.has(operand) ? 0 : (this.heights.get(operand) ?? 0)));
      });
      this.heights.set(node, height);
      if (isLeaf(graph, node) || ((this.uses.get(node) ?? 0) < 2 && height < DEPTH)) continue;
      this.compute(node);
      const local = this.body.newLocal();
      this.body.set(local);
      this.locals.set(node, local);
    }
  }

  /** Pushes a value whose bit 0 is the node's. */
  value(node: Node): void {
    const { body } = this;
    if (node < 2) {
      body.constant(-node);
      return;
    }
    const local = this.locals.get(node);
    if (local !== undefined) {
      body.get(local);
      return;
    }
    const place = this.place(node);
    if (!place) {
      this.compute(node);
      return;
    }
    this.word(place.word);
    if (place.bit > 0) {
      body.constant(place.bit);
      body.op(I32.shrU);
    }
  }

  /** Pushes exactly 0 or 1. */
  bit(node: Node): void {
    if (node < 2) {
      this.body.constant(node);
      return;
    }
    this.value(node);
    this.body.constant(1);
    this.body.op(I32.and);
  }

  private word(index: number): void {
    const { body } = this;
    const local = this.words.get(index);
    if (local !== undefined) {
      body.get(local);
      return;
    }
    body.load(this.layout.word(index));
    if ((this.wordUses.get(index) ?? 0) < 2) return;
    const kept = body.newLocal();
    body.tee(kept);
    this.words.set(index, kept);
  }

  private compute(node: Node): void {
    const { body } = this;
    const { graph } = this.design;
    const a = graph.a[node] as number;
    const b = graph.b[node] as number;
    switch (graph.op[node]) {
      case OP.not:
        this.value(a);
        body.constant(-1);
        body.op(I32.xor);
        return;
      case OP.and:
      case OP.or:
      case OP.xor:
        this.value(a);
        this.value(b);
        body.op(graph.op[node] === OP.and ? I32.and : graph.op[node] === OP.or ? I32.or : I32.xor);
        return;
      case OP.mux: {
        // low ^ ((high ^ low) & select), which is right for each bit on its own
        const low = graph.c[node] as number;
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
        // A loop with nothing in it but itself rests low; any other has a place.
        body.constant(-Math.min(1, loopTarget(this.design, a)));
        return;
      default:
        throw new Error(`node ${node} has no expression`);
    }
  }

  /** Pushes a word whose bit k is node k of `lanes`, and 0 above. */
  pack(lanes: readonly Node[]): void {
    const { body } = this;
    const { graph } = this.design;
    let inverted = 0;
    const moves = new Map<string, { word: number; shift: number; mask: number }>();
    const rest: { node: Node; bit: number }[] = [];
    lanes.forEach((lane, bit) => {
      const negated = graph.op[lane] === OP.not && !this.locals.has(lane) && !this.place(lane);
      const node = negated ? (graph.a[lane] as Node) : lane;
      if (negated || lane === graph.high) inverted |= 1 << bit;
      if (lane < 2) return;
      const place = this.locals.has(node) ? null : this.place(node);
      if (!place) {
        rest.push({ node, bit });
        return;
      }
      const shift = place.bit - bit;
      const key = `${place.word},${shift}`;
      const move = moves.get(key);
      if (move) move.mask |= 1 << bit;
      else moves.set(key, { word: place.word, shift, mask: 1 << bit });
    });
    let parts = 0;
    const join = () => {
      if (parts++ > 0) body.op(I32.or);
    };
    for (const { word, shift, mask } of moves.values()) {
      this.word(word);
      if (shift !== 0) {
        body.constant(Math.abs(shift));
        body.op(shift > 0 ? I32.shrU : I32.shl);
      }
      body.constant(mask);
      body.op(I32.and);
      join();
    }
    for (const { node, bit } of rest) {
      this.bit(node);
      if (bit > 0) {
        body.constant(bit);
        body.op(I32.shl);
      }
      join();
    }
    if (parts === 0) {
      body.constant(inverted);
      return;
    }
    if (inverted !== 0) {
      body.constant(inverted);
      body.op(I32.xor);
    }
  }
}
