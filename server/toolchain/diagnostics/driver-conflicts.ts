import type { Diagnostic } from '../../contract/diagnostics.ts';
import { RESERVED_MODULE } from '../match/match.ts';
import type { HeardRegisters } from './heard-registers.ts';
import { place, plainNet } from './tool-message.ts';

/** What gives a signal its value. */
interface Driver {
  /** `the block at count.v:5` */
  words: string;
  place: Pick<Diagnostic, 'file' | 'line' | 'column'>;
  isInput: boolean;
}

/** Commands before the first optimisation, which would decide for one of two drivers without a word. */
export const FIND_CONFLICTS: readonly string[] = ['proc -noopt', 'opt_clean', 'check'];

const CHECK_BEGINS = /Executing CHECK pass/;
const CHECK_ENDS = /^Found and reported \d+ problems/;
const SETTLED = /^Warning: Driver-driver conflict for (\S+).* between cell (\S+)\.\S+ and constant \d'[01] /;
const CONSTANT: Driver = { words: 'a constant', place: {}, isInput: false };

const at = (what: string, where: Driver['place']): Driver => ({
  words: `${what} at ${where.file}:${where.line}`,
  place: where,
  isInput: false,
});

/** Signals with several drivers, as Yosys' check of the whole design finds them. */
export class DriverConflicts {
  readonly #registers: HeardRegisters;
  /** How many checks have begun. */
  #checks = 0;
  #inCheck = false;
  /** The design has drivers that let go of a signal: until Yosys has put them together, several of one signal are right. */
  #tristate = false;
  /** Signal → its drivers by what is said of them. */
  readonly #found = new Map<string, Map<string, Driver>>();
  /** The lines name drivers of this signal; null where Yosys does not say its name. */
  #signal: string | null = null;
  #listing = false;
  /** The module that is looked at is the bench's: what is wrong with the design is seen in its own modules first. */
  #ofBench = false;
  #complete = false;

  constructor(registers: HeardRegisters) {
    this.#registers = registers;
  }

  /** Whether conflicts were found, and all of them: there is nothing to wait for. */
  get complete(): boolean {
    return this.#complete;
  }

  /** Takes a line of Yosys; whether it belongs into the log: the first check is for this alone, and says much that the next says again. */
  hear(line: string): boolean {
    // Yosys goes on until it is ended.
    if (this.#complete) return false;
    if (/limited support for tri-state logic/.test(line)) this.#tristate = true;
    if (CHECK_BEGINS.test(line)) {
      this.#checks++;
      this.#inCheck = true;
    }
    const inFirst = this.#inCheck && this.#checks === 1;
    if (!this.#tristate || this.#checks > 1) this.#read(line);
    if (this.#inCheck && CHECK_ENDS.test(line)) {
      this.#inCheck = false;
      this.#complete = this.#found.size > 0;
    }
    return !inFirst;
  }

  #read(line: string): void {
    // Of two drivers, opt_clean takes the constant.
    const [, settled, cell] = SETTLED.exec(line) ?? [];
    if (settled !== undefined && cell !== undefined && this.#checks === 0)
      this.#add(settled, ...this.#ofCell('', cell, null), CONSTANT);
    const [, module] = /^Checking module (\S+?)\.\.\.$/.exec(line) ?? [];
    if (module !== undefined) this.#ofBench = this.#checks === 1 && RESERVED_MODULE.test(module);
    if (!this.#inCheck || this.#ofBench) return;
    const [, several] = /^Warning: multiple conflicting drivers for (.+?)(?: \[\d+\])?:$/.exec(line) ?? [];
    const withConstant = /^Warning: Drivers conflicting with a constant \d'[01]/.test(line);
    if (several !== undefined || withConstant) {
      this.#signal = several ?? null;
      this.#listing = true;
      return;
    }
    if (!this.#listing) return;
    const [, input] = /^ {4}module input (.+?)(?:\[\d+\])?$/.exec(line) ?? [];
    const [, port, driving] = /^ {4}port (\S+?)(?:\[\d+\])? of cell (\S+) \(/.exec(line) ?? [];
    this.#listing = input !== undefined || driving !== undefined;
    if (!this.#listing) return;
    const drivers =
      input === undefined
        ? this.#ofCell(port ?? '', driving ?? '', this.#signal)
        : [{ words: `the input ${input}`, place: {}, isInput: true }];
    if (this.#signal !== null) this.#add(this.#signal, ...drivers);
    // It does not say which signal has a constant as well: it goes by what drives it too.
    else this.#add(input ?? this.#registers.signalOf(driving ?? '') ?? port ?? '', ...drivers, CONSTANT);
  }

  #add(signal: string, ...drivers: Driver[]): void {
    const name = plainNet(signal, 'yosys');
    const found = this.#found.get(name) ?? new Map<string, Driver>();
    this.#found.set(name, found);
    for (const driver of drivers) found.set(driver.words, driver);
  }

  /** @param signal that the cell drives, where that is known: a cell that decides between values does not say of which block it is */
  #ofCell(port: string, cell: string, signal: string | null): Driver[] {
    // In a design that is flat the names begin with the path.
    const own = cell.replace(/^\$flatten\S*?\.(?=\$)/, '');
    const block = this.#registers.placeOf(own);
    const [, file, row] = /^\$\w+\$(.+?):(\d+)\$\d+$/.exec(own) ?? [];
    if (block === null && file !== undefined) return [at('the expression', place(file, row))];
    const blocks = block ? [block] : this.#registers.blocksOf((signal ?? '').replaceAll('\\', ''));
    if (blocks.length > 0) return blocks.map((one) => at('the block', one));
    const words = own.startsWith('$') ? 'a block' : `the output ${port} of the instance ${own}`;
    return [{ words, place: {}, isInput: false }];
  }

  /** An error for each signal, where its first driver is; one for signals that are one. */
  findings(): Diagnostic[] {
    const found = new Map<string, Diagnostic>();
    const severalKnown = [...this.#found.values()].some(({ size }) => size > 1);
    for (const [net, drivers] of this.#found) {
      // Of a signal seen from within an instance the other driver is in the list of the signal outside.
      if (drivers.size < 2 && severalKnown) continue;
      const all = [...drivers.values()].sort((a, b) => (a.place.line ?? 0) - (b.place.line ?? 0));
      const by = all.map(({ words }) => words).join(' and ');
      const message = all.some(({ isInput }) => isInput)
        ? `${by} drive one signal: an input has its value from outside; nothing can be assigned to it, or to a signal that it is assigned to`
        : `${net} is driven by ${drivers.size > 1 ? by : `${by} and by another`}: a signal has one driver; leave one of them out, or put them into one block`;
      const first = all.find((driver) => driver.place.file !== undefined)?.place;
      if (!found.has(by))
        found.set(by, { severity: 'error', code: 'design_invalid', message, ...first, net });
    }
    return [...found.values()];
  }
}
