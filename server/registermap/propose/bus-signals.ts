import { type Constants, constantValue } from './constants.ts';
import type { Code } from './cursor.ts';

/** The bus of the module, by the names of its ports. */
export interface Bus {
  address: string;
  /** Of the address port: the index of its lowest bit, and that bit's place in a byte address. */
  addressLow: number;
  addressBit: number;
  addressWidth: number;
  dataIn: string | undefined;
  dataOut: string | undefined;
}

/** Some bits of the byte address: the lowest index, its place in the address, and the number of bits. */
export interface AddressPart {
  low: number;
  bit: number;
  width: number;
}

/** Functions that change the type of an address and not its value. */
export const CASTS: ReadonlySet<string> = new Set([
  'to_integer',
  'unsigned',
  'std_logic_vector',
  'conv_integer',
  '$unsigned',
  'to_01',
]);
const DECLARING = new Set(['wire', 'reg', 'logic', 'bit', 'signal', 'variable']);
const LIST_END = new Set([',', ';', ')', '=']);
const SEMICOLON = new Set([';']);

export const isAssignment = (text: string): boolean => text === '<=' || text === '=';

/** The aliases of bus signals in a module, and the widths of its other signals. */
export class BusSignals {
  /** Signals with the written data. */
  readonly sources = new Set<string>();
  /** Signals that become the read data. */
  readonly targets = new Set<string>();
  readonly widths = new Map<string, number>();
  readonly #code: Code;
  readonly #constants: Constants;
  readonly #parts = new Map<string, AddressPart>();

  constructor(code: Code, constants: Constants, bus: Bus) {
    this.#code = code;
    this.#constants = constants;
    this.#parts.set(bus.address, { low: bus.addressLow, bit: bus.addressBit, width: bus.addressWidth });
    if (bus.dataIn !== undefined) this.sources.add(bus.dataIn);
    if (bus.dataOut !== undefined) this.targets.add(bus.dataOut);
    this.#declarations();
    this.#copies();
  }

  /** Widths of signals: `reg [7:0] a, b;`. */
  #declarations(): void {
    const code = this.#code;
    for (let at = 0; at < code.tokens.length; at++) {
      const word = code.text(at);
      if (!DECLARING.has(word) && word !== 'input' && word !== 'output') continue;
      let next = at + 1;
      while (DECLARING.has(code.text(next)) || code.text(next) === 'signed' || code.text(next) === 'unsigned')
        next++;
      let width = 1;
      if (code.text(next) === '[') {
        const end = code.behindBracket(next);
        const range = this.range(next, end);
        width = range ? range.high - range.low + 1 : 0;
        next = end;
      }
      while (code.isName(next)) {
        const name = code.text(next);
        // A memory is no signal of this width.
        if (code.text(next + 1) !== '[' && width > 0 && width <= 32) this.widths.set(name, width);
        const end = code.find(next + 1, LIST_END);
        const behind = code.text(end) === '=' ? code.find(end + 1, LIST_END) : end;
        if (code.text(behind) !== ',') break;
        next = behind + 1;
      }
    }
  }

  /** Signals that copy the address or the data, directly, through other copies, or a clock later. */
  #copies(): void {
    const code = this.#code;
    const places: { at: number; end: number }[] = [];
    for (let at = 1; at < code.tokens.length; at++)
      if (isAssignment(code.text(at)) && code.isName(at - 1)) {
        const end = code.find(at + 1, SEMICOLON);
        // Longer ones are no copies.
        if (end - at < 24) places.push({ at, end });
      }
    const known = () => this.#parts.size + this.sources.size + this.targets.size;
    for (let before = -1; known() !== before && known() <= 64; ) {
      before = known();
      for (const { at, end } of places) this.#copy(at, end);
    }
  }

  /** Records an assignment that copies a signal. */
  #copy(at: number, end: number): void {
    const code = this.#code;
    const left = code.text(at - 1);
    const right = code.text(at + 1);
    if (end === at + 2) {
      if (this.#isWire(at - 1) && code.text(at) === '=' && this.sources.has(right)) this.sources.add(left);
      if (code.text(at - 2) === 'assign' && this.targets.has(left)) this.targets.add(right);
    }
    const part = this.#parts.has(left) ? null : this.partAt(at + 1, end);
    if (part) this.#parts.set(left, { ...part, low: this.#lowOf(at - 1) });
  }

  /** Whether a name has a permanent assignment: `assign x =`, `wire [3:0] x =`. */
  #isWire(at: number): boolean {
    const before = this.#code.text(at - 1);
    return before === 'assign' || before === ']' || DECLARING.has(before);
  }

  /** The lowest index of the signal declared here; 0 without a range. */
  #lowOf(at: number): number {
    if (this.#code.text(at - 1) !== ']') return 0;
    for (let from = at - 2; from > at - 16 && from >= 0; from--)
      if (this.#code.text(from) === '[') return this.range(from, at)?.low ?? 0;
    return 0;
  }

  /** `[7:2]`, `[3]`, `[2 +: 4]` */
  range(from: number, behind: number): { high: number; low: number } | null {
    const inner = this.#code.tokens.slice(from + 1, behind - 1);
    const split = inner.findIndex(({ text }) => text === ':' || text === '+:' || text === '-:');
    const left = constantValue(split < 0 ? inner : inner.slice(0, split), this.#constants);
    const right = split < 0 ? left : constantValue(inner.slice(split + 1), this.#constants);
    if (left === null || right === null) return null;
    switch (split < 0 ? ':' : inner[split]?.text) {
      case '+:':
        return { high: left + right - 1, low: left };
      case '-:':
        return { high: left, low: left - right + 1 };
      default:
        return { high: Math.max(left, right), low: Math.min(left, right) };
    }
  }

  /** The address bits of an expression; null for any other expression. */
  partAt(from: number, end: number): AddressPart | null {
    const code = this.#code;
    let [at, to] = [from, end];
    while (code.text(at) === '(' || (CASTS.has(code.text(at).toLowerCase()) && code.text(at + 1) === '(')) {
      if (code.text(at) !== '(') at++;
      if (code.behindBracket(at) !== to) return null;
      at++;
      to--;
    }
    let zeros = 0;
    if (code.text(at) === '{' && code.behindBracket(at) === to) {
      // `{adr[7:2], 2'b00}`
      const zero = code.tokens[to - 2];
      if (code.text(to - 3) !== ',' || zero?.kind !== 'number' || zero.value !== 0 || zero.width === null)
        return null;
      zeros = zero.width;
      at++;
      to -= 3;
    }
    const known = this.#parts.get(code.text(at));
    if (!known) return null;
    let part = known;
    if (code.text(at + 1) === '[') {
      const behind = code.behindBracket(at + 1);
      const range = this.range(at + 1, behind);
      if (!range || range.low < part.low) return null;
      part = { low: 0, bit: part.bit + range.low - part.low, width: range.high - range.low + 1 };
      at = behind - 1;
    }
    if (code.text(at + 1) === '>>' && at + 3 === to) {
      const by = constantValue(code.tokens.slice(at + 2, to), this.#constants);
      if (by === null || by >= part.width) return null;
      part = { low: 0, bit: part.bit + by, width: part.width - by };
      at += 2;
    }
    return at + 1 === to ? { low: 0, bit: part.bit - zeros, width: part.width + zeros } : null;
  }
}
