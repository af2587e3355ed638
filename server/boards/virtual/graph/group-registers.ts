import { OP } from './boolean-graph.ts';
import { type Lanes, orderLanes } from './lane-order.ts';
import type { Design, Register } from './lower.ts';
import { registerRows } from './register-rows.ts';
import { shapesOf, sumShapesOf } from './shapes.ts';
import { Supports } from './support.ts';

/** Registers of a word. */
const LANES = 32;
/** Minimum number of similar registers that form a vector. */
const VECTOR = 4;
/** A register joins a group that already depends on this share of its sources. */
const AFFINITY = 0.5;
/** A register that depends on more leaves than this counts as unique. */
const MAX_LEAVES = 100;
/** Registers that are searched for groups together: the effort is quadratic. */
const WINDOW = 128;
/**
 * Registers that feed each other form one vector, inverted or not, if there are so many and no shape is more than this
 * share of them.
 */
const MANY = 2 * LANES;
const MOSTLY = 0.75;
const NO_SUM = 0;
/** First number of register shapes under the first conditions; the next conditions have the next numbers. */
const FEEDS = 1000;

/**
 * Groups registers into words that are worth evaluating together. First come rows of related registers, then the bits
 * of vectors, which have the same logic. The remaining registers are grouped by equal conditions. Unless a common
 * enable keeps them still most of the time, they must also depend on much the same sources.
 */
export function groupRegisters(design: Design): Lanes[] {
  const { graph, states, inputs } = design;
  const sources = states + inputs.length + design.loops.length;
  const supports = new Supports(graph, sources, (leaf) => {
    const index = graph.first(leaf);
    const kind = graph.operator(leaf);
    return kind === OP.state ? index : kind === OP.input ? states + index : states + inputs.length + index;
  });
  const leaves = new Map(
    design.registers.map((register) => [register, supports.list(register.next, MAX_LEAVES)]),
  );
  const leavesOf = (register: Register) => leaves.get(register) ?? [];

  const control = new Map<string, number>();
  const controlOf = new Int32Array(states);
  for (const { state, domain, enable, setReset, asynchronous } of design.registers) {
    const key = [domain, enable, setReset, asynchronous].join();
    let id = control.get(key);
    if (id === undefined) {
      id = control.size + 1;
      control.set(key, id);
    }
    controlOf[state] = id;
  }
  const shapes = shapesOf(graph, (leaf) =>
    graph.operator(leaf) === OP.state ? FEEDS + (controlOf[graph.first(leaf)] ?? 0) : leaf + 100_000,
  );
  const sumShapeOf = sumShapesOf(graph, shapes);
  /** Distinguishes vectors among registers under the same conditions. */
  const shapeIn = (same: Register[]): ((register: Register) => number) => {
    const feed = FEEDS + (controlOf[same[0]?.state ?? 0] ?? 0);
    const exact = ({ next }: Register) => shapes[next] ?? 0;
    const shapeOf = new Map<Register, number>();
    for (const [sum, vector] of groupBy(same, ({ next }) => sumShapeOf(next, feed) ?? NO_SUM)) {
      const largest = Math.max(...[...groupBy(vector, exact).values()].map(({ length }) => length));
      const mixed = sum !== NO_SUM && vector.length >= MANY && largest <= MOSTLY * vector.length;
      for (const register of vector) shapeOf.set(register, mixed ? sum : exact(register));
    }
    return (register) => shapeOf.get(register) ?? 0;
  };

  const groups = registerRows(design, controlOf);
  const inRows = new Set(groups.flat());
  const others = design.registers.filter((register) => !inRows.has(register));
  const alike = groupBy(others, ({ state }) => controlOf[state] ?? 0);
  for (const same of alike.values()) {
    const rest: Register[] = [];
    for (const vector of groupBy(same, shapeIn(same)).values())
      if (vector.length >= VECTOR) groups.push(vector);
      else rest.push(...vector);
    if ((same[0]?.enable ?? 1) >= 2) groups.push(...slices(rest, LANES));
    else for (const window of slices(rest, WINDOW)) groups.push(...byAffinity(window, leavesOf));
  }
  return orderLanes(
    design,
    groups.filter(({ length }) => length > 0),
    leavesOf,
  );
}

function groupBy<T>(list: T[], keyOf: (item: T) => number): Map<number, T[]> {
  const groups = new Map<number, T[]>();
  for (const item of list) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

function slices<T>(list: T[], length: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / length) }, (_, k) =>
    list.slice(k * length, (k + 1) * length),
  );
}

function byAffinity(registers: Register[], leavesOf: (register: Register) => number[]): Register[][] {
  const groups: Register[][] = [];
  const left = new Set(registers);
  for (const first of registers) {
    if (!left.delete(first)) continue;
    const group = [first];
    const union = new Set([first.state, ...leavesOf(first)]);
    while (group.length < LANES) {
      let best: Register | null = null;
      let bestAffinity = AFFINITY;
      for (const candidate of left) {
        const leaves = leavesOf(candidate);
        let common = union.has(candidate.state) ? 1 : 0;
        for (const leaf of leaves) if (leaf !== candidate.state && union.has(leaf)) common++;
        const affinity = common / (leaves.includes(candidate.state) ? leaves.length : leaves.length + 1);
        if (affinity >= bestAffinity && (best === null || affinity > bestAffinity)) {
          best = candidate;
          bestAffinity = affinity;
        }
      }
      if (!best) break;
      left.delete(best);
      group.push(best);
      union.add(best.state);
      for (const leaf of leavesOf(best)) union.add(leaf);
    }
    groups.push(group);
  }
  return groups;
}
