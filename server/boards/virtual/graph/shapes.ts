import { type BooleanGraph, type Node, OP } from './boolean-graph.ts';

/**
 * A number for the shape of each node's logic, independent of its sources: equal for bits of a vector with the same
 * logic. `leafShape` gives the shapes of leaves.
 */
export function shapesOf(graph: BooleanGraph, leafShape: (leaf: Node) => number): Int32Array {
  const shapes = new Int32Array(graph.size);
  const shapeOf = (node: Node) => shapes[node] ?? 0;
  for (let node = 0; node < graph.size; node++) {
    const kind = graph.operator(node);
    if (kind === OP.constant) shapes[node] = node + 1;
    else if (kind < OP.not) shapes[node] = leafShape(node);
    else if (kind === OP.not) shapes[node] = mix(kind, shapeOf(graph.first(node)), 0);
    else {
      const x = shapeOf(graph.first(node));
      const y = shapeOf(graph.second(node));
      if (kind === OP.mux) shapes[node] = mix(mix(kind, x, y), shapeOf(graph.third(node)), 1);
      else shapes[node] = mix(kind, Math.min(x, y), Math.max(x, y));
    }
  }
  return shapes;
}

/**
 * The same for sums only: exclusive ors of leaves of one shape, and such leaves, inverted or not. In a vector an
 * inversion is a constant. Null for any other node.
 * @param shapes see shapesOf
 */
export function sumShapesOf(
  graph: BooleanGraph,
  shapes: Int32Array,
): (node: Node, leafShape: number) => number | null {
  const known = new Map<string, number | null>();
  const shapeOf = (node: Node, leafShape: number): number | null => {
    const kind = graph.operator(node);
    if (kind === OP.not) return shapeOf(graph.first(node), leafShape);
    if (kind < OP.not) return kind !== OP.constant && shapes[node] === leafShape ? leafShape : null;
    if (kind !== OP.xor) return null;
    const before = known.get(`${node} ${leafShape}`);
    if (before !== undefined) return before;
    const x = shapeOf(graph.first(node), leafShape);
    const y = x === null ? null : shapeOf(graph.second(node), leafShape);
    const shape = x === null || y === null ? null : mix(kind, Math.min(x, y), Math.max(x, y));
    known.set(`${node} ${leafShape}`, shape);
    return shape;
  };
  return shapeOf;
}

function mix(kind: number, x: number, y: number): number {
  let h = Math.imul(x ^ (kind * 0x9e37_79b1), 0x85eb_ca6b);
  h = Math.imul(h ^ (h >>> 13) ^ y, 0xc2b2_ae35);
  return h ^ (h >>> 16);
}
