import { csvCell, readTable, type TableRow } from '../../../../../../server/contract/csv.ts';
import { parseWord } from '../../../../format/words.ts';
import { type FileProblem, isNumberOf, type MapFile } from './map-json.ts';
import {
  ACCESSES,
  type Access,
  type BitField,
  formatBits,
  inOrder,
  mapProblems,
  parseBits,
  type Register,
  type RegisterMap,
} from './register-map.ts';

const COLUMNS = [
  ...(['register', 'address', 'words', 'width', 'access', 'reset', 'description'] as const),
  ...(['field', 'bits', 'values'] as const),
] as const;
/** Optional numbers of a register. */
const NUMBERS = ['words', 'width', 'reset'] as const;
type Column = (typeof COLUMNS)[number];

const hex = (address: number): string => `0x${address.toString(16).toUpperCase().padStart(8, '0')}`;

/**
 * The table of a map: a line per register, followed by a line per field with the field's description. Values are
 * `0=off|1=on`.
 */
export function mapToCsv(map: RegisterMap): string {
  const line = (cells: Partial<Record<Column, string>>) =>
    COLUMNS.map((name) => csvCell(cells[name] ?? '')).join(',');
  const lines = map.registers.flatMap(({ name, address, access, description, fields, ...numbers }) => [
    line({
      ...{ register: name, address: hex(address), access, description: description ?? '' },
      ...Object.fromEntries(NUMBERS.map((one) => [one, numbers[one]?.toString() ?? ''])),
    }),
    ...fields.map((field) =>
      line({
        register: name,
        access: field.access ?? '',
        description: field.description ?? '',
        field: field.name,
        bits: formatBits(field),
        values: Object.entries(field.values ?? {})
          .map(([value, text]) => `${value}=${text}`)
          .join('|'),
      }),
    ),
  ]);
  return `${[COLUMNS.join(','), ...lines].join('\r\n')}\r\n`;
}

/** Parses named values such as `0=off|1=on`; null if a pair is not valid. */
export function parseValues(text: string): Record<number, string> | null {
  const values: Record<number, string> = {};
  for (const part of text.split('|').filter((one) => one.trim() !== '')) {
    const [number = '', ...name] = part.split('=');
    const value = parseWord(number);
    if (value === null || name.length !== 1) return null;
    values[value] = name[0]?.trim() ?? '';
  }
  return values;
}

/** The `csr_register` lines of a SoC's csr.csv by LiteX: name, address, size in words, access. */
function fromLitex(
  rows: readonly TableRow[],
  problems: FileProblem[],
): { register: Register; line: number }[] {
  return rows
    .filter(({ cells }) => cells[0] === 'csr_register')
    .flatMap(({ line, cells }) => {
      const [, name = '', place = '', size = '', mode = ''] = cells;
      const address = parseWord(place);
      const words = parseWord(size || '1');
      if (address === null) problems.push({ where: line, problem: 'address', what: place });
      if (!isNumberOf('words', words)) {
        problems.push({ where: line, problem: 'missing', what: 'size' });
        return [];
      }
      const register: Register = {
        ...{ name, address: address ?? 0, ...(words > 1 && { words }) },
        ...{ access: mode === 'ro' ? 'ro' : 'rw', fields: [] },
      };
      return [{ line, register }];
    });
}

/** A field with its line. */
interface PlacedField {
  field: BitField;
  line: number;
}

/** Parses a map from a table: the bench's own, or a csr.csv of LiteX. A file with problems gives no map. */
export function mapFromCsv(text: string, name: string): MapFile {
  const parsed = readTable(text);
  if ('quote' in parsed) return { problems: [{ where: parsed.quote, problem: 'quote', what: '' }] };
  const [head, ...body] = parsed.rows;
  if (!head) return { problems: [{ where: '', problem: 'no-table', what: '' }] };
  const problems: FileProblem[] = [];
  const placed: { register: Register; line: number; fields: PlacedField[] }[] = [];
  if (parsed.rows.some(({ cells }) => cells[0] === 'csr_register'))
    placed.push(...fromLitex(parsed.rows, problems).map((one) => ({ ...one, fields: [] })));
  else {
    const columns = head.cells.map((cell) => cell.toLowerCase());
    for (const needed of ['register', 'address'] as const)
      if (!columns.includes(needed)) problems.push({ where: head.line, problem: 'column', what: needed });
    if (problems.length > 0) return { problems };
    for (const { line, cells } of body) {
      const of = (column: Column): string => cells[columns.indexOf(column)] ?? '';
      const wrong = (problem: FileProblem['problem'], what: string) =>
        problems.push({ where: line, problem, what });
      const about = of('description') === '' ? {} : { description: of('description') };
      if (of('field') !== '') {
        const owner = placed.find(({ register }) => register.name === of('register')) ?? undefined;
        const bits = parseBits(of('bits'));
        const values = parseValues(of('values'));
        if (!owner) wrong('orphan', of('register'));
        if (!bits) wrong('bits', of('bits'));
        if (values === null) wrong('values', of('values'));
        const own = of('access').toLowerCase();
        const access = ACCESSES.find((one) => one === own);
        if (own !== '' && !access) wrong('access', of('access'));
        if (owner && bits && values)
          owner.fields.push({
            line,
            field: {
              name: of('field'),
              ...bits,
              ...(access && { access }),
              ...about,
              ...(Object.keys(values).length > 0 && { values }),
            },
          });
        continue;
      }
      const numbers: Pick<Register, (typeof NUMBERS)[number]> = {};
      for (const name of NUMBERS.filter((one) => of(one) !== '')) {
        const number = parseWord(of(name));
        if (number === null || !isNumberOf(name, number)) wrong('missing', name);
        else numbers[name] = number;
      }
      const address = parseWord(of('address'));
      if (address === null || of('address').startsWith('-')) wrong('address', of('address'));
      else
        placed.push({
          line,
          fields: [],
          register: {
            name: of('register'),
            address,
            ...numbers,
            access: (of('access').toLowerCase() || 'rw') as Access,
            ...about,
            fields: [],
          },
        });
    }
  }
  if (placed.length === 0 && problems.length === 0 && body.length > 0)
    problems.push({ where: '', problem: 'no-table', what: '' });
  const map = {
    name,
    registers: placed.map(({ register, fields }) => ({
      ...register,
      fields: fields.map(({ field }) => field),
    })),
  };
  if (problems.length === 0)
    for (const { problem, register, field, what } of mapProblems(map)) {
      const from = register === undefined ? undefined : placed[register];
      problems.push({
        where: (field === undefined ? from?.line : from?.fields[field]?.line) ?? '',
        problem,
        what,
      });
    }
  return problems.length > 0 ? { problems } : { map: inOrder(map) };
}
