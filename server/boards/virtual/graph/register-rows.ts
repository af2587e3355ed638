import type { Design, Register } from './lower.ts';

/**
 * Designs with fewer registers have no rows, unless most of them are operands of adders, as in a filter. They mostly wait
 * and run in the event-driven engine, where words of registers that change together serve better: a bridge would be a
 * tenth slower.
 */
const MANY = 500;
const MOSTLY_ADDED = 0.6;
/** Registers of a row. */
const ROW = 8;
/** Bits that a row may lack of its adder: the carry in and the carry out. */
const MISSING = 2;

/**
 * Finds registers that are the bits of a word, however different their logic is. The evidence: operands of one adder,
 * sources of another word's bits, and readers of one bit each of a word. All of a row change under the same conditions.
 * Synthesis makes different tables for bits of a word whose initial or loaded values differ, so tables prove nothing.
 * @param controlOf by the state bits of registers: equal for those that change under the same conditions
 * @returns disjoint rows; the order of bits in them has no meaning
 */
export function registerRows(design: Design, controlOf: Int32Array): Register[][] {
  const { near, adders } = design.neighbourhood;
  const { length } = design.registers;
  const added = new Set(adders.flat(2)).size;
  if (length < MANY && added < MOSTLY_ADDED * length) return [];
  const byState = new Map(design.registers.map((register) => [register.state, register]));
  const readers = readersOf(near);
  const taken = new Set<Register>();
  const rows: Register[][] = [];
  const find = (bits: number[][], least: number, registerOf: (state: number) => Register | undefined) => {
    for (const row of rowsOf(bits, registerOf, controlOf)) {
      if (row.length < Math.max(ROW, least) || row.some((register) => taken.has(register))) continue;
      rows.push(row);
      for (const register of row) taken.add(register);
    }
  };
  for (const adder of adders.toSorted((x, y) => y.length - x.length))
    find(adder, adder.length - MISSING, (state) => byState.get(state));
  const free = (state: number) => {
    const register = byState.get(state);
    return register && !taken.has(register) ? register : undefined;
  };
  // New rows are appended and examined in turn.
  for (const row of rows) {
    const members = new Set(row.map(({ state }) => state));
    const readOnce = (state: number) => near[state]?.filter((source) => members.has(source)).length === 1;
    const outside = (states: readonly number[] = []) => states.filter((state) => !members.has(state));
    find(
      row.map(({ state }) => outside(readers.get(state)).filter(readOnce)),
      row.length,
      free,
    );
    find(
      row.map(({ state }) => outside(near[state])),
      row.length,
      free,
    );
  }
  return rows;
}

/** State bit → state bits of the registers that read it. */
function readersOf(near: readonly (readonly number[])[]): Map<number, number[]> {
  const readers = new Map<number, number[]>();
  near.forEach((sources, state) => {
    for (const source of sources) {
      const known = readers.get(source);
      if (known) known.push(state);
      else readers.set(source, [state]);
    }
  });
  return readers;
}

/** The registers among the states at each bit, by conditions, where each bit has at most one. */
function rowsOf(
  bits: readonly (readonly number[])[],
  registerOf: (state: number) => Register | undefined,
  controlOf: Int32Array,
): Register[][] {
  const rows = new Map<number, Set<Register>>();
  const ambiguous = new Set<number>();
  for (const states of bits) {
    const here = new Set<number>();
    for (const state of new Set(states)) {
      const register = registerOf(state);
      if (!register) continue;
      const control = controlOf[state] ?? 0;
      const row = rows.get(control) ?? new Set();
      if (here.has(control) || row.has(register)) ambiguous.add(control);
      here.add(control);
      rows.set(control, row.add(register));
    }
  }
  return [...rows].flatMap(([control, row]) => (ambiguous.has(control) ? [] : [[...row]]));
}
