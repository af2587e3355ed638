import { csvCell, readTable } from '../contract/csv.ts';
import {
  type BitField,
  REGISTER_ACCESSES,
  type Register,
  type RegisterMap,
} from '../contract/designs/register-map.ts';
import { descriptionOf, fileProblem, MapDraft, type ReadMap } from './draft.ts';
import { hexAddress, numberIn } from './numbers.ts';

const COLUMNS = [
  'register',
  'address',
  'words',
  'width',
  'access',
  'reset',
  'description',
  'field',
  'bits',
  'values',
] as const;
type Column = (typeof COLUMNS)[number];

/** Bits in table form: `7:4`, or `3` for one. */
const bitsOf = ({ msb, lsb }: Pick<BitField, 'msb' | 'lsb'>): string =>
  msb === lsb ? String(msb) : `${msb}:${lsb}`;

/** Reads bits: `7:4`, `[7:4]`, `3`. Null for anything else. */
export function bitsIn(text: string): { msb: number; lsb: number } | null {
  const match = /^\[?\s*(\d{1,2})\s*(?::\s*(\d{1,2}))?\s*\]?$/.exec(text.trim());
  if (!match) return null;
  const [msb, lsb] = [Number(match[1]), Number(match[2] ?? match[1])];
  return msb <= 31 && lsb <= msb ? { msb, lsb } : null;
}

/** Escapes separators of values, and the backslash itself, in a name. */
const escaped = (name: string): string => name.replace(/[|\\]/g, '\\$&');

/** Values of a field in the form `0=off|1=on`. Null where one of them is invalid. */
function valuesIn(text: string): Record<string, string> | null {
  const values: Record<string, string> = {};
  let part = '';
  for (let at = 0; at <= text.length; at++) {
    const character = text[at];
    if (character === '\\') part += text[++at] ?? '';
    else if (character !== undefined && character !== '|') part += character;
    else if (part.trim() !== '') {
      const equals = part.indexOf('=');
      const value = numberIn(part.slice(0, equals));
      if (equals < 1 || value === null) return null;
      values[String(value)] = part.slice(equals + 1).trim();
      part = '';
    } else part = '';
  }
  return values;
}

/**
 * Writes the table of a map: a row for each register, then one for each of its fields with the field's access and
 * description. Values are `0=off|1=on`.
 */
export function writeTable(map: RegisterMap): string {
  const line = (cells: Partial<Record<Column, string | number | undefined>>) =>
    COLUMNS.map((name) => csvCell(String(cells[name] ?? ''))).join(',');
  const lines = map.registers.flatMap(
    ({ name, address, words, width, access, reset, description, fields }) => [
      line({
        register: name,
        address: hexAddress(address),
        words,
        width,
        access,
        reset: reset === undefined ? undefined : `0x${reset.toString(16).toUpperCase()}`,
        description,
      }),
      ...fields.map((field) =>
        line({
          register: name,
          access: field.access,
          description: field.description,
          field: field.name,
          bits: bitsOf(field),
          values: Object.entries(field.values ?? {})
            .map(([value, text]) => `${value}=${escaped(text)}`)
            .join('|'),
        }),
      ),
    ],
  );
  return `${[COLUMNS.join(','), ...lines].join('\r\n')}\r\n`;
}

const accessIn = (text: string): Register['access'] | null | undefined =>
  text === '' ? undefined : (REGISTER_ACCESSES.find((one) => one === text.toLowerCase()) ?? null);

/** Reads the bench's own table; only the columns of register and address are required. */
export function readBenchTable(text: string, name: string): ReadMap {
  const table = readTable(text);
  if ('quote' in table) return { problems: [fileProblem(table.quote, 'a quotation mark is not closed')] };
  const [head, ...body] = table.rows;
  const columns = head?.cells.map((one) => one.toLowerCase()) ?? [];
  for (const needed of ['register', 'address'] as const)
    if (!columns.includes(needed))
      return { problems: [fileProblem(head?.line ?? 1, `there is no column “${needed}”`)] };
  const draft = new MapDraft();
  const wanted: { register: Register; line: number }[] = [];
  const byName = new Map<string, Register>();
  for (const { line, cells } of body) {
    const of = (column: Column): string => cells[columns.indexOf(column)] ?? '';
    const owner = of('register');
    const access = accessIn(of('access'));
    if (access === null) draft.say(line, `the access “${of('access').slice(0, 20)}” is not rw, ro or wo`);
    if (of('field') !== '') {
      const bits = bitsIn(of('bits'));
      const values = valuesIn(of('values'));
      const register = byName.get(owner);
      if (!register) draft.say(line, `the field comes before its register, “${owner.slice(0, 64)}”`);
      if (!bits) draft.say(line, `“${of('bits').slice(0, 20)}” are not bits from 31 to 0, such as 7:4`);
      if (!values) draft.say(line, 'the values are not written as 0=off|1=on');
      if (register && bits && values)
        register.fields.push({
          name: of('field'),
          ...bits,
          ...(access ? { access } : {}),
          ...descriptionOf(of('description')),
          ...(Object.keys(values).length > 0 ? { values } : {}),
        });
      continue;
    }
    const number = (column: Column): number | undefined => {
      if (of(column) === '') return undefined;
      const value = numberIn(of(column));
      if (value === null) draft.say(line, `the ${column} “${of(column).slice(0, 40)}” is not a number`);
      return value ?? undefined;
    };
    if (of('address') === '') draft.say(line, `${owner.slice(0, 64)} has no address`);
    const [words, width, reset] = [number('words'), number('width'), number('reset')];
    const register: Register = {
      name: owner,
      address: number('address') ?? 0,
      ...(words === undefined ? {} : { words }),
      ...(width === undefined ? {} : { width }),
      access: access ?? 'rw',
      ...descriptionOf(of('description')),
      ...(reset === undefined ? {} : { reset }),
      fields: [],
    };
    byName.set(owner, register);
    wanted.push({ register, line });
  }
  if (draft.problems.length === 0)
    for (const { register, line } of wanted) if (!draft.add(register, line)) break;
  return draft.finish(name);
}
