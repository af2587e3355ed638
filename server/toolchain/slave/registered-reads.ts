// Gives memory reads registers of their own, so that synthesis finds block RAM.
import type { PreparedDesign } from '../intake/prepared-design.ts';
import { takeAddressRegisters } from './address-registers.ts';
import { isConstant, keyOf, MemoryReads, portOf, type ReadAtOnce, withoutBuffers } from './memory-reads.ts';
import { joined, linesOf, ModuleText, moduleIn, withConnections } from './module-text.ts';
import type { Bit, Cell, Netlist } from './netlist.ts';

/** Memory read and index by the bit that it drives. */
type Reads = ReadonlyMap<Bit, { read: Cell; at: number }>;

/** A word that comes from no multiplexer, and its connection. */
interface Word {
  bits: readonly Bit[];
  cell: Cell;
  port: string;
  offset: number;
}

/** Input of a register: a word, or a tree of multiplexers. */
type Choice = Word | { mux: Cell; branches: Choice[] };

const isAnything = (bits: readonly Bit[]) => bits.every((bit) => bit === 'x');

/** The words that a multiplexer chooses from; the default comes first. */
function wordsInto(mux: Cell): Word[] {
  const [otherwise, selected] = [portOf(mux, 'A'), portOf(mux, 'B')];
  const width = otherwise.length;
  const words: Word[] = [{ bits: otherwise, cell: mux, port: 'A', offset: 0 }];
  for (let offset = 0; offset < selected.length; offset += width)
    words.push({ bits: selected.slice(offset, offset + width), cell: mux, port: 'B', offset });
  return words;
}

/** A part of a register that takes words of memories. */
interface Part {
  at: number;
  width: number;
  choice: Choice;
  /** All words that can be chosen. */
  words: Word[];
}

/** Registers that take words of memories in a way that synthesis does not recognise. @param of the reads that count */
function hiddenRegisters(
  memories: MemoryReads,
  of: readonly ReadAtOnce[],
): { registers: Map<Cell, Part[]>; reads: Reads } {
  const choiceOf = (word: Word, words: Word[], known: Map<Cell, Choice>): Choice => {
    const mux = memories.multiplexers.get(keyOf(word.bits));
    if (!mux) {
      words.push(word);
      return word;
    }
    const choice = known.get(mux) ?? {
      mux,
      branches: wordsInto(mux).map((branch) => choiceOf(branch, words, known)),
    };
    known.set(mux, choice);
    return choice;
  };

  const found = new Map<Cell, Cell[]>();
  for (const read of of) {
    const register = memories.hasOneWrite(read) ? memories.registerOf(read) : null;
    if (register) found.set(register, [...(found.get(register) ?? []), read.cell]);
  }
  const reads: Reads = new Map(
    [...found.values()].flat().flatMap((read) => portOf(read, 'DATA').map((bit, at) => [bit, { read, at }])),
  );
  const registers = new Map<Cell, Part[]>();
  for (const register of found.keys()) {
    const parts: Part[] = [];
    const bits = portOf(register, 'D');
    for (let at = 0; at < bits.length; at += parts.at(-1)?.width ?? 1) {
      // A front end may write a multiplexer for each part that is assigned separately.
      const driver = memories.drivers.get(bits[at] ?? 'x');
      const chosen = driver ? portOf(driver, 'Y').length : 0;
      const width = memories.multiplexers.has(keyOf(bits.slice(at, at + chosen))) ? chosen : 1;
      const words: Word[] = [];
      const taken = { bits: bits.slice(at, at + width), cell: register, port: 'D', offset: at };
      parts.push({ at, width, choice: choiceOf(taken, words, new Map()), words });
    }
    const reading = parts.filter(({ words }) =>
      words.some((word) => word.bits.some((bit) => reads.has(bit))),
    );
    if (reading.some((part) => isHidden(register, part, reads))) registers.set(register, reading);
  }
  return { registers, reads };
}

/** The memory bits of a word as a key; empty when it has none. */
const mixOf = ({ bits }: Word, reads: Reads) =>
  bits.some((bit) => reads.has(bit)) ? keyOf(bits.map((bit) => (reads.has(bit) ? bit : 'x'))) : '';

