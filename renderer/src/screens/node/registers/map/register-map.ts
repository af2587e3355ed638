/** A named range of a register's bits. */
export interface BitField {
  name: string;
  /** Highest and lowest bit, 31 to 0. */
  msb: number;
  lsb: number;
  access?: Access;
  description?: string;
  /** Names of some of its values, e.g. `{ 0: 'off', 1: 'on' }`. */
  values?: Readonly<Record<number, string>>;
}

export const ACCESSES = ['rw', 'ro', 'wo'] as const;
export type Access = (typeof ACCESSES)[number];

/** A 32-bit register. */
export interface Register {
  name: string;
  /** Byte address, a multiple of 4. */
  address: number;
  /** 32-bit words from the address on, and bits per word; 1 and 32 by default. */
  words?: number;
  width?: number;
  access: Access;
  description?: string;
  /** Value after a reset. */
  reset?: number;
  /** Its place in the design's source. */
  source?: { file: string; line: number };
  /** It comes from the inferred map and is not accepted yet. */
  proposed?: boolean;
  /** Highest bits first, without overlap. */
  fields: readonly BitField[];
}

/** Named registers of a design. */
export interface RegisterMap {
  name: string;
  /** Sorted by address, each address once. */
  registers: readonly Register[];
  /** Byte addresses of dismissed registers. */
  dismissed?: readonly number[];
}

/** Maximum registers of a map; more would be unreadable. */
const MAX_REGISTERS = 4096;
const MAX_NAME_LENGTH = 64;
const MAX_TEXT_LENGTH = 500;

/** Why a map is not valid. */
type MapProblem =
  | 'name'
  | 'map-name'
  | 'address'
  | 'unaligned'
  | 'access'
  | 'description'
  | 'bits'
  | 'values'
  | 'duplicate-name'
  | 'duplicate-address'
  | 'duplicate-field'
  | 'overlap'
  | 'too-many';

/** A problem of a map with its place and text. */
export interface Found {
  problem: MapProblem;
  /** Index of the register in the list; undefined for the map itself. */
  register?: number;
  /** Index of the field in its register. */
  field?: number;
  /** The wrong text. */
  what: string;
}

/** The command line uses names, so they begin like identifiers; the rest follows the standards. */
const isName = (name: string): boolean =>
  name.length <= MAX_NAME_LENGTH && /^[A-Za-z_][\w.:[\]-]*$/.test(name);

/** A map's name is any printable text. */
export const isMapName = (name: string): boolean =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a name must not have
  name.trim() !== '' && name.length <= MAX_NAME_LENGTH && !/[\u0000-\u001f\u007f]/.test(name);

const isText = (text: string | undefined): boolean => text === undefined || text.length <= MAX_TEXT_LENGTH;

/** Parses a bit range: `7:4`, `[7:4]`, `3`. Undefined for other text. */
export function parseBits(text: string): { msb: number; lsb: number } | undefined {
  const match = /^\[?\s*(\d{1,2})\s*(?::\s*(\d{1,2}))?\s*\]?$/.exec(text.trim());
  if (!match) return undefined;
  const [msb, lsb] = [Number(match[1]), Number(match[2] ?? match[1])];
  return msb <= 31 && lsb <= msb ? { msb, lsb } : undefined;
}

/** `7:4`, or `3` for a single bit. */
export const formatBits = ({ msb, lsb }: Pick<BitField, 'msb' | 'lsb'>): string =>
  msb === lsb ? String(msb) : `${msb}:${lsb}`;

export const widthOf = ({ msb, lsb }: Pick<BitField, 'msb' | 'lsb'>): number => msb - lsb + 1;

/** The mask of a field in its word. */
export const maskOf = (field: Pick<BitField, 'msb' | 'lsb'>): number =>
  ((2 ** widthOf(field) - 1) * 2 ** field.lsb) >>> 0;

/** The value of a field in a word. */
export const fieldOf = (word: number, field: Pick<BitField, 'msb' | 'lsb'>): number =>
  ((word >>> 0) & maskOf(field)) >>> field.lsb;

/** Replaces a field in a word; drops the value's bits beyond the field. */
export const withField = (word: number, field: Pick<BitField, 'msb' | 'lsb'>, value: number): number =>
  ((word & ~maskOf(field)) | ((value * 2 ** field.lsb) & maskOf(field))) >>> 0;

