import { lookUp } from '../graph/truth-table.ts';
import type { DecisionDiagrams, Diagram } from './decision-diagrams.ts';
import type { LutGraph } from './lut-graph.ts';
import { widened, withInverted } from './table-classes.ts';

/** Maximum tables and leaves of a cone. */
const MAX_TABLES = 400;
const MAX_LEAVES = 112;

/** The logic of a node: its leaves (state, inputs and carries), and the look-up tables in between. */
export interface Cone {
  leaves: readonly number[];
  /** Operands first and the node last. */
  luts: readonly number[];
  steps: readonly Step[];
  /** Equal for cones of the same tables, in any order. */
  kind: string;
}

/** A look-up table without inverters; operands are numbers of leaves, then of steps. */
interface Step {
  table: number;
  operands: readonly number[];
}

/** The cones of the nodes of a graph; cached. */
export class ConesOf {
  readonly #graph: LutGraph;
  readonly #cones = new Map<number, Cone | null>();

  constructor(graph: LutGraph) {
    this.#graph = graph;
  }

  /** Null for a node that is not a look-up table, or a too large cone. */
  of(root: number): Cone | null {
    const known = this.#cones.get(root);
    if (known !== undefined) return known;
    const luts: number[] = [];
    const leaves = new Set<number>();
    const seen = new Set<number>();
    const visit = (node: number): void => {
      const lut = this.#graph.nodes[node];
      if (seen.has(node) || luts.length > MAX_TABLES || leaves.size > MAX_LEAVES) return;
      seen.add(node);
      if (lut?.kind !== 'lut') {
        leaves.add(node);
        return;
      }
      for (const literal of lut.operands) visit(literal >> 1);
      luts.push(node);
    };
    visit(root);
    const small = luts.length > 0 && luts.length <= MAX_TABLES && leaves.size <= MAX_LEAVES;
    const cone = small ? this.#assembled([...leaves], luts) : null;
    this.#cones.set(root, cone);
    return cone;
  }

  #assembled(leaves: readonly number[], luts: readonly number[]): Cone {
    const numbers = new Map([...leaves, ...luts].map((node, number) => [node, number]));
    const tables: number[] = [];
    const steps = luts.flatMap((node): Step[] => {
      const lut = this.#graph.nodes[node];
      if (lut?.kind !== 'lut') return [];
      tables.push(lut.operands.length * 0x10000 + lut.table);
      let inverted = 0;
      const operands = lut.operands.map((literal, k) => {
        inverted |= (literal & 1) << k;
        return numbers.get(literal >> 1) ?? 0;
      });
      const table = withInverted(lut.table, operands.length, inverted);
      return [{ table: widened(table, operands.length), operands }];
    });
    return { leaves, luts, steps, kind: tables.sort((x, y) => x - y).join() };
  }
}

/** The function for 32 patterns at a time. */
export function simulated(cone: Cone, leaf: (node: number) => number): number {
  const values = cone.leaves.map(leaf);
  for (const { table, operands } of cone.steps) {
    let value = 0;
    for (let entry = 0; entry < 1 << operands.length; entry++) {
      if (((table >> entry) & 1) === 0) continue;
      let term = -1;
      for (let k = 0; k < operands.length; k++) {
        const operand = values[operands[k] ?? 0] ?? 0;
        term &= (entry >> k) & 1 ? operand : ~operand;
      }
      value |= term;
    }
    values.push(value);
  }
  return values.at(-1) ?? 0;
}

/** The functions of the leaves and look-up tables of a cone, the node's last. */
export function diagramsOf(
  diagrams: DecisionDiagrams,
  cone: Cone,
  leaf: (node: number) => Diagram,
): Diagram[] {
  const values = cone.leaves.map(leaf);
  for (const { table, operands } of cone.steps)
    values.push(
      diagrams.exhausted
        ? 0
        : lookUp(
            diagrams,
            table,
            operands.map((operand) => values[operand] ?? 0),
          ),
    );
  return values;
}

/** The root's function with another one for a leaf. */
export function withLeaf(
  diagrams: DecisionDiagrams,
  cone: Cone,
  before: readonly Diagram[],
  leaf: number,
  diagram: Diagram,
): Diagram {
  const values = [...before];
  values[leaf] = diagram;
  const { length } = cone.leaves;
  cone.steps.forEach(({ table, operands }, k) => {
    if (diagrams.exhausted || operands.every((operand) => values[operand] === before[operand])) return;
    values[length + k] = lookUp(
      diagrams,
      table,
      operands.map((operand) => values[operand] ?? 0),
    );
  });
  return values.at(-1) ?? 0;
}
