import type { Diagnostic } from '../../contract/diagnostics.ts';
import { place } from './tool-message.ts';

type Place = Pick<Diagnostic, 'file' | 'line' | 'column'>;

/** A register that Yosys has made of a block. */
interface HeardRegister {
  /** With its module, as `design.count`. */
  signal: string;
  /** The block, as Yosys writes its place: `count.v:5`. */
  at: string;
}

/** What Yosys says before it gives up on a register, without a place of its own. */
const FAILURES: readonly { said: RegExp; words: (signal: string) => string }[] = [
  {
    said: /^ERROR: Multiple edge sensitive events found for this signal!/,
    words: (signal) =>
      `${signal}: a register has one clock, and this block waits for the edges of several signals: leave the clock in the list, and test the others within the block. A reset can stay in the list where the first \`if\` tests it as its edge says, and gives a constant`,
  },
  {
    said: /^ERROR: FF \S+ \(type \$_(?:ALDFF|DFFSR)\w*\) cannot be legalized/,
    words: (signal) =>
      `${signal}: a register of the part can be set to a constant without its clock, by one signal, and nothing else. Give it a constant there, test the signal as its edge in the list says (\`if (rst)\` with posedge, \`if (!rst)\` with negedge), and take other signals out of the list`,
  },
  {
    said: /^ERROR: Failed to get a constant init value for /,
    words: (signal) =>
      `${signal}: a register begins with a number, and what is given here is a signal: give it that within the block`,
  },
];

/** @param at as Yosys writes it: `count.v:5` */
const placeAt = (at: string): Place => {
  const [, file = '', row] = /^(.*):(\d+)$/.exec(at) ?? [];
  return place(file, row);
};

/** Listens to Yosys for the registers that it makes, so that what it says of their cells can be told of the source. */
export class HeardRegisters {
  #current: HeardRegister | null = null;
  readonly #cells = new Map<string, HeardRegister>();
  /** The block whose decisions are listed, with its module. */
  #deciding: { module: string; at: string } | null = null;
  /** Signal, with its module → blocks that decide what it is. */
  readonly #decided = new Map<string, Set<string>>();
  /** The first that can be set to anything, or by several signals, without its clock. */
  #loaded: HeardRegister | null = null;

  /** Takes a line; the answer is it, or in its place what it comes to for the author of the design, with the place. */
  hear(line: string): string {
    const [, signal, block] =
      /^Creating register for signal `\\?(.+?)' using process `.*\$proc\$(.+?:\d+)\$\d+'/.exec(line) ?? [];
    if (signal !== undefined && block !== undefined)
      this.#current = { signal: signal.replaceAll('\\', ''), at: block };
    const [, begins] = /^Found init rule in `.*\$proc\$(.+?:\d+)\$\d+'/.exec(line) ?? [];
    if (begins !== undefined) this.#current = { signal: '', at: begins };
    const [, module, decides] =
      /^Creating decoders for process `\\?(.+?)\.\$proc\$(.+?:\d+)\$\d+'/.exec(line) ?? [];
    if (module !== undefined && decides !== undefined) this.#deciding = { module, at: decides };
    const [, decided] = /^ +\d+\/\d+: \$\d+\\(.+?)\[\d+:\d+\]/.exec(line) ?? [];
    if (decided !== undefined && this.#deciding) {
      const name = `${this.#deciding.module}.${decided}`;
      this.#decided.set(name, (this.#decided.get(name) ?? new Set()).add(this.#deciding.at));
    }
    const [, kind, cell] = /^ {2}created \$(\w+) cell `(\S+)' with /.exec(line) ?? [];
    if (cell !== undefined && this.#current) {
      this.#cells.set(cell, this.#current);
      if (kind === 'aldff' || kind === 'dffsr') this.#loaded ??= this.#current;
    }
    const failure = FAILURES.find(({ said }) => said.test(line));
    if (!failure) return line;
    const [, named] = /constant init value for \\?([^:]+):/.exec(line) ?? [];
    const register = /cannot be legalized/.test(line) ? this.#loaded : this.#current;
    return register ? `${register.at}: ERROR: ${failure.words(named ?? register.signal)}` : line;
  }

  /** Where the block is that a cell was made of; `cell` as Yosys names it within its module. */
  placeOf(cell: string): Place | null {
    const register = this.#cells.get(cell);
    return register ? placeAt(register.at) : null;
  }

  /** Where the blocks are that decide what a signal is; `signal` with its module. */
  blocksOf(signal: string): Place[] {
    return [...(this.#decided.get(signal) ?? [])].map(placeAt);
  }

  /** What the register is called that a cell is; null for other cells. */
  signalOf(cell: string): string | null {
    return this.#cells.get(cell)?.signal ?? null;
  }
}
