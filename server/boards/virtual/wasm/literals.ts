import { type BooleanGraph, type Node, OP } from '../graph/boolean-graph.ts';

/** A node as it is, or its complement. */
export interface Literal {
  node: Node;
  inverted: boolean;
}

/**
 * The literals of a tree of equal operations: `(a & ~b) & ~(c | d)` is the conjunction of a, ~b, ~c, ~d. Descends
 * only into nodes for which `within` holds. An inverted literal of an exclusive or counts as an inversion of it.
 */
export function literalsOf(
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
