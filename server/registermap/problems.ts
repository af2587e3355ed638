import {
  type BitField,
  MAX_MAP_BYTES,
  type Register,
  type RegisterMap,
} from '../contract/designs/register-map.ts';
import type { FieldProblem } from '../contract/failures.ts';

/** The later of each two entries with equal keys. */
function* repeated<T>(entries: readonly T[], key: (entry: T) => string | number): Iterable<number> {
  const seen = new Set<string | number>();
  for (const [at, entry] of entries.entries()) {
    if (seen.has(key(entry))) yield at;
    seen.add(key(entry));
  }
}

/** Maximum problems in one answer. */
export const MAX_PROBLEMS = 20;

/** The problem of a map above the maximum. */
export const TOO_LARGE = `the map has more than ${MAX_MAP_BYTES >> 20} MiB as JSON; shorten its descriptions`;

/** Byte addresses from the register's first to the end of its last word. */
const rangeOf = ({ address, words = 1 }: Register) => ({ first: address, behind: address + 4 * words });

/** Registers that overlap: pairs of indices, the later register first. */
function* overlaps(registers: readonly Register[]): Iterable<readonly [later: number, earlier: number]> {
  const order = registers
    .map((register, at) => ({ at, ...rangeOf(register) }))
    .sort((a, b) => a.first - b.first || a.at - b.at);
  let reaches: (typeof order)[number] | undefined;
  for (const one of order) {
    if (reaches && one.first < reaches.behind)
      yield one.at > reaches.at ? [one.at, reaches.at] : [reaches.at, one.at];
    if (!reaches || one.behind > reaches.behind) reaches = one;
  }
}

type Say = (at: readonly (string | number)[], msg: string) => void;

function fieldProblems({ fields, width = 32 }: Register, say: Say): void {
  for (const one of repeated(fields, ({ name }) => name.toLowerCase()))
    say(['fields', one, 'name'], 'another field of the register has this name');
  let taken = 0;
  for (const [one, { msb, lsb, values }] of fields.entries()) {
    if (msb < lsb) {
      say(['fields', one, 'msb'], 'the highest bit is below the lowest');
      continue;
    }
    if (msb >= width) say(['fields', one, 'msb'], `the register has ${width} bits`);
    const bits = (2 ** (msb + 1) - 2 ** lsb) >>> 0;
    if ((taken & bits) !== 0) say(['fields', one], 'another field has some of these bits');
    taken |= bits;
    const most = 2 ** (msb - lsb + 1) - 1;
    for (const value of Object.keys(values ?? {}))
      if (Number(value) > most)
        say(['fields', one, 'values', value], `the value does not fit a field of ${msb - lsb + 1} bits`);
  }
}

/**
 * The problems of a register map that fits its schema: repeated names, words, fields and values that overlap or
 * exceed their container, and its size. At most 20.
 * @param place of the map in the request
 */
export function mapProblems(map: RegisterMap, place: readonly string[]): FieldProblem[] {
  const { registers } = map;
  const problems: FieldProblem[] = [];
  if (Buffer.byteLength(JSON.stringify(map)) >= MAX_MAP_BYTES)
    problems.push({ loc: [...place], msg: TOO_LARGE, type: 'value_error' });
  const say: Say = (at, msg) =>
    problems.push({ loc: [...place, 'registers', ...at], msg, type: 'value_error' });
  for (const at of repeated(registers, ({ name }) => name.toLowerCase()))
    say([at, 'name'], 'another register has this name');
  for (const [later, earlier] of overlaps(registers)) {
    const same = registers[later]?.address === registers[earlier]?.address;
    say(
      [later, 'address'],
      same ? 'another register has this address' : `it overlaps ${registers[earlier]?.name}`,
    );
  }
  for (const [at, register] of registers.entries()) {
    if (rangeOf(register).behind > 2 ** 32) say([at, 'words'], 'its words extend past the last address');
    if (register.reset !== undefined && register.reset >= 2 ** (register.width ?? 32))
      say([at, 'reset'], `the register has ${register.width ?? 32} bits`);
    fieldProblems(register, (inner, msg) => say([at, ...inner], msg));
    if (problems.length >= MAX_PROBLEMS) break;
  }
  return problems.slice(0, MAX_PROBLEMS);
}

/** The same map in canonical order: registers by address, fields from the highest bit. */
export const inOrder = (map: RegisterMap): RegisterMap => ({
  ...map,
  registers: map.registers
    .map((register) => ({
      ...register,
      fields: [...register.fields].sort((a: BitField, b: BitField) => b.msb - a.msb),
    }))
    .sort((a, b) => a.address - b.address),
});
