import { type BooleanGraph, type Node, OP } from './boolean-graph.ts';

/**
 * Values of nodes, computed from the values of leaves only: independent of earlier evaluations, and without changing
 * anything.
 */
export function evaluate(
  graph: BooleanGraph,
  nodes: readonly Node[],
  leaf: (node: Node) => number,
): number[] {
  const needed = new Set<Node>();
  const stack = [...nodes];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (needed.has(node)) continue;
    needed.add(node);
    graph.operands(node, (operand) => stack.push(operand));
  }
  const values = new Map<Node, number>();
  const valueAt = (node: Node) => values.get(node) ?? 0;
  // Operands have lower indices than the node that uses them.
  for (const node of [...needed].sort((x, y) => x - y)) {
    const a = valueAt(graph.first(node));
    const b = valueAt(graph.second(node));
    const compute = (): number => {
      switch (graph.operator(node)) {
        case OP.constant:
          return node & 1;
        case OP.not:
          return 1 - a;
        case OP.and:
          return a & b;
        case OP.or:
          return a | b;
        case OP.xor:
          return a ^ b;
        case OP.mux:
          return a ? b : valueAt(graph.third(node));
        default:
          return leaf(node);
      }
    };
    values.set(node, compute());
  }
  return nodes.map(valueAt);
}
