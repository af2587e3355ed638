import type { Literal, LutGraph } from './lut-graph.ts';

/** Minimum tables that read a bit of a distance, and minimum bits that are shifted. */
const LEAST = 8;
/** Minimum share of what these tables read that several of them read: each bit goes to two places of a stage. */
const SHARED = 0.4;
/** Bits of a distance. */
const MIN_CONTROLS = 3;
const MAX_CONTROLS = 6;
const WORD = 32;

/** Bits that are those of a word, moved by a distance that other bits decide. */
export interface Shift {
  /** Literals with the lanes in which they are. */
  bits: readonly { literal: Literal; lane: number }[];
  /** The word that is moved, lane by lane. */
  data: readonly Literal[];
  /** The bits of the distance, the lowest first. */
  distance: readonly Literal[];
  /** Whether bits move towards lane 0. */
  isRight: boolean;
  /** What comes in from the end. */
  fill: Literal;
}

/** A shift of which it may be unknown what comes in: nothing may. */
type Found = Omit<Shift, 'bits' | 'fill'> & {
  bits: { literal: Literal; lane: number }[];
  fill: Literal | null;
};

/** What a node is in each case: a constant, or the literal of another node. */
type Selection = readonly Literal[];

/**
 * Finds shifts by a variable distance. Whatever tables synthesis has made of their stages, with the distance known every
 * bit must be one literal or a constant. All distances are tried: what is found is proven.
 * @param laneOf a lane near which a node belongs; -1 for none
 */
export function shiftsOf(graph: LutGraph, laneOf: (node: number) => number): Shift[] {
  const shifts: Shift[] = [];
  const taken = new Set<number>();
  for (const controls of controlsOf(graph))
    for (const some of [controls, ...controls.map((one) => controls.filter((other) => other !== one))]) {
      if (some.length < MIN_CONTROLS || some.length > MAX_CONTROLS) continue;
      const selections = [...selectionsBy(graph, some)].filter(([node]) => !taken.has(node));
      const found = orderedShifts(some, selections, laneOf);
      for (const shift of found) for (const { literal } of shift.bits) taken.add(literal >> 1);
      shifts.push(...found);
      if (found.length > 0) break;
    }
  return shifts;
}

const operandsOf = (graph: LutGraph, node: number): readonly Literal[] => {
  const lut = graph.nodes[node];
  return lut?.kind === 'lut' ? lut.operands : [];
};

/** What only matters to a table where an input of it is low, and where that is high. */
function alternatives(graph: LutGraph, reader: number, input: number): [number[], number[]] {
  const lut = graph.nodes[reader];
  if (lut?.kind !== 'lut') return [[], []];
  const matters = (value: 0 | 1) =>
    lut.operands.flatMap((literal) => {
      const differs = Array.from({ length: 1 << lut.operands.length }, (_, entry) => entry).some((entry) => {
        const at = lut.operands.findIndex((one) => one >> 1 === input);
        const own = lut.operands.indexOf(literal);
        return (
          own !== at &&
          ((entry >> at) & 1) === value &&
          ((lut.table >> entry) & 1) !== ((lut.table >> (entry ^ (1 << own))) & 1)
        );
      });
      return differs ? [literal >> 1] : [];
    });
  const [low, high] = [matters(0), matters(1)];
  return [low.filter((one) => !high.includes(one)), high.filter((one) => !low.includes(one))];
}

/** Sets of bits that choose between shifted and unshifted bits, those of one shift together. */
function controlsOf(graph: LutGraph): number[][] {
  const stages = new Map<number, ReadonlySet<number>>();
  const choices = new Map<number, (readonly [number[], number[]])[]>();
  graph.nodes.forEach((_, node) => {
    const readers = new Set<number>();
    const choice: [number[], number[]][] = [];
    const reads = new Map<number, number>();
    for (const reader of graph.readersOf(node)) {
      const [low, high] = alternatives(graph, reader, node);
      if (low.length > 0 && high.length > 0) {
        readers.add(reader);
        choice.push([low, high]);
      }
      for (const literal of operandsOf(graph, reader))
        if (literal >> 1 !== node) reads.set(literal >> 1, (reads.get(literal >> 1) ?? 0) + 1);
    }
    if (readers.size < LEAST) return;
    choices.set(node, choice);
    const shared = [...reads.values()].filter((count) => count > 1).length;
    if (shared >= SHARED * reads.size) stages.set(node, readers);
  });
  // Stages of one shift read each other.
  const sets: number[][] = [];
  for (const [control, readers] of stages) {
    const near = sets.filter((set) =>
      set.some((other) => {
        const others = stages.get(other) ?? new Set();
        const isNext = (from: ReadonlySet<number>, to: ReadonlySet<number>) =>
          [...from].some((node) => to.has(node) || operandsOf(graph, node).some((one) => to.has(one >> 1)));
        return isNext(readers, others) || isNext(others, readers);
      }),
    );
    for (const set of near) sets.splice(sets.indexOf(set), 1);
    sets.push([...near.flat(), control]);
  }
  // Of a stage by half of the word each bit goes to one place only: it chooses among what the others have chosen.
  for (const set of sets) {
    if (set.length + 1 < MIN_CONTROLS || set.length > MAX_CONTROLS) continue;
    const selections = selectionsBy(graph, set);
    const isChosen = (nodes: readonly number[]) => nodes.some((node) => selections.has(node));
    const own = [...set];
    for (const [control, choice] of choices)
      if (!own.includes(control) && set.length < MAX_CONTROLS) {
        const chosen = choice.filter(([low, high]) => isChosen(low) && isChosen(high)).length;
        if (chosen >= LEAST && 2 * chosen >= choice.length) set.push(control);
      }
  }
  return sets;
}

