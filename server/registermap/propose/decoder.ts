import type { BitField } from '../../contract/designs/register-map.ts';
import { AccessFields } from './access-fields.ts';
import { type AddressPart, type Bus, BusSignals, CASTS, isAssignment } from './bus-signals.ts';
import { type Constants, constantValue } from './constants.ts';
import { Code } from './cursor.ts';
import { StateNames } from './state-names.ts';
import type { CodeToken } from './verilog-tokens.ts';

/** An address that the code compares, and the accesses there. */
export interface Decoded {
  /** The compared constant; undefined for a number. */
  name: string | undefined;
  /** Byte address. */
  address: number;
  line: number;
  read: boolean;
  written: boolean;
  /** The signal that is read there, where it is a single one. */
  signal: string | undefined;
  fields: BitField[];
}

export interface Decoder {
  decoded: Decoded[];
  /** Whether any reads and writes were found: only then does a missing one mean something. */
  reads: boolean;
  writes: boolean;
  names: StateNames;
}

/** The labels of a case arm, and its statement. */
interface Arm {
  labels: CodeToken[][];
  from: number;
  to: number;
}

const LABEL_ENDS = new Set([':', ';', 'endcase', 'end']);
const CASES = new Set(['case', 'casez', 'casex']);
const SEMICOLON = new Set([';']);
const CONDITION_END = new Set([')', ';']);
const COMMA = new Set([',']);

/** Maximum cases and comparisons of one module; more are no decoder. */
const MAX_DECODED_CASES = 4096;
/** Maximum tokens of all cases; a design of ten thousand lines has a tenth of that in nested cases. */
const MAX_WORK = 2_000_000;

/** Finds the address decoder in the code of a module. */
export class DecoderReader {
  readonly #code: Code;
  readonly #constants: Constants;
  readonly #signals: BusSignals;
  readonly #fields: AccessFields;
  readonly #decoded = new Map<string, Decoded>();
  readonly #bases = new Set<number>();
  readonly #names: StateNames;
  #unclear = false;
  /** Tokens of cases so far. */
  #work = 0;
  #reads = false;
  #writes = false;

  constructor(tokens: readonly CodeToken[], constants: Constants, bus: Bus) {
    this.#code = new Code(tokens);
    this.#constants = constants;
    this.#signals = new BusSignals(this.#code, constants, bus);
    this.#fields = new AccessFields(this.#code, this.#signals);
    this.#names = new StateNames(this.#signals.widths, constants);
  }

