import { lookUp } from '../graph/truth-table.ts';
import type { ConeGroup } from './cones.ts';
import type { Literal, LutGraph } from './lut-graph.ts';
import { widened, withInverted } from './table-classes.ts';
import type { Value, WordGraph } from './word-graph.ts';

/**
 * The function of a group with words instead of its leaves: right in the lanes of the group. Parts that are equal in
 * all lanes are computed once, as a bit.
 * @param plan a word by the literals in its lanes
 */
export function coneAsWord(
  graph: LutGraph,
  words: WordGraph,
  { root, lanes, leaves }: ConeGroup,
  plan: (literalOf: (lane: number) => Literal) => Value,
): Value {
  const values = new Map<number, Value>();
  const inAll = new Map<number, boolean>();
  const isSame = (node: number): boolean => {
    const known = inAll.get(node);
    if (known !== undefined) return known;
    const lut = graph.nodes[node];
    const places = leaves.get(node);
    const same = places
      ? lanes.every((lane) => places[lane] === 2 * node)
      : lut?.kind === 'lut' && lut.operands.every((literal) => isSame(literal >> 1));
    inAll.set(node, same);
    return same;
  };
  const computed = (node: number): Value => {
    const lut = graph.nodes[node];
    const places = leaves.get(node);
    if (isSame(node)) return plan(() => 2 * node);
    if (places || lut?.kind !== 'lut') return plan((lane) => places?.[lane] ?? 0);
    let inverted = 0;
    const operands = lut.operands.map((literal, k) => {
      inverted |= (literal & 1) << k;
      return valueAt(literal >> 1);
    });
    return lookUp(
      words,
      widened(withInverted(lut.table, operands.length, inverted), operands.length),
      operands,
    );
  };
  const valueAt = (node: number): Value => {
    const value = values.get(node) ?? computed(node);
    values.set(node, value);
    return value;
  };
  const value = valueAt(root >> 1);
  return root & 1 ? words.not(value) : value;
}