/** The nodes that are a literal or a constant for all values of these controls, and what they are. */
function selectionsBy(graph: LutGraph, controls: readonly number[]): Map<number, Selection> {
  const cases = 1 << controls.length;
  const known = new Map<number, Selection>();
  for (const [k, control] of controls.entries())
    known.set(
      control,
      Array.from({ length: cases }, (_, values) => (values >> k) & 1),
    );
  const selections = new Map<number, Selection>();
  graph.nodes.forEach((lut, node) => {
    if (lut.kind !== 'lut' || known.has(node) || !lut.operands.some((literal) => known.has(literal >> 1)))
      return;
    const selection: Literal[] = [];
    for (let values = 0; values < cases; values++) {
      const literal = reduced(
        lut.table,
        lut.operands.map((operand) => (known.get(operand >> 1)?.[values] ?? operand & ~1) ^ (operand & 1)),
      );
      if (literal === null) return;
      selection.push(literal);
    }
    known.set(node, selection);
    selections.set(node, selection);
  });
  return selections;
}

/** The literal or the constant that a table is; null where it is neither. */
function reduced(table: number, operands: readonly Literal[]): Literal | null {
  const free = [...new Set(operands.filter((literal) => literal >= 2).map((literal) => literal >> 1))];
  const results = Array.from({ length: 1 << free.length }, (_, values) => {
    let entry = 0;
    operands.forEach((literal, k) => {
      const bit = literal < 2 ? literal : ((values >> free.indexOf(literal >> 1)) & 1) ^ (literal & 1);
      entry |= bit << k;
    });
    return (table >> entry) & 1;
  });
  const [first = 0] = results;
  if (results.every((bit) => bit === first)) return first;
  for (const [k, only] of free.entries())
    if (results.every((bit, values) => bit === (first ^ ((values >> k) & 1)))) return (2 * only) | first;
  return null;
}

/** The shifts among selections, each with its bits in order. */
function orderedShifts(
  controls: readonly number[],
  outputs: readonly (readonly [number, Selection])[],
  laneOf: (node: number) => number,
): Shift[] {
  if (outputs.length < LEAST) return [];
  const orders = controls.map((_, k) => orderOf(outputs, k, laneOf));
  for (const still of stillOf(outputs, controls))
    for (const order of orders) {
      if (order.length < LEAST || order.length > WORD) continue;
      const shifts = shiftsIn(controls, outputs, still, order);
      if (shifts.length > 0) return shifts;
    }
  return [];
}

/** The controls that matter to a selection, by their indices. */
const usedBy = (selection: Selection, controls: readonly number[]): number[] =>
  controls.flatMap((_, k) =>
    selection.some((literal, values) => literal !== selection[values ^ (1 << k)]) ? [k] : [],
  );

/** The cases in which nothing may move: most bits of each stage are literals of their own. */
function stillOf(outputs: readonly (readonly [number, Selection])[], controls: readonly number[]): number[] {
  const stages = new Map<string, Selection[]>();
  for (const [, selection] of outputs) {
    const key = usedBy(selection, controls).join();
    const known = stages.get(key);
    if (known) known.push(selection);
    else stages.set(key, [selection]);
  }
  const counts = Array.from({ length: 1 << controls.length }, (_, values) => {
    let count = 0;
    for (const stage of stages.values()) {
      const literals = stage.map((selection) => selection[values] ?? 0).filter((literal) => literal >= 2);
      count += literals.length + new Set(literals).size;
    }
    return count;
  });
  const most = Math.max(...counts);
  return counts.flatMap((count, values) => (count === most ? [values] : []));
}

