import {
  type BitField,
  MAX_DESCRIPTION_LENGTH,
  MAX_MAP_BYTES,
  MAX_NAME_LENGTH,
  MAX_REGISTERS,
  MAX_VALUES,
  MAX_WORDS_OF_REGISTER,
  type Register,
  type RegisterMap,
} from '../contract/designs/register-map.ts';
import type { FieldProblem } from '../contract/failures.ts';
import { inOrder, MAX_PROBLEMS, mapProblems, TOO_LARGE } from './problems.ts';

/** The result of reading a file: a map with warnings about skipped parts, or the errors in the file. */
export type ReadMap = { map: RegisterMap; warnings?: FieldProblem[] } | { problems: FieldProblem[] };

/**
 * Maximum elements visited while lists and derivations of one file are expanded; a device of four thousand registers
 * with fields needs about 300,000.
 */
export const MAX_STEPS = 500_000;

/** Fields of one register: one for each bit. */
const MAX_FIELDS = 32;

/** Places of one list. */
export const MAX_PLACES = 4096;

/** A problem with its line; null for the file as a whole. */
export const fileProblem = (line: number | null, msg: string, type = 'value_error'): FieldProblem => ({
  loc: line === null ? ['body'] : ['body', `line ${line}`],
  msg,
  type,
});

/** Maximum warnings of one file, and place names in one of them. */
const MAX_WARNINGS = 30;
const MAX_LISTED = 3;

/** A kind of skipped element, and its places. */
interface Note {
  line: number | null;
  places: Set<string>;
  count: number;
}

/** A description on one line, cut to a map's maximum length. */
export function descriptionOf(text: string | undefined): { description?: string } {
  const plain = (text ?? '').replace(/\s+/g, ' ').trim();
  if (plain === '') return {};
  return {
    description:
      plain.length > MAX_DESCRIPTION_LENGTH ? `${plain.slice(0, MAX_DESCRIPTION_LENGTH - 1)}…` : plain,
  };
}

type Sent = Omit<Register, 'fields'> & { fields?: BitField[] };

interface PlacedRegister {
  register: Register;
  line: number | null;
}

/** A map under construction: collects registers up to the maximum, with their lines, so that errors name the line. */
export class MapDraft {
  readonly problems: FieldProblem[] = [];
  /** Bytes of the registers so far, as JSON. */
  #bytes = 0;
  readonly #registers: PlacedRegister[] = [];
  /** Other views of places that may have registers already. */
  readonly #views: PlacedRegister[] = [];
  readonly #notes = new Map<string, Note>();

  /** Number of registers so far. */
  get size(): number {
    return this.#registers.length + this.#views.length;
  }

  say(line: number | null, msg: string): void {
    if (this.problems.length < MAX_PROBLEMS) this.problems.push(fileProblem(line, msg));
  }

  /**
   * Warns about a skipped part of the file. Equal texts at many places become one warning.
   * @param place name of the element around it
   * @param msg what was skipped, its effect, and the remedy
   */
  note(line: number | null, place: string, msg: string): void {
    const key =
      this.#notes.has(msg) || this.#notes.size < MAX_WARNINGS ? msg : 'more of the file is not read';
    const note = this.#notes.get(key) ?? { line, places: new Set(), count: 0 };
    note.count++;
    if (note.places.size < MAX_LISTED && place !== '') note.places.add(place.slice(0, 64));
    this.#notes.set(key, note);
  }

