import type { ElaboratedModule } from './rtlil.ts';

/** Cells of Yosys that become carry chains, or logic around them. */
const CHAIN = /^\$(?:add|sub|neg|mul|macc|alu|div|mod|divfloor|modfloor|pow|lt|le|ge|gt)$/;

/** Widths of its operands and of its result; the widest counts. */
const WIDTH = /^ {4}parameter (?:signed )?\\(?:[ABY]_)?WIDTH (\d+)$/;

/** Counts the bits of adders, comparators and the like of one module, from the lines of its cells. */
export class ArithmeticReader {
  /** The sum, over such cells, of the widest operand or result. */
  bits = 0;
  #widest: number | null = null;

  cell(type: string): void {
    this.#widest = CHAIN.test(type) ? 0 : null;
  }

  parameter(line: string): void {
    if (this.#widest === null) return;
    const width = Number(WIDTH.exec(line)?.[1] ?? 0);
    if (width <= this.#widest) return;
    this.bits += width - this.#widest;
    this.#widest = width;
  }
}

/**
 * Bits of the adders, comparators, multipliers and dividers of a slave with all that is instantiated below it, as often as it
 * is: about as long as its carry chains are together.
 * @returns null where that is not known: parameters that instances set may decide on it, or a module is not there
 */
export function arithmeticBits(top: string, modules: ReadonlyMap<string, ElaboratedModule>): number | null {
  const known = new Map<string, number | null>();
  const bitsOf = (name: string): number | null => {
    const before = known.get(name);
    if (before !== undefined) return before;
    known.set(name, null); // one that contains itself
    const module = modules.get(name);
    let sum: number | null = module && module.hollow === null ? module.arithmetic : null;
    for (const { module: inside, overrides } of module?.instances ?? []) {
      if (sum === null) break;
      const more = overrides ? null : bitsOf(inside);
      sum = more === null ? null : sum + more;
    }
    known.set(name, sum);
    return sum;
  };
  return bitsOf(top);
}