/** The data in order, from which literal is next to which where the distance is 1; empty where they are in no row. */
function orderOf(
  outputs: readonly (readonly [number, Selection])[],
  control: number,
  laneOf: (node: number) => number,
): Literal[] {
  /** Node → its neighbours, with whether they count as complements of each other. */
  const neighbours = new Map<number, Map<number, number>>();
  const stays = new Set<number>();
  const join = (a: Literal, b: Literal) => {
    const known = neighbours.get(a >> 1) ?? new Map();
    neighbours.set(a >> 1, known.set(b >> 1, (a ^ b) & 1));
  };
  for (const [, selection] of outputs)
    for (const [values, a] of selection.entries()) {
      const b = selection[values ^ (1 << control)] ?? 0;
      if (a >= 2 && a >> 1 === b >> 1) stays.add(a >> 1);
      else if (a >= 2 && b >= 2) join(a, b);
    }
  const ends = [...neighbours].filter(([, near]) => near.size === 1).map(([node]) => node);
  const [first] = ends;
  if (first === undefined || ends.length !== 2) return [];
  const order: Literal[] = [];
  const seen = new Set<number>();
  for (let at: Literal | undefined = 2 * first; at !== undefined; ) {
    order.push(at);
    seen.add(at >> 1);
    const inverted: number = at & 1;
    const [onwards]: [number, number][] = [...(neighbours.get(at >> 1) ?? [])].filter(
      ([node]) => !seen.has(node),
    );
    at = onwards && (2 * onwards[0]) | (onwards[1] ^ inverted);
  }
  if (order.length !== neighbours.size) return [];
  // What comes in from the end is next to the last bit, and stays where the distance grows.
  if (order.length > WORD && stays.has((order.at(-1) ?? 0) >> 1)) order.pop();
  if (order.length > WORD && stays.has((order[0] ?? 0) >> 1)) order.shift();
  let rising = 0;
  const lanes = order.map((literal) => laneOf(literal >> 1));
  lanes.forEach((lane, k) => {
    const before = lanes[k - 1] ?? -1;
    if (lane >= 0 && before >= 0) rising += Math.sign(lane - before);
  });
  return rising < 0 ? order.reverse() : order;
}

/** The shifts of these data, by direction and by what comes in. */
function shiftsIn(
  controls: readonly number[],
  outputs: readonly (readonly [number, Selection])[],
  still: number,
  order: readonly Literal[],
): Shift[] {
  const lanes = new Map(order.map((literal, lane) => [literal >> 1, lane]));
  const weights = controls.map((_, k) => {
    const votes = new Map<number, number>();
    for (const [, selection] of outputs) {
      const [from, to] = [selection[still], selection[still ^ (1 << k)]].map(
        (one) => lanes.get((one ?? 0) >> 1) ?? -1,
      );
      if (from === undefined || to === undefined || from < 0 || to < 0 || from === to) continue;
      votes.set(Math.abs(to - from), (votes.get(Math.abs(to - from)) ?? 0) + 1);
    }
    return [...votes].sort(([, a], [, b]) => b - a)[0]?.[0] ?? 0;
  });
  const positions = weights.map((weight) => [1, 2, 4, 8, 16].indexOf(weight));
  if (positions.includes(-1) || new Set(positions).size < positions.length) return [];
  const shifts = new Map<string, Found>();
  for (const [node, selection] of outputs) {
    const lane = lanes.get((selection[still] ?? 0) >> 1);
    // Some stages are a shift too.
    const used = usedBy(selection, controls);
    if (lane === undefined || used.length < MIN_CONTROLS) continue;
    const distances = selection.map((_, values) =>
      used.reduce((sum, k) => sum + ((((values ^ still) >> k) & 1) === 1 ? (weights[k] ?? 0) : 0), 0),
    );
    const inverted = ((selection[still] ?? 0) ^ (order[lane] ?? 0)) & 1;
    const literals = selection.map((literal) => literal ^ inverted);
    for (const isRight of [false, true]) {
      const fill = fillOf(literals, distances, order, lane, isRight);
      if (fill === undefined) continue;
      const bit = { literal: 2 * node + inverted, lane };
      const key = `${isRight} ${fill} ${used}`;
      const known = shifts.get(key);
      if (known) known.bits.push(bit);
      else {
        const distance: Literal[] = [0, 0, 0, 0, 0];
        for (const k of used) distance[positions[k] ?? 0] = 2 * (controls[k] ?? 0) + ((still >> k) & 1);
        shifts.set(key, { bits: [bit], data: order, distance, isRight, fill });
      }
      break;
    }
  }
  // A bit into which nothing comes fits any shift.
  const all = [...shifts.values()];
  for (const { bits, distance, isRight } of all.filter(({ fill }) => fill === null)) {
    const other = all.find(
      (one) => one.fill !== null && one.isRight === isRight && one.distance.join() === distance.join(),
    );
    if (other) other.bits.push(...bits.splice(0));
  }
  return all.flatMap(({ fill, ...shift }) =>
    shift.bits.length < LEAST ? [] : [{ ...shift, fill: fill ?? 0 }],
  );
}

/** What comes in; null where nothing does; undefined where this is no such bit. */
function fillOf(
  selection: Selection,
  distances: readonly number[],
  order: readonly Literal[],
  lane: number,
  isRight: boolean,
): Literal | null | undefined {
  let fill: Literal | null = null;
  for (const [values, literal] of selection.entries()) {
    const wanted = order[isRight ? lane + (distances[values] ?? 0) : lane - (distances[values] ?? 0)];
    if (wanted === literal) continue;
    if (wanted !== undefined || (fill !== null && fill !== literal)) return undefined;
    fill = literal;
  }
  return fill;
}