  /**
   * Adds a register; false above the maximum.
   * @param isView an alternative view of a place, left out where that place has a register
   */
  add({ fields: all = [], ...sent }: Sent, line: number | null, isView = false): boolean {
    const { name, address, words = 1, width = 32 } = sent;
    const fields = this.#fieldsApart(sent, all, line);
    const list = isView ? this.#views : this.#registers;
    if (list.length >= MAX_REGISTERS) {
      if (this.problems.length === 0) this.say(line, `there are more than ${MAX_REGISTERS} registers`);
      return false;
    }
    const register = { ...sent, fields };
    this.#bytes += Buffer.byteLength(JSON.stringify(register));
    const wrong = nameProblem(name);
    if (this.#bytes > MAX_MAP_BYTES) this.say(line, TOO_LARGE);
    else if (wrong) this.say(line, `the name of a register ${wrong}`);
    else if (address < 0 || address > 0xffff_ffff)
      this.say(line, `${name} needs an address from 0 to 0xFFFFFFFF`);
    else if (address % 4 !== 0)
      this.say(line, `the address of ${name}, 0x${address.toString(16)}, is not a multiple of 4`);
    else if (!(words >= 1 && words <= MAX_WORDS_OF_REGISTER))
      this.say(line, `${name} has ${words} words; a register has 1 to ${MAX_WORDS_OF_REGISTER}`);
    else if (!(width >= 1 && width <= 32))
      this.say(line, `${name} has ${width} bits; a register has 1 to 32`);
    else if (fields.length > MAX_FIELDS) this.say(line, `${name} has more than ${MAX_FIELDS} fields`);
    else if (this.#fieldsFit(name, fields, line)) list.push({ register, line });
    return this.problems.length < MAX_PROBLEMS && this.#bytes <= MAX_MAP_BYTES;
  }

  /** The fields of a register. Where a read field and a write field share bits, the first stays. */
  #fieldsApart({ name, access }: Sent, fields: readonly BitField[], line: number | null): BitField[] {
    const apart: BitField[] = [];
    if (fields.length > MAX_FIELDS) return [...fields];
    for (const one of fields) {
      const other = apart.find(({ lsb, msb }) => lsb <= one.msb && one.lsb <= msb);
      if (other && isReadAndWritten(other.access ?? access, one.access ?? access))
        this.note(
          line,
          `${name}.${one.name}`,
          'is not read: a bit belongs to one field of a map, and a field for the other direction has these bits; write by the name of that field, or write the whole word',
        );
      else apart.push(one);
    }
    return apart;
  }

  #fieldsFit(register: string, fields: readonly BitField[], line: number | null): boolean {
    const before = this.problems.length;
    for (const { name, msb, values = {} } of fields) {
      const wrong = nameProblem(name);
      if (wrong) this.say(line, `the name of a field of ${register} ${wrong}`);
      else if (msb > 31) this.say(line, `the bits of ${register}.${name} are not within 31 to 0`);
      if (Object.keys(values).length > MAX_VALUES)
        this.say(line, `${register}.${name} has more than ${MAX_VALUES} values with names`);
      for (const value of Object.values(values))
        if (value.length > MAX_NAME_LENGTH)
          this.say(
            line,
            `a value of ${register}.${name} has a name of more than ${MAX_NAME_LENGTH} characters`,
          );
    }
    return this.problems.length === before;
  }

  /** The registers of a map. Several at one place become the first, where the others are only views of it. */
  #placed(): PlacedRegister[] {
    const placed: PlacedRegister[] = [];
    const byRange = new Map<string, Register>();
    for (const one of this.#registers) {
      const { address, words = 1, access, name } = one.register;
      const range = `${address} ${words}`;
      const other = byRange.get(range);
      if (other && isReadAndWritten(other.access, access)) {
        this.note(
          one.line,
          name,
          'is not read: a map has one register per address, and a register for the other direction has this one; write by the name of that register, or by address',
        );
        continue;
      }
      byRange.set(range, one.register);
      placed.push(one);
    }
    for (const one of this.#views)
      if (placed.some(({ register }) => overlap(register, one.register)))
        this.note(
          one.line,
          one.register.name,
          'is not read: a map has one register per address, and this is an alternative view of one; use the address, or put the alternative views into a separate map',
        );
      else placed.push(one);
    return placed;
  }

  /** The map, or the errors. */
  finish(name: string): ReadMap {
    const placed = this.problems.length === 0 ? this.#placed() : [];
    const map: RegisterMap = {
      name: name.replace(/\s+/g, ' ').trim().slice(0, MAX_NAME_LENGTH) || 'map',
      registers: placed.map(({ register }) => register),
    };
    if (this.problems.length === 0)
      for (const { loc, msg } of mapProblems(map, [])) {
        const [, at, ...inner] = loc;
        const one = placed[Number(at)];
        const field = inner[0] === 'fields' ? one?.register.fields[Number(inner[1])]?.name : undefined;
        const place = one && `${one.register.name}${field === undefined ? '' : `.${field}`}: `;
        this.say(one?.line ?? null, `${place ?? ''}${msg}`);
      }
    if (this.problems.length > 0) return { problems: this.problems };
    const warnings = [...this.#notes].map(([msg, { line, places, count }]) => {
      const more = count > places.size && places.size > 0 ? ` and ${count - places.size} more` : '';
      return fileProblem(
        line,
        `${[...places].join(', ')}${more}${places.size > 0 ? ': ' : ''}${msg}`,
        'not_read',
      );
    });
    return { map: inOrder(map), ...(warnings.length > 0 ? { warnings } : {}) };
  }
}

const isReadAndWritten = (a: Register['access'], b: Register['access']): boolean =>
  (a === 'ro' && b === 'wo') || (a === 'wo' && b === 'ro');

const overlap = (a: Register, b: Register): boolean =>
  a.address < b.address + 4 * (b.words ?? 1) && b.address < a.address + 4 * (a.words ?? 1);

function nameProblem(name: string): string | null {
  if (name.trim() === '') return 'is missing';
  if (name.length > MAX_NAME_LENGTH) return `has more than ${MAX_NAME_LENGTH} characters`;
  return null;
}
