import type { Node } from './boolean-graph.ts';

/**
 * The operations of formulas, over single bits as nodes of a graph or over words of them. 0 is low everywhere, 1 is
 * high.
 */
export interface Operations {
  readonly low: Node;
  readonly high: Node;
  not(x: Node): Node;
  and(x: Node, y: Node): Node;
  or(x: Node, y: Node): Node;
  xor(x: Node, y: Node): Node;
  mux(select: Node, whenHigh: Node, whenLow: Node): Node;
}

/** Truth table of each single input. */
const INPUT = [0xaaaa, 0xcccc, 0xf0f0, 0xff00] as const;

/** `table` with input `v` fixed to `value`. */
export function cofactor(table: number, v: number, value: number): number {
  const mask = INPUT[v] ?? 0;
  const shift = 1 << v;
  const kept = value ? table & mask : table & ~mask & 0xffff;
  return (value ? kept | (kept >>> shift) : kept | (kept << shift)) & 0xffff;
}

/** True when the output depends on input `v`. */
export function dependsOn(table: number, v: number): boolean {
  return cofactor(table, v, 0) !== cofactor(table, v, 1);
}

type Formula =
  | { kind: 'constant'; value: 0 | 1 }
  | { kind: 'input'; v: number }
  | { kind: 'not'; of: Formula }
  | { kind: 'and' | 'or' | 'xor'; of: readonly [Formula, Formula] }
  | { kind: 'mux'; of: readonly [Formula, Formula, Formula] };

/** A formula and its number of operations. */
interface Priced {
  cost: number;
  formula: Formula;
}

const known = new Map<number, Priced>();

/** A cheap formula for a truth table of four inputs; cached. */
function formulaOf(table: number): Priced {
  let found = known.get(table);
  if (!found) {
    found = search(table);
    known.set(table, found);
  }
  return found;
}

const not = (of: Formula): Formula => (of.kind === 'not' ? of.of : { kind: 'not', of });

function search(table: number): Priced {
  if (table === 0 || table === 0xffff)
    return { cost: 0, formula: { kind: 'constant', value: table === 0 ? 0 : 1 } };
  const support = [0, 1, 2, 3].filter((v) => dependsOn(table, v));
  let best: Priced = { cost: Number.POSITIVE_INFINITY, formula: { kind: 'constant', value: 0 } };
  const consider = (cost: number, formula: Formula) => {
    if (cost < best.cost) best = { cost, formula };
  };
  const [only] = support;
  if (support.length === 1 && only !== undefined) {
    const input: Formula = { kind: 'input', v: only };
    return table === INPUT[only] ? { cost: 0, formula: input } : { cost: 1, formula: not(input) };
  }
  for (const v of support) splitOn(table, v, consider);
  if (support.length >= 3)
    for (const x of support) for (const y of support) if (x < y) decompose(table, x, y, consider);
  return best;
}

/** Shannon and Davio expansions around input `v`. */
function splitOn(table: number, v: number, consider: (cost: number, formula: Formula) => void): void {
  const input: Formula = { kind: 'input', v };
  const low = cofactor(table, v, 0);
  const high = cofactor(table, v, 1);
  const [whenLow, whenHigh] = [formulaOf(low), formulaOf(high)];
  if (low === 0) consider(whenHigh.cost + 1, { kind: 'and', of: [input, whenHigh.formula] });
  else if (high === 0) consider(whenLow.cost + 2, { kind: 'and', of: [not(input), whenLow.formula] });
  else if (high === 0xffff) consider(whenLow.cost + 1, { kind: 'or', of: [input, whenLow.formula] });
  else if (low === 0xffff) consider(whenHigh.cost + 2, { kind: 'or', of: [not(input), whenHigh.formula] });
  else if ((low ^ high) === 0xffff) consider(whenLow.cost + 1, { kind: 'xor', of: [input, whenLow.formula] });
  else {
    const differ = formulaOf(low ^ high);
    consider(whenLow.cost + differ.cost + 2, {
      kind: 'xor',
      of: [whenLow.formula, { kind: 'and', of: [input, differ.formula] }],
    });
    consider(whenLow.cost + whenHigh.cost + 1.5, {
      kind: 'mux',
      of: [input, whenHigh.formula, whenLow.formula],
    });
  }
}

/** table = h(phi(x, y), the others), when x and y matter only through one function phi of them. */
function decompose(
  table: number,
  x: number,
  y: number,
  consider: (cost: number, formula: Formula) => void,
): void {
  const parts = [0, 1, 2, 3].map((k) => cofactor(cofactor(table, x, k & 1), y, k >> 1));
  const [first = 0] = parts;
  const second = parts.find((part) => part !== first);
  if (second === undefined || parts.some((part) => part !== first && part !== second)) return;
  let phi = 0;
  for (let m = 0; m < 16; m++) if (parts[((m >> x) & 1) | (((m >> y) & 1) << 1)] === second) phi |= 1 << m;
  const mask = INPUT[x] ?? 0;
  for (const [inner, whenLow, whenHigh] of [
    [phi, first, second],
    [phi ^ 0xffff, second, first],
  ] as const) {
    const outer = formulaOf((whenLow & ~mask & 0xffff) | (whenHigh & mask));
    const replacement = formulaOf(inner);
    consider(outer.cost + replacement.cost, substitute(outer.formula, x, replacement.formula));
  }
}

function substitute(formula: Formula, v: number, by: Formula): Formula {
  switch (formula.kind) {
    case 'constant':
      return formula;
    case 'input':
      return formula.v === v ? by : formula;
    case 'not':
      return not(substitute(formula.of, v, by));
    case 'mux': {
      const [s, h, l] = formula.of;
      return { kind: 'mux', of: [substitute(s, v, by), substitute(h, v, by), substitute(l, v, by)] };
    }
    default: {
      const [p, q] = formula.of;
      return { kind: formula.kind, of: [substitute(p, v, by), substitute(q, v, by)] };
    }
  }
}

/** The node that computes `table` of four nodes. Constant and repeated operands are folded in first. */
export function lookUp(graph: Operations, table: number, operands: readonly Node[]): Node {
  let folded = table;
  for (let v = 0; v < 4; v++) {
    const operand = operands[v] ?? 0;
    if (operand < 2) folded = cofactor(folded, v, operand);
  }
  for (let i = 0; i < 4; i++)
    for (let j = i + 1; j < 4; j++)
      if (operands[i] === operands[j]) {
        const mask = INPUT[i] ?? 0;
        const bothLow = cofactor(cofactor(folded, i, 0), j, 0);
        const bothHigh = cofactor(cofactor(folded, i, 1), j, 1);
        folded = (bothLow & ~mask & 0xffff) | (bothHigh & mask);
      }
  return build(graph, formulaOf(folded).formula, operands);
}

function build(graph: Operations, formula: Formula, operands: readonly Node[]): Node {
  const part = (of: Formula) => build(graph, of, operands);
  switch (formula.kind) {
    case 'constant':
      return formula.value ? graph.high : graph.low;
    case 'input':
      return operands[formula.v] ?? 0;
    case 'not':
      return graph.not(part(formula.of));
    case 'mux':
      return graph.mux(part(formula.of[0]), part(formula.of[1]), part(formula.of[2]));
    default:
      return graph[formula.kind](part(formula.of[0]), part(formula.of[1]));
  }
}