/** Synthesis recognises an enable (the register itself) and one reset (a constant), and nothing else. */
function isHidden(register: Cell, part: Part, reads: Reads): boolean {
  const words = part.words.filter((word) => !keeps(register, part, word) && !isAnything(word.bits));
  const others = words.filter((word) => mixOf(word, reads) === '').map(({ bits }) => bits);
  const mixes = new Set(words.map((word) => mixOf(word, reads)).filter((mix) => mix !== ''));
  const resets = new Set(others.map(keyOf)).size + Number(register.type !== '$dff');
  return mixes.size > 1 || resets > 1 || !others.every(isConstant);
}

/** Splits registers in the text of a module. */
class RegisterSplitter {
  readonly #text: ModuleText;

  constructor(text: ModuleText) {
    this.#text = text;
  }

  #bit({ bits, cell, port, offset }: Word, at: number): string {
    const bit = bits[at];
    return typeof bit === 'number' ? `${this.#text.copy(cell, port)} [${offset + at}]` : `1'${bit}`;
  }

  /** The same choice with other words. */
  #choose(choice: Choice, width: number, insteadOf: (word: Word) => string): string {
    const made = new Map<Choice, string>();
    const make = (one: Choice): string => {
      if ('bits' in one) return insteadOf(one);
      const known = made.get(one);
      if (known !== undefined) return known;
      const { mux, branches } = one;
      const [A = '', ...selected] = branches.map(make);
      const Y = this.#text.wire(width);
      const parameters = { WIDTH: width, ...(mux.type === '$pmux' && { S_WIDTH: selected.length }) };
      this.#text.add(mux.type, parameters, { A, B: joined(selected), S: this.#text.copy(mux, 'S'), Y });
      made.set(one, Y);
      return Y;
    };
    const word = make(choice);
    if (!word.startsWith('{') && !word.startsWith('1')) return word;
    const wire = this.#text.wire(width);
    this.#text.connect(wire, word);
    return wire;
  }

  /**
   * Splits a register: one for each word of a memory, one for the rest, and a flag for each combination of memory words. The
   * register's reset clears the flags; words of memories need no reset.
   */
  split(register: Cell, parts: readonly Part[], reads: Reads): void {
    const cell = this.#text.cell(register);
    const { Q = '' } = linesOf(cell, 'connect');
    const init = this.#text.init(Q);
    if (init === null) return;
    this.#text.removeInit(Q);
    const width = portOf(register, 'Q').length;
    const rest = this.#text.wire(width, init);
    const D = Array.from({ length: width }, (_, at) => `${this.#text.copy(register, 'D')} [${at}]`);
    const value = Array.from({ length: width }, (_, at) => `${rest} [${at}]`);
    for (const part of parts) {
      const taken = this.#rest(register, part, rest, reads);
      const given = this.#value(register, part, rest, init && "1'0", reads);
      for (let n = 0; n < part.width; n++) {
        D[part.at + n] = `${taken} [${n}]`;
        value[part.at + n] = `${given} [${n}]`;
      }
    }
    this.#text.connect(Q, joined(value));
    this.#text.replace(register, (text) => withConnections(text, { D: joined(D), Q: rest }));
  }

  /** Input of a part without the words of memories. */
  #rest(register: Cell, part: Part, rest: string, reads: Reads): string {
    return this.#choose(part.choice, part.width, (word) =>
      keeps(register, part, word)
        ? `${rest} [${part.at + part.width - 1}:${part.at}]`
        : joined(word.bits.map((bit, at) => (reads.has(bit) ? "1'x" : this.#bit(word, at)))),
    );
  }

  /** Value of a part. */
  #value(register: Cell, part: Part, rest: string, init: string | undefined, reads: Reads): string {
    const { choice, words, width } = part;
    const cell = this.#text.cell(register);
    const [parameters, connections] = [linesOf(cell, 'parameter'), linesOf(cell, 'connect')];
    const mixes = new Map(
      words
        .filter(({ bits }) => bits.some((bit) => reads.has(bit)))
        .map((word) => [mixOf(word, reads), word]),
    );
    const used = [...new Set([...mixes.values()].flatMap(({ bits }) => bits))];
    const remembered = new Map<Bit, string>();
    for (const read of new Set(used.flatMap((bit) => reads.get(bit)?.read ?? []))) {
      const bits = used.filter((bit) => reads.get(bit)?.read === read);
      const Q = this.#text.wire(bits.length);
      const EN = this.#choose(
        choice,
        1,
        (word) => `1'${Number(word.bits.some((bit) => bits.includes(bit)))}`,
      );
      this.#text.add(
        '$dffe',
        { WIDTH: bits.length, CLK_POLARITY: parameters['CLK_POLARITY'] ?? 1, EN_POLARITY: 1 },
        {
          CLK: connections['CLK'] ?? '',
          EN,
          D: joined(bits.map((bit) => `${this.#text.copy(read, 'DATA')} [${reads.get(bit)?.at}]`)),
          Q,
        },
      );
      for (const [at, bit] of bits.entries()) remembered.set(bit, `${Q} [${at}]`);
    }
    let A = `${rest} [${part.at + width - 1}:${part.at}]`;
    for (const [mix, { bits }] of mixes) {
      const S = this.#text.wire(1, init);
      const D = this.#choose(choice, 1, (word) =>
        keeps(register, part, word)
          ? S
          : isAnything(word.bits)
            ? "1'x"
            : `1'${Number(mixOf(word, reads) === mix)}`,
      );
      this.#text.add(
        register.type,
        { ...parameters, WIDTH: 1, ...('ARST_VALUE' in parameters && { ARST_VALUE: "1'0" }) },
        { ...connections, ...('AD' in connections && { AD: "1'0" }), D, Q: S },
      );
      const B = joined(bits.map((bit, at) => remembered.get(bit) ?? `${rest} [${part.at + at}]`));
      const Y = this.#text.wire(width);
      this.#text.add('$mux', { WIDTH: width }, { A, B, S, Y });
      A = Y;
    }
    return A;
  }
}

