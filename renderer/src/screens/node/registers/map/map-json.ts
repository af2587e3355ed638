import { parseWord } from '../../../../format/words.ts';
import {
  ACCESSES,
  type Access,
  type BitField,
  type Found,
  inOrder,
  mapProblems,
  parseBits,
  type Register,
  type RegisterMap,
} from './register-map.ts';

/** A problem in a file: its place and kind. */
export interface FileProblem {
  /** A path such as `registers[2].fields[0].bits`, or a line number of a table; empty for the file itself. */
  where: string | number;
  problem: Found['problem'] | 'no-json' | 'no-map' | 'no-table' | 'column' | 'quote' | 'orphan' | 'missing';
  what: string;
}

export type MapFile = { map: RegisterMap } | { problems: FileProblem[] };

/** Maximum problems to report per file. */
export const MAX_PROBLEMS = 8;

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

/** Minimum and maximum of a register's words, of its bits and of its reset value. */
const NUMBERS = { words: [1, 65_536], width: [1, 32], reset: [0, 0xffff_ffff] } as const;

/** Whether a register can have a number there. */
export const isNumberOf = (name: keyof typeof NUMBERS, value: unknown): value is number =>
  isWhole(value, NUMBERS[name][0], NUMBERS[name][1]);

/** Possible properties of a file's object, still unchecked. */
type Unread = {
  [K in keyof RegisterMap | keyof Register | keyof BitField | 'bits' | 'file' | 'line']?: unknown;
};

const isRecord = (value: unknown): value is Unread =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isWhole = (value: unknown, least: number, most: number): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;

const shown = (value: unknown): string =>
  (value === undefined ? '' : (JSON.stringify(value) ?? '')).slice(0, 60);

/** Parses a map from the result of JSON.parse. A file with problems gives no map. */
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
  const accessOf = (from: unknown, where: string): Access => {
    const access = ACCESSES.find((one) => one === from);
    if (access === undefined) wrong(where, 'access', from);
    return access ?? 'rw';
  };
  /** The optional numbers. */
  const numbers = (from: Unread, where: string): Pick<Register, keyof typeof NUMBERS> => {
    const found: Pick<Register, keyof typeof NUMBERS> = {};
    for (const name of ['words', 'width', 'reset'] as const) {
      const sent = from[name];
      if (isNumberOf(name, sent)) found[name] = sent;
      else if (sent !== undefined) wrong(`${where}.${name}`, 'missing', name);
    }
    return found;
  };
  /** Place in the source, and whether the register is only proposed. */
  const origin = (from: Unread, where: string): Pick<Register, 'source' | 'proposed'> => {
    const { source, proposed } = from;
    const placed =
      isRecord(source) && typeof source.file === 'string' && isWhole(source.line, 1, 0x7fff_ffff)
        ? { file: source.file, line: source.line }
        : undefined;
    if (source !== undefined && !placed) wrong(`${where}.source`, 'missing', 'source');
    return { ...(placed && { source: placed }), ...(proposed === true && { proposed }) };
  };
  const field = (from: unknown, where: string): BitField[] => {
    if (!isRecord(from)) {
      wrong(where, 'no-map', from);
      return [];
    }
    // Earlier versions store bits as the text `7:4`, the bench as two numbers.
    const sent = from.bits ?? (from.msb === undefined ? '' : `${from.msb}:${from.lsb}`);
    const bits = parseBits(String(sent));
    if (!bits) wrong(`${where}.bits`, 'bits', sent);
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
        ...(from.access !== undefined && { access: accessOf(from.access, where) }),
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
      ...numbers(one, where),
      access: (one.access ?? 'rw') as Access,
      ...describe(one, where),
      ...origin(one, where),
      fields: Array.isArray(fields) ? fields.flatMap((f, at) => field(f, `${where}.fields[${at}]`)) : [],
    };
  });
  const { dismissed } = value;
  const left =
    Array.isArray(dismissed) && dismissed.every((one) => isWhole(one, 0, 0xffff_ffff))
      ? dismissed
      : undefined;
  if (dismissed !== undefined && !left) wrong('dismissed', 'missing', 'dismissed');
  const map = {
    name: typeof value.name === 'string' ? value.name : '',
    registers,
    ...(left && { dismissed: left }),
  };
  // Report what cannot be read; check only what can.
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
