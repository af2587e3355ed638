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
