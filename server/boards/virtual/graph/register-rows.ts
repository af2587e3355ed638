import type { Design, Register } from './lower.ts';

/**
 * Designs of fewer registers have no rows. They mostly wait and are evaluated in events, where words of registers that change together serve
 * better: a bridge would be a tenth slower.
 */
const MANY = 500;
/** Registers of a row. */
const ROW = 8;
/** Bits of its adder that a row may lack: what goes in as a carry, and what comes out as one. */
const MISSING = 2;

/**
 * Registers that are the bits of a word by what they belong to, however different the logic in front of each of them is: operands of
 * one adder; what each bit of a word reads; and what reads just one bit of a word, each another one. All of a row change under the same
 * conditions. Where a register begins with a constant, or may be loaded with several things, synthesis leaves other tables for bits that are 0
 * there than for those that are 1.
 * @param controlOf by the state bits of registers: equal for those that change under the same conditions
 * @returns rows of which none has a register of another one; the order of bits in them says nothing
 */
export function registerRows(design: Design, controlOf: Int32Array): Register[][] {
  if (design.registers.length < MANY) return [];
  const { near, adders } = design.neighbourhood;
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
  // Those that are found are looked at in their turn.
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

/** By state bit the registers that read it, by theirs. */
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

/** The registers among the states at each bit, by the conditions that they change under, where there is at most one at each bit. */
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