/** Whether a word is the register's own value. */
const keeps = (register: Cell, { at, width }: Part, { bits }: Word) =>
  keyOf(bits) === keyOf(portOf(register, 'Q').slice(at, at + width));

/**
 * Gives each memory read a register of its own, as block RAM has: splits those that take other values too, and writes those of
 * addresses with a value at the start as reads with a clock. Synthesis does not recognise either.
 */
export function withRegisteredReads(source: PreparedDesign, netlist: Netlist): PreparedDesign {
  const files = { ...source.files };
  for (const connected of netlist.values()) {
    if (!connected.cells.some(({ type }) => type.startsWith('$memrd'))) continue;
    const module = withoutBuffers(connected);
    const memories = new MemoryReads(module);
    if (memories.all.length === 0) continue;
    // Synthesis uses a register of the address for the memory, if it has no asynchronous reset.
    const isAtRegister = (read: ReadAtOnce) =>
      memories.addressRegisters(read)?.every(({ type }) => type === '$dff') ?? false;
    const { registers, reads } = hiddenRegisters(
      memories,
      memories.all.filter((read) => !isAtRegister(read)),
    );
    /** Synthesis uses the register that takes the word where it recognises it. */
    const hasRegister = (read: ReadAtOnce) => {
      const register = memories.registerOf(read);
      return register !== null && !hiddenRegisters(memories, [read]).registers.has(register);
    };
    const atRegisters = memories.all.filter((read) => isAtRegister(read) && !hasRegister(read));
    for (const path of source.netlists ?? []) {
      const design = Buffer.from(files[path] ?? '').toString();
      const text = moduleIn(design, module.name);
      if (text === null) continue;
      const written = new ModuleText(text);
      takeAddressRegisters(module, { memories, reads: atRegisters }, written);
      for (const [register, parts] of registers) new RegisterSplitter(written).split(register, parts, reads);
      files[path] = design.replace(text, () => written.text);
    }
  }
  return { ...source, files };
}
