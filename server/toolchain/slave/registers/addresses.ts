import { COMPARISON, ZERO_TEST } from './cell-uses.ts';
import { type Circuit, type FlatCell, type Flop, ONE, type Value, ZERO } from './circuit.ts';
import type { Evaluation } from './evaluation.ts';
import { isConstant, type Origins } from './origins.ts';

/** Limit of addresses that are looked at. */
const MAX_ADDRESSES = 1024;
/** Words of a memory that are looked at one by one, as bits of their index. */
const MAX_INDEX_BITS = 6;

/** Bits of the address port, the values that a design tells apart there, and the cells that do. */
interface Part {
  bits: number[];
  values: Set<string>;
  cells: Set<FlatCell>;
}

/** By their bits. */
type Parts = Map<string, Part>;

/** An access with some bits of the address unknown, and what it decides on. */
export interface PartialAccess {
  isWrite: boolean;
  evaluation: Evaluation;
  nets: readonly Value[];
  flops: readonly Flop[];
  memoryWrites: readonly FlatCell[];
}

/** An address that a design tells apart from others. */
export interface DecodedAddress {
  /** The value of the port. */
  port: number;
  /** Whether it is none of those with which the design compares. */
  isOther: boolean;
  /** Whether the slave may acknowledge a read and a write of it. */
  isRead: boolean;
  isWritten: boolean;
  /** The cells that compare it. */
  comparisons: readonly FlatCell[];
}

/** Where a search has chosen a part of the address, the cells that compare the address. */
interface Choice {
  /** Those that the choices around it have decided on, and those that this one decides on. */
  outer: readonly FlatCell[];
  own: ReadonlySet<FlatCell>;
  /** All that tell addresses apart before it. */
  all: ReadonlySet<FlatCell>;
}

/** The nets that a walk has seen: those with the mark of the last one. */
interface Marks {
  ofNets: Uint32Array;
  last: number;
}

/** How to search. */
interface Search {
  /** Levels of the address port; unknown bits are origins. */
  address: readonly Value[];
  /** The accesses that the slave may acknowledge at such an address. */
  accessesAt(address: readonly Value[]): Iterable<PartialAccess>;
  /** Limit of values of the highest bits, and half of it of the next. Beyond it some are left out. */
  most: number;
}

/**
 * The addresses that a design tells apart: the highest bits that it compares are set to each value in turn, which decides
 * what else it compares there.
 * @returns these addresses, with 0 for bits that do not count
 */
export function decodedAddresses(
  circuit: Circuit,
  origins: Origins,
  { address, accessesAt, most: ofHighest }: Search,
): DecodedAddress[] {
  const found: DecodedAddress[] = [];
  const marks: Marks = { ofNets: new Uint32Array(circuit.end), last: 0 };
  /** The parts that count at an address. What tells addresses apart there did so with less of the address known. */
  const partsAt = (accesses: readonly PartialAccess[], choice: Choice | null): Part[] => {
    const partsOf = (cellsOf: (access: PartialAccess) => Iterable<FlatCell>) => {
      const parts: Parts = new Map();
      for (const access of accesses)
        for (const flat of cellsOf(access)) addParts(parts, flat, access.evaluation, origins);
      return [...parts.values()];
    };
    if (!choice) return partsOf((access) => livingCells(circuit, marks, access));
    const parts = partsOf(() => choice.all);
    if (parts.length === 0) return parts;
    return partsOf((access) => {
      const living = livingCells(circuit, marks, access);
      return [...choice.all].filter((flat) => living.has(flat));
    });
  };
  const explore = (levels: readonly Value[], isOther: boolean, most: number, choice: Choice | null) => {
    const accesses = found.length < MAX_ADDRESSES ? [...accessesAt(levels)] : [];
    if (accesses.length === 0) return;
    const parts = partsAt(accesses, choice);
    const part = firstOf(parts);
    if (!part) {
      const port = levels.reduce((sum, level, at) => sum + (level === ONE ? 2 ** at : 0), 0);
      const isIncluded = (isWrite: boolean) => accesses.some((one) => one.isWrite === isWrite);
      const comparisons = choice ? [...choice.outer, ...choice.all] : [];
      found.push({ port, isOther, isRead: isIncluded(false), isWritten: isIncluded(true), comparisons });
      return;
    }
    const all = new Set(parts.flatMap(({ cells }) => [...cells]));
    const outer = choice ? [...choice.outer, ...choice.own] : [];
    const other = otherOf(part.bits, part.values);
    const values = [...part.values, ...(other === null ? [] : [other])];
    const step = Math.max(1, Math.ceil(values.length / most));
    for (const value of values.filter((_, at) => at % step === 0)) {
      const more = [...levels];
      for (const [at, bit] of part.bits.entries()) more[bit] = value[at] === '1' ? ONE : ZERO;
      explore(more, value === other, Math.max(2, most / 2), { outer, own: part.cells, all });
    }
  };
  explore(address, false, ofHighest, null);
  return found;
}

