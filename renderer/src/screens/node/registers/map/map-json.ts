import { parseWord } from '../../../../format/words.ts';
import {
  type Access,
  type BitField,
  type Found,
  formatBits,
  inOrder,
  mapProblems,
  parseBits,
  type Register,
  type RegisterMap,
} from './register-map.ts';

/** What the file says of itself, so that another JSON file is told apart. */
const MAP_FORMAT = 'wishbench-register-map';

/** Something wrong in a file: where, and what. */
export interface FileProblem {
  /** A path such as `registers[2].fields[0].bits`, or a line number of a table; empty for the file itself. */
  where: string | number;
  problem: Found['problem'] | 'no-json' | 'no-map' | 'no-table' | 'column' | 'quote' | 'orphan' | 'missing';
  what: string;
}

export type MapFile = { map: RegisterMap } | { problems: FileProblem[] };

/** Most problems that are told of one file. */
export const MOST_PROBLEMS = 8;

const hex = (address: number): string => `0x${address.toString(16).toUpperCase().padStart(8, '0')}`;

/** The file of a map, for people and programs: addresses as hex text, bits as `7:4`. */
export function mapToJson(map: RegisterMap): string {
  const registers = map.registers.map(({ name, address, access, description, fields }) => ({
    name,
    address: hex(address),
    access,
    ...(description && { description }),
    ...(fields.length > 0 && {
      fields: fields.map(({ name: field, msb, lsb, description: about, values }) => ({
        name: field,
        bits: formatBits({ msb, lsb }),
        ...(about && { description: about }),
        ...(values && Object.keys(values).length > 0 && { values }),
      })),
    }),
  }));
  return `${JSON.stringify({ format: MAP_FORMAT, version: 1, name: map.name, registers }, null, 2)}\n`;
}

/** What an object of a file may have; what it is has to be looked at. */
type Unread = {
  [K in keyof RegisterMap | keyof Register | keyof BitField | 'bits']?: unknown;
};

const isRecord = (value: unknown): value is Unread =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const shown = (value: unknown): string =>
  (value === undefined ? '' : (JSON.stringify(value) ?? '')).slice(0, 60);

/** Reads a map from what JSON.parse made of a file. Nothing is taken when anything is wrong. */
export function mapFromValue(value: unknown): MapFile {
  const problems: FileProblem[] = [];
  const wrong = (where: string, problem: FileProblem['problem'], what: unknown) =>
    problems.push({ where, problem, what: typeof what === 'string' ? what : shown(what) });
  if (!isRecord(value) || !Array.isArray(value.registers))
    return { problems: [{ where: '', problem: 'no-map', what: '' }] };

  const describe = (from: Unread, where: string): { description?: string } => {
    if (from.description === undefined || from.description === '') return {};
    if (typeof from.description === 'string') return { description: from.description };
    wrong(`${where}.description`, 'description', from.description);
    return {};
  };
  const field = (from: unknown, where: string): BitField[] => {
    if (!isRecord(from)) {
      wrong(where, 'no-map', from);
      return [];
    }
    const bits = parseBits(typeof from.bits === 'number' ? String(from.bits) : String(from.bits ?? ''));
    if (!bits) wrong(`${where}.bits`, 'bits', from.bits);
    if (typeof from.name !== 'string') wrong(`${where}.name`, 'name', from.name);
    const values: Record<number, string> = {};
    if (from.values !== undefined && !isRecord(from.values)) wrong(`${where}.values`, 'values', from.values);
    else
      for (const [key, name] of Object.entries(from.values ?? {})) {
        const word = parseWord(key);
        if (word === null || typeof name !== 'string')
          wrong(`${where}.values`, 'values', `${key}=${shown(name)}`);
        else values[word] = name;
      }
    return [
      {
        name: String(from.name),
        ...(bits ?? { msb: 0, lsb: 0 }),
        ...describe(from, where),
        ...(Object.keys(values).length > 0 && { values }),
      },
    ];
  };
  const registers = value.registers.map((from: unknown, index): Register => {
    const where = `registers[${index}]`;
    const one = isRecord(from) ? from : {};
    if (!isRecord(from)) wrong(where, 'no-map', from);
    const address = typeof one.address === 'number' ? one.address : parseWord(String(one.address ?? ''));
    if (address === null || String(one.address).trim().startsWith('-'))
      wrong(`${where}.address`, 'address', one.address);
    if (typeof one.name !== 'string') wrong(`${where}.name`, 'name', one.name);
    const fields = one.fields === undefined ? [] : one.fields;
    if (!Array.isArray(fields)) wrong(`${where}.fields`, 'no-map', fields);
    return {
      name: String(one.name),
      address: address ?? 0,
      access: (one.access ?? 'rw') as Access,
      ...describe(one, where),
      fields: Array.isArray(fields) ? fields.flatMap((f, at) => field(f, `${where}.fields[${at}]`)) : [],
    };
  });
  const map = { name: typeof value.name === 'string' ? value.name : '', registers };
  // What could not be read is told; only what could be read is checked further.
  if (problems.length === 0)
    for (const { problem, register, field: at, what } of mapProblems(map))
      wrong(
        register === undefined ? '' : `registers[${register}]${at === undefined ? '' : `.fields[${at}]`}`,
        problem,
        what,
      );
  return problems.length > 0 ? { problems } : { map: inOrder(map) };
}

export function mapFromJson(text: string): MapFile {
  try {
    return mapFromValue(JSON.parse(text.replace(/^\uFEFF/, '')));
  } catch (error) {
    return {
      problems: [{ where: '', problem: 'no-json', what: error instanceof Error ? error.message : '' }],
    };
  }
}
