import type { BitField, Register, RegisterMap } from '../designs/register-map.ts';

/** A name that is not in the map, or a value that its register or field does not have. */
export class RegisterNameError extends Error {
  override readonly name = 'RegisterNameError';
}

/** The meaning of a name: a register, or some of its bits. */
export interface Place {
  register: Register;
  field: BitField | undefined;
}

/** Bits of a word to write, with their values in place. */
export interface Assignment {
  address: number;
  name: string;
  /** All ones for a whole word. */
  mask: number;
  value: number;
  /** The other bits of the word can be read first. */
  readable: boolean;
}

const WHOLE = 0xffff_ffff;

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

const listed = (names: readonly string[]): string => {
  const shown = names.slice(0, 12).join(', ');
  return names.length > 12 ? `${shown} and ${names.length - 12} more` : shown || 'none';
};

/** True for a name, false for a number. */
export const looksLikeName = (text: string): boolean => /^[A-Za-z_]/.test(text);

/** One word of an array register, as a register; undefined where it has no such word. */
function wordOf({ words = 1, ...register }: Register, index: number): Register | undefined {
  if (words === 1 || index >= words) return undefined;
  return { ...register, name: `${register.name}[${index}]`, address: register.address + 4 * index };
}

/** The register of a name in any case; `NAME[i]` is word i of an array register. */
function registerNamed({ registers }: RegisterMap, name: string): Register | undefined {
  const whole = registers.find((one) => same(one.name, name));
  const [, list = '', index = ''] = /^(.*)\[(\d{1,5})\]$/.exec(name) ?? [];
  if (whole || list === '') return whole;
  const found = registers.find((one) => same(one.name, list));
  return found && wordOf(found, Number(index));
}

/**
 * The register of a name, or with `REGISTER.FIELD` some of its bits, in any case.
 * @throws RegisterNameError with the names of the map
 */
export function placeOf(map: RegisterMap, name: string): Place {
  const whole = registerNamed(map, name);
  if (whole) return { register: whole, field: undefined };
  const dot = name.lastIndexOf('.');
  const register = registerNamed(map, name.slice(0, dot < 0 ? name.length : dot));
  if (!register)
    throw new RegisterNameError(
      `The map has no register ${name.slice(0, 64)}; it has ${listed(map.registers.map((one) => one.name))}.`,
    );
  const field = register.fields.find((one) => same(one.name, name.slice(dot + 1)));
  if (!field)
    throw new RegisterNameError(
      `The register ${register.name} has no field ${name.slice(dot + 1, dot + 65)}; it has ${listed(register.fields.map((one) => one.name))}.`,
    );
  return { register, field };
}

/** The bits of a field in place. */
export const maskOf = ({ msb, lsb }: Pick<BitField, 'msb' | 'lsb'>): number =>
  (2 ** (msb + 1) - 2 ** lsb) >>> 0;

/** The value at a place in a word. */
export const valueAt = ({ field }: Place, word: number): number =>
  field ? (word & maskOf(field)) >>> field.lsb : word >>> 0;

/** The name of a field's value, where it has one. */
export const nameOfValue = ({ field }: Place, value: number): string | undefined =>
  field?.values?.[String(value)];

/** A value given as a number or by name. @throws RegisterNameError */
function numberOf({ register, field }: Place, value: number | string): number {
  const what = field ? `${register.name}.${field.name}` : register.name;
  const named = Object.entries(field?.values ?? {}).find(([, name]) => same(name, String(value)));
  const plain = String(value).replaceAll('_', '');
  const number = named
    ? Number(named[0])
    : /^(?:0x[\da-f]+|0b[01]+|\d+)$/i.test(plain)
      ? Number(plain)
      : Number.NaN;
  const bits = field ? field.msb - field.lsb + 1 : (register.width ?? 32);
  if (!Number.isInteger(number) || number < 0 || number >= 2 ** bits) {
    const names = Object.values(field?.values ?? {});
    throw new RegisterNameError(
      `${what} has ${bits === 1 ? '1 bit' : `${bits} bits`}${names.length > 0 ? ` and the values ${listed(names)}` : ''}; ${String(value).slice(0, 40)} does not fit.`,
    );
  }
  return number;
}

/**
 * The words to write for names with values; consecutive fields of one register become one write.
 * @throws RegisterNameError for an unknown name or value, and for a read-only target
 */
export function assignmentsOf(
  map: RegisterMap,
  values: Iterable<readonly [string, number | string]>,
): Assignment[] {
  const assignments: Assignment[] = [];
  for (const [name, given] of values) {
    const place = placeOf(map, name);
    const { register, field } = place;
    const value = numberOf(place, given);
    if ((field?.access ?? register.access) === 'ro') throw new RegisterNameError(`${name} is read-only.`);
    const mask = field ? maskOf(field) : WHOLE;
    const placed = field ? (value * 2 ** field.lsb) >>> 0 : value;
    const last = assignments.at(-1);
    if (last?.address === register.address && last.mask !== WHOLE && mask !== WHOLE) {
      last.value = ((last.value & ~mask) | placed) >>> 0;
      last.mask = (last.mask | mask) >>> 0;
    } else
      assignments.push({
        address: register.address,
        name: register.name,
        mask,
        value: placed,
        readable: register.access !== 'wo',
      });
  }
  return assignments;
}

/**
 * Writes assignments, one register after the other. A partial write first reads the other bits and keeps them; in a
 * write-only register they become zero.
 */
export async function assign(
  assignments: readonly Assignment[],
  read: (address: number) => Promise<number>,
  write: (address: number, word: number) => Promise<unknown>,
): Promise<void> {
  for (const { address, mask, value, readable } of assignments) {
    const before = mask === WHOLE || !readable ? 0 : await read(address);
    await write(address, ((before & ~mask) | value) >>> 0);
  }
}