/** The cells of which an access depends on an output, at once or with the next clock. */
function livingCells(
  circuit: Circuit,
  marks: Marks,
  { evaluation, nets, flops, memoryWrites }: PartialAccess,
): Set<FlatCell> {
  const cells = new Set(
    memoryWrites.filter(({ ports }) => evaluation.values(ports['EN']).some((enable) => enable !== ZERO)),
  );
  const stages: Flop[] = [];
  const [open, mark] = [[...nets], ++marks.last];
  const visit = () => {
    for (let net = open.pop(); net !== undefined; net = open.pop()) {
      if (net < 0 || marks.ofNets[net] === mark) continue;
      marks.ofNets[net] = mark;
      circuit.work++;
      const { flat } = circuit.drivers[net] ?? {};
      if (flat && !isConstant(evaluation.value(net))) cells.add(flat);
      evaluation.addBehind(net, open);
      const stage = circuit.flopOf(net);
      if (stage) stages.push(stage);
    }
  };
  for (const { inputs } of cells) open.push(...inputs);
  for (const flop of flops) evaluation.addBehindFlop(flop, open);
  visit();
  for (const flop of stages.splice(0)) evaluation.addBehindFlop(flop, open);
  visit();
  return cells;
}

/** Adds the values that a cell tells apart. */
function addParts(parts: Parts, flat: FlatCell, evaluation: Evaluation, origins: Origins): void {
  const { type } = flat.cell;
  const pin = (name: string) => evaluation.values(flat.ports[name]);
  const bitsOf = (values: readonly Value[]): (number | null)[] =>
    values.map((value) => {
      const origin = origins.of(value);
      return origin?.kind === 'address' ? origin.at : null;
    });
  const put = (compared: readonly (readonly [bit: number, level: Value])[]) => {
    const sorted = [...compared].sort(([a], [b]) => a - b);
    const bits = sorted.map(([bit]) => bit);
    const part = parts.get(bits.join()) ?? { bits, values: new Set(), cells: new Set() };
    parts.set(bits.join(), part);
    part.values.add(sorted.map(([, level]) => level).join(''));
    part.cells.add(flat);
  };
  const compare = (left: readonly Value[], right: readonly Value[]) => {
    const bits = bitsOf(left);
    const compared: [bit: number, level: Value][] = [];
    for (const [at, value] of left.entries()) {
      const [bit, other = ZERO] = [bits[at] ?? null, right[at]];
      if (bit !== null && isConstant(other)) compared.push([bit, other]);
      else if (value !== other) return;
    }
    if (compared.length > 0) put(compared);
  };
  const index = (values: readonly Value[]) => {
    const bits = bitsOf(values).flatMap((bit) => bit ?? []);
    for (let word = 0; word < 2 ** Math.min(bits.length, MAX_INDEX_BITS) && bits.length > 0; word++)
      put(bits.map((bit, at) => [bit, Math.floor(word / 2 ** at) % 2 === 1 ? ONE : ZERO]));
  };
  if (COMPARISON.has(type)) {
    compare(pin('A'), pin('B'));
    compare(pin('B'), pin('A'));
  } else if (ZERO_TEST.has(type)) compare(pin('A'), []);
  else if (type === '$mux' || type === '$bmux' || type === '$pmux') index(pin('S'));
  else if (type === '$shiftx' || type === '$shift' || type === '$shr') index(pin('B'));
  else if (/^\$mem(?:rd|wr)/.test(type)) index(pin('ADDR'));
}

/**
 * The highest bits that the same parts have, with all values that one of these has there: so that no part is compared with
 * some of them only.
 */
function firstOf(parts: readonly Part[]): Part | null {
  if (parts.length === 0) return null;
  const top = Math.max(...parts.flatMap(({ bits }) => bits));
  const own = parts.filter(({ bits }) => bits.includes(top));
  const others = parts.filter((part) => !own.includes(part));
  const bits = (own[0]?.bits ?? []).filter(
    (bit) => own.every((part) => part.bits.includes(bit)) && others.every((part) => !part.bits.includes(bit)),
  );
  const values = own.flatMap((part) =>
    [...part.values].map((levels) => bits.map((bit) => levels[part.bits.indexOf(bit)]).join('')),
  );
  const cells = new Set(own.flatMap((part) => [...part.cells]));
  return { bits, values: new Set(values), cells };
}

/** The lowest value that a part is not compared with: what is at all other addresses. Null where there is none. */
function otherOf(bits: readonly number[], values: ReadonlySet<string>): string | null {
  for (let value = 0; value < Math.min(2 ** bits.length, values.size + 1); value++) {
    const levels = bits.map((_, at) => (Math.floor(value / 2 ** at) % 2 === 1 ? '1' : '0')).join('');
    if (!values.has(levels)) return levels;
  }
  return null;
}