  /** Null where the decoder's addresses are uncertain. */
  read(): Decoder | null {
    for (
      let at = 0;
      at < this.#code.tokens.length && this.#decoded.size < MAX_DECODED_CASES && !this.#unclear;
      at++
    ) {
      if (CASES.has(this.#code.text(at))) this.#case(at);
      else if (this.#code.text(at) === '==' || this.#code.text(at) === '===') this.#comparison(at);
    }
    if (this.#unclear || this.#bases.size > 1) return null;
    const [base = 0] = this.#bases;
    const decoded = [...this.#decoded.values()].map((one) => ({ ...one, address: one.address + base }));
    return { decoded, reads: this.#reads, writes: this.#writes, names: this.#names };
  }

  #case(at: number): void {
    const code = this.#code;
    const open = at + 1;
    if (code.text(open) !== '(') return;
    const behind = code.behindBracket(open);
    const part = this.#signals.partAt(open + 1, behind - 1);
    const ofSignal = !part && behind === open + 3 && code.isName(open + 1);
    if (!part && !ofSignal) return;
    const arms = this.#armsFrom(behind);
    if (arms && part) this.#access(part, arms);
    else
      this.#names.note(
        code.text(open + 1),
        (arms ?? []).flatMap(({ labels }) => labels),
      );
  }

  /** The arms of a case; null for invalid code, and above the maximum of tokens. */
  #armsFrom(behind: number): Arm[] | null {
    const code = this.#code;
    const arms: Arm[] = [];
    for (let next = behind; next < code.tokens.length && code.text(next) !== 'endcase'; ) {
      const colon = code.find(next, LABEL_ENDS);
      const isDefault = code.text(next) === 'default';
      if (code.text(colon) !== ':' && !isDefault) return null;
      const from = isDefault && code.text(next + 1) !== ':' ? next + 1 : colon + 1;
      const to = code.behindStatement(from);
      if (!isDefault) arms.push({ labels: this.#labels(next, colon), from, to });
      // Nested cases are read once each, up to a limit.
      this.#work += to - next;
      if (this.#work > MAX_WORK) {
        this.#unclear = true;
        return null;
      }
      next = Math.max(to, next + 1);
    }
    return arms;
  }

  /** Records the register accesses of a case over the address. */
  #access(part: AddressPart, arms: readonly Arm[]): void {
    const code = this.#code;
    const reads = arms.some(({ from, to }) => this.#assignsOutput(from, to) >= 0);
    const writes = arms.some(({ from, to }) => this.#mentionsInput(from, to));
    // Neither read nor write: this case is no register access.
    if (!reads && !writes) return;
    // Each arm is a block of addresses with its own decoder.
    if (part.bit > 2) return;
    for (const { labels, from, to } of arms)
      for (const label of labels) {
        const [first] = label;
        const value = constantValue(label, this.#constants);
        if (!first || value === null || value >= 2 ** part.width) continue;
        const output = this.#assignsOutput(from, to);
        this.#note({
          name: label.length === 1 && first.kind === 'name' ? first.text : undefined,
          address: value * 2 ** part.bit,
          line: first.line,
          read: output >= 0,
          written: this.#mentionsInput(from, to) || (!reads && code.text(from) !== ';'),
          signal: output < 0 ? undefined : this.#fields.signalAt(output),
          fields: [
            ...(output < 0 ? [] : this.#fields.readFields(output)),
            ...this.#fields.writtenFields(from, to),
          ],
        });
      }
  }

  #labels(from: number, colon: number): CodeToken[][] {
    const labels: CodeToken[][] = [];
    for (let at = from; at < colon; ) {
      const end = this.#code.find(at, COMMA, colon);
      labels.push(this.#code.tokens.slice(at, end));
      at = end + 1;
    }
    return labels;
  }

  /** `adr == NAME`, either way round. */
  #comparison(at: number): void {
    const code = this.#code;
    const begin = this.#operandBefore(at);
    const end = this.#operandBehind(at);
    const left = this.#signals.partAt(begin, at);
    const part = left ?? this.#signals.partAt(at + 1, end);
    if (!part) return;
    const other = left ? code.tokens.slice(at + 1, end) : code.tokens.slice(begin, at);
    const value = constantValue(other, this.#constants);
    if (value === null || value >= 2 ** part.width) {
      if (part.bit > 2) this.#unclear = true;
      return;
    }
    if (part.bit > 2) {
      // The upper bits: the base of the whole window.
      this.#bases.add(value * 2 ** part.bit);
      return;
    }
    const [first] = other;
    const behind = this.#behindCondition(end);
    if (first && other.length === 1)
      this.#note({
        name: first.kind === 'name' ? first.text : undefined,
        address: value * 2 ** part.bit,
        line: first.line,
        read: false,
        written: this.#mentionsInput(end, behind),
        signal: undefined,
        fields: this.#fields.writtenFields(end, behind),
      });
  }

  /** The index after the statement of a condition, which contains the accesses. */
  #behindCondition(from: number): number {
    const code = this.#code;
    let at = code.find(from, CONDITION_END);
    while (code.text(at) === ')') at++;
    return code.text(at) === 'begin' ? code.behindStatement(at) : code.find(at, SEMICOLON);
  }

  /** The begin of the operand before a comparison: a name with its brackets, a number, or a bracketed expression. */
  #operandBefore(at: number): number {
    let begin = at - 1;
    while (begin > 0 && at - begin < 40) {
      const close = this.#code.text(begin);
      if (close !== ']' && close !== ')' && close !== '}') return begin;
      let depth = 0;
      for (; begin > 0 && at - begin < 40; begin--) {
        const text = this.#code.text(begin);
        if (text === ']' || text === ')' || text === '}') depth++;
        else if ((text === '[' || text === '(' || text === '{') && --depth === 0) break;
      }
      if (
        close !== ']' &&
        !(this.#code.isName(begin - 1) && CASTS.has(this.#code.text(begin - 1).toLowerCase()))
      )
        return begin;
      // The indexed or converted name precedes it.
      begin--;
    }
    return begin;
  }

  #operandBehind(at: number): number {
    let end = at + 1;
    if (this.#code.text(end) === '(' || this.#code.text(end) === '{') return this.#code.behindBracket(end);
    end++;
    while (this.#code.text(end) === '[' || this.#code.text(end) === '(') end = this.#code.behindBracket(end);
    return end;
  }

  #note(found: Decoded): void {
    this.#reads ||= found.read;
    this.#writes ||= found.written;
    const key = `${found.address} ${found.name ?? ''}`;
    const known = this.#decoded.get(key);
    this.#decoded.set(
      key,
      known
        ? {
            ...known,
            read: known.read || found.read,
            written: known.written || found.written,
            signal: known.signal ?? found.signal,
            fields: [...known.fields, ...found.fields],
          }
        : found,
    );
  }

  /** The begin of the value assigned to the read data; -1 where there is none. */
  #assignsOutput(from: number, to: number): number {
    for (let at = from; at < to - 1; at++)
      if (this.#signals.targets.has(this.#code.text(at)) && isAssignment(this.#code.text(at + 1)))
        return at + 2;
    return -1;
  }

  #mentionsInput(from: number, to: number): boolean {
    for (let at = from; at < to; at++) if (this.#signals.sources.has(this.#code.text(at))) return true;
    return false;
  }
}
