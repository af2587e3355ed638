import type { FieldProblem } from '../contract/failures.ts';
import {
  type BitField,
  LONGEST_DESCRIPTION,
  LONGEST_NAME,
  MOST_REGISTERS,
  MOST_VALUES,
  MOST_WORDS_OF_REGISTER,
  type Register,
  type RegisterMap,
} from '../contract/register-map.ts';
import { inOrder, MOST_PROBLEMS, mapProblems } from './problems.ts';

/** What a file came to: a map, or what is wrong in the file. */
export type ReadMap = { map: RegisterMap } | { problems: FieldProblem[] };

/** A problem with the line that it stands on; null for the file as a whole. */
export const fileProblem = (line: number | null, msg: string): FieldProblem => ({
  loc: line === null ? ['body'] : ['body', `line ${line}`],
  msg,
  type: 'value_error',
});

/** Text of a description on one line, cut where it is longer than a map keeps. */
export function descriptionOf(text: string | undefined): { description?: string } {
  const plain = (text ?? '').replace(/\s+/g, ' ').trim();
  if (plain === '') return {};
  return {
    description: plain.length > LONGEST_DESCRIPTION ? `${plain.slice(0, LONGEST_DESCRIPTION - 1)}…` : plain,
  };
}

type Sent = Omit<Register, 'fields'> & { fields?: BitField[] };

/**
 * A map that is being read from a file: takes registers until there are too many, and keeps with each the line that it stands
 * on, so that what is wrong can be told by its line.
 */
export class MapDraft {
  readonly problems: FieldProblem[] = [];
  /** Characters of names and descriptions so far. */
  #characters = 0;
  readonly #registers: { register: Register; line: number | null }[] = [];

  /** Registers there are so far. */
  get size(): number {
    return this.#registers.length;
  }

  say(line: number | null, msg: string): void {
    if (this.problems.length < MOST_PROBLEMS) this.problems.push(fileProblem(line, msg));
  }

  /** Takes a register; false where no more are taken. */
  add({ fields = [], ...sent }: Sent, line: number | null): boolean {
    const { name, address, words = 1, width = 32 } = sent;
    if (this.#registers.length >= MOST_REGISTERS) {
      if (this.problems.length === 0) this.say(line, `there are more than ${MOST_REGISTERS} registers`);
      return false;
    }
    this.#characters += charactersOf({ ...sent, fields });
    const wrong = nameProblem(name);
    if (this.#characters > MOST_CHARACTERS)
      this.say(line, `its names and descriptions come to more than ${MOST_CHARACTERS} characters`);
    else if (wrong) this.say(line, `the name of a register ${wrong}`);
    else if (!Number.isSafeInteger(address) || address < 0 || address > 0xffff_ffff)
      this.say(line, `${name} has no address from 0 to 0xFFFFFFFF`);
    else if (address % 4 !== 0)
      this.say(line, `the address of ${name}, 0x${address.toString(16)}, is no multiple of 4`);
    else if (!(words >= 1 && words <= MOST_WORDS_OF_REGISTER))
      this.say(line, `${name} has ${words} words, and a register has 1 to ${MOST_WORDS_OF_REGISTER}`);
    else if (!(width >= 1 && width <= 32))
      this.say(line, `${name} has ${width} bits, and a word has 1 to 32`);
    else if (fields.length > 32) this.say(line, `${name} has more than 32 fields`);
    else if (this.#fieldsFit(name, fields, line))
      this.#registers.push({ register: { ...sent, fields }, line });
    return this.problems.length < MOST_PROBLEMS && this.#characters <= MOST_CHARACTERS;
  }

  #fieldsFit(register: string, fields: readonly BitField[], line: number | null): boolean {
    const before = this.problems.length;
    for (const { name, msb, lsb, values = {} } of fields) {
      const wrong = nameProblem(name);
      if (wrong) this.say(line, `the name of a field of ${register} ${wrong}`);
      else if (!(lsb >= 0 && msb <= 31 && Number.isInteger(msb) && Number.isInteger(lsb)))
        this.say(line, `the bits of ${register}.${name} are not in 31 to 0`);
      if (Object.keys(values).length > MOST_VALUES)
        this.say(line, `${register}.${name} has more than ${MOST_VALUES} values with names`);
      for (const value of Object.values(values))
        if (value.length > LONGEST_NAME)
          this.say(line, `a value of ${register}.${name} has a name of more than ${LONGEST_NAME} characters`);
    }
    return this.problems.length === before;
  }

  /** The register of this name that was taken last. */
  named(name: string): Register | undefined {
    return this.#registers.findLast(({ register }) => register.name === name)?.register;
  }

  /** The map, or what is wrong. */
  finish(name: string): ReadMap {
    const map: RegisterMap = {
      name: name.replace(/\s+/g, ' ').trim().slice(0, LONGEST_NAME) || 'map',
      registers: this.#registers.map(({ register }) => register),
    };
    if (this.problems.length === 0)
      for (const { loc, msg } of mapProblems(map, [])) {
        const [, at, ...inner] = loc;
        const { register, line } = this.#registers[Number(at)] ?? { register: null, line: null };
        const field = inner[0] === 'fields' ? register?.fields[Number(inner[1])]?.name : undefined;
        this.say(line, `${register?.name ?? ''}${field === undefined ? '' : `.${field}`}: ${msg}`);
      }
    return this.problems.length > 0 ? { problems: this.problems } : { map: inOrder(map) };
  }
}

/** Names and descriptions of one map, and what its JSON has around each of them; the document that is kept has 4 MiB. */
const MOST_CHARACTERS = 3_000_000;
const AROUND = 40;

function charactersOf({ name, description = '', fields = [] }: Sent): number {
  return fields.reduce(
    (sum, field) =>
      Object.values(field.values ?? {}).reduce(
        (inner, value) => inner + value.length + AROUND / 2,
        sum + field.name.length + (field.description?.length ?? 0) + AROUND,
      ),
    name.length + description.length + 2 * AROUND,
  );
}

function nameProblem(name: string): string | null {
  if (name.trim() === '') return 'is missing';
  if (name.length > LONGEST_NAME) return `has more than ${LONGEST_NAME} characters`;
  return null;
}
