import type { Design, Register } from './lower.ts';

/** Registers of a row. */
const ROW = 8;
/** Bits of its adder that a row may lack: what goes in as a carry, and what comes out as one. */
const MISSING = 2;

/**
 * Registers that are operands of one adder and change under the same conditions: the bits of a word, however different the logic in front of
 * each of them is. Where a register begins with a constant, or is one of several that may be loaded, synthesis leaves other tables for
 * bits that are 0 there than for those that are 1.
 * @param controlOf by the state bits of registers: equal for those that change under the same conditions
 * @returns rows of which none has a register of another one, lowest bit first
 */
export function adderRows({ registers, neighbourhood }: Design, controlOf: Int32Array): Register[][] {
  const byState = new Map(registers.map((register) => [register.state, register]));
  const taken = new Set<Register>();
  const rows: Register[][] = [];
  for (const adder of neighbourhood.adders.toSorted((x, y) => y.length - x.length))
    for (const row of rowsOf(adder, (state) => byState.get(state), controlOf)) {
      if (row.length < Math.max(ROW, adder.length - MISSING)) continue;
      if (row.some((register) => taken.has(register))) continue;
      rows.push(row);
      for (const register of row) taken.add(register);
    }
  return rows;
}

/** The registers of an adder, by the conditions that they change under, where it has at most one at each of its bits. */
function rowsOf(
  adder: number[][],
  registerOf: (state: number) => Register | undefined,
  controlOf: Int32Array,
): Register[][] {
  const rows = new Map<number, Set<Register>>();
  const ambiguous = new Set<number>();
  for (const states of adder) {
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
