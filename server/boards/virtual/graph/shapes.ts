import { type BooleanGraph, type Node, OP } from './boolean-graph.ts';

/**
 * A number for what each node looks like, whatever it reads: equal for the bits of a vector that are made in the
 * same way. `leafShape` tells leaves apart as far as they are to be told apart.
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

function mix(kind: number, x: number, y: number): number {
  let h = Math.imul(x ^ (kind * 0x9e37_79b1), 0x85eb_ca6b);
  h = Math.imul(h ^ (h >>> 13) ^ y, 0xc2b2_ae35);
  return h ^ (h >>> 16);
}