function fieldProblems(fields: readonly BitField[], register: number): Found[] {
  const found: Found[] = [];
  const names = new Set<string>();
  let taken = 0;
  fields.forEach((field, index) => {
    const at = (problem: MapProblem, what: string) => found.push({ problem, register, field: index, what });
    if (!isName(field.name)) at('name', field.name);
    else if (names.has(field.name.toLowerCase())) at('duplicate-field', field.name);
    names.add(field.name.toLowerCase());
    if (!(field.msb <= 31 && field.lsb >= 0 && field.lsb <= field.msb)) at('bits', formatBits(field));
    else {
      if ((taken & maskOf(field)) !== 0) at('overlap', field.name);
      taken |= maskOf(field);
      const most = 2 ** widthOf(field) - 1;
      for (const [value, name] of Object.entries(field.values ?? {}))
        if (
          !(Number(value) <= most) ||
          name === '' ||
          name.trim() !== name ||
          name.length > MAX_NAME_LENGTH ||
          /[|="]/.test(name)
        )
          at('values', `${value}=${name}`);
    }
    if (!isText(field.description)) at('description', field.name);
  });
  return found;
}

/** The problems of a map; empty if it is valid. */
export function mapProblems(map: RegisterMap): Found[] {
  const found: Found[] = [];
  if (!isMapName(map.name)) found.push({ problem: 'map-name', what: map.name });
  if (map.registers.length > MAX_REGISTERS)
    return [...found, { problem: 'too-many', what: String(map.registers.length) }];
  const names = new Set<string>();
  const addresses = new Set<number>();
  map.registers.forEach((register, index) => {
    const at = (problem: MapProblem, what: string) => found.push({ problem, register: index, what });
    const name = register.name.toLowerCase();
    if (!isName(register.name)) at('name', register.name);
    else if (names.has(name)) at('duplicate-name', register.name);
    names.add(name);
    const hex = `0x${register.address.toString(16)}`;
    if (!Number.isInteger(register.address) || register.address < 0 || register.address > 0xffff_ffff)
      at('address', hex);
    else if (register.address % 4 !== 0) at('unaligned', hex);
    else if (addresses.has(register.address)) at('duplicate-address', hex);
    addresses.add(register.address);
    if (!ACCESSES.includes(register.access)) at('access', register.access);
    if (!isText(register.description)) at('description', register.name);
    found.push(...fieldProblems(register.fields, index));
  });
  return found;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isField = (value: unknown): boolean =>
  isObject(value) &&
  typeof value['name'] === 'string' &&
  Number.isInteger(value['msb']) &&
  Number.isInteger(value['lsb']) &&
  (value['values'] === undefined ||
    (isObject(value['values']) && Object.values(value['values']).every((name) => typeof name === 'string')));

const isRegister = (value: unknown): boolean =>
  isObject(value) &&
  typeof value['name'] === 'string' &&
  typeof value['address'] === 'number' &&
  Array.isArray(value['fields']) &&
  value['fields'].every(isField);

/** Whether a stored value is a valid map: another version of this page may have written it. */
export const isRegisterMap = (value: unknown): value is RegisterMap =>
  isObject(value) &&
  typeof value['name'] === 'string' &&
  Array.isArray(value['registers']) &&
  value['registers'].every(isRegister) &&
  mapProblems(value as unknown as RegisterMap).length === 0;

/** Formats a map as a file, in the form of the bench's answer. */
export function mapToJson({ name: of, registers: list, dismissed }: RegisterMap): string {
  // Absent properties are left out, in a fixed order: equal maps are equal texts.
  const registers = list.map(
    ({ name, address, words, width, access, description, reset, source, proposed, fields }) => ({
      ...{ name, address, words, width, access, description, reset, source, proposed },
      fields: fields.map(({ name: field, msb, lsb, access: own, description: about, values }) => ({
        ...{ name: field, msb, lsb, access: own, description: about, values },
      })),
    }),
  );
  return `${JSON.stringify({ name: of, registers, dismissed }, null, 2)}\n`;
}

/** Sorts a map: registers by address, fields from the highest bit. */
export const inOrder = (map: RegisterMap): RegisterMap => ({
  ...map,
  name: map.name.trim(),
  registers: map.registers
    .map((register) => ({ ...register, fields: [...register.fields].sort((a, b) => b.msb - a.msb) }))
    .sort((a, b) => a.address - b.address),
});

/** A word of a register with several words, as a register; undefined if it has no such word. */
function wordOf({ words = 1, ...register }: Register, index: number): Register | undefined {
  if (words === 1 || index < 0 || index >= words) return undefined;
  return { ...register, name: `${register.name}[${index}]`, address: register.address + 4 * index };
}

/** The register at an address, or `NAME[i]` for a word of a register with several. */
export function findByAddress(map: RegisterMap | undefined, address: number): Register | undefined {
  // The registers are sorted by address.
  const last = map?.registers.findLast((register) => register.address <= address);
  return last && (last.address === address ? last : wordOf(last, (address - last.address) / 4));
}

/** Finds a register and, after a dot, a field by name, ignoring case. Register names may contain dots. */
export function findByName(
  map: RegisterMap | undefined,
  name: string,
): { register: Register; field?: BitField } | undefined {
  const wanted = name.trim().toLowerCase();
  const byName = (one: string) => map?.registers.find((register) => register.name.toLowerCase() === one);
  const named = (one: string) => {
    const [, list = '', index = ''] = /^(.*)\[(\d{1,5})\]$/.exec(one) ?? [];
    const words = list === '' ? undefined : byName(list);
    return byName(one) ?? (words && wordOf(words, Number(index)));
  };
  const whole = named(wanted);
  if (whole) return { register: whole };
  const dot = wanted.lastIndexOf('.');
  const register = dot < 0 ? undefined : named(wanted.slice(0, dot));
  const field = register?.fields.find((one) => one.name.toLowerCase() === wanted.slice(dot + 1));
  return register && field && { register, field };
}
