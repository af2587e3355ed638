import Type from 'typebox';
import { checkOf } from '../contract/check.ts';
import { readTable } from '../contract/csv.ts';
import { MAX_WORDS_OF_REGISTER, type Register, type RegisterMap } from '../contract/designs/register-map.ts';
import type { CsrMap } from '../contract/nodes/csr.ts';
import { fileProblem, MapDraft, type ReadMap } from './draft.ts';
import { hexAddress, numberIn } from './numbers.ts';

/** End of the design's address range and begin of the bench's own registers (docs/gateware.md). */
const DESIGN_BYTES = 0xf000_0000;

/** The peripheral of a map's registers. */
const PERIPHERAL = 'design';

/** A name in the form of LiteX's tools. */
const csrName = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]+/g, '_');

/** The registers of a map in LiteX's form; where two names become equal, the second gets its address appended. */
export function csrRegisters({ registers }: RegisterMap): CsrMap['csr_registers'] {
  const named: CsrMap['csr_registers'] = {};
  for (const { name, address, words = 1, access } of registers.filter((one) => one.address < DESIGN_BYTES)) {
    const plain = `${PERIPHERAL}_${csrName(name)}`;
    const unique = plain in named ? `${plain}_${address.toString(16)}` : plain;
    // LiteX has no write-only registers.
    named[unique] = { addr: address, size: words, type: access === 'ro' ? 'ro' : 'rw' };
  }
  return named;
}

const CONSTANTS = {
  config_csr_data_width: 32,
  config_csr_alignment: 32,
} as const;

/** The map as LiteX's csr.json (enjoy-digital/litex, litex/soc/integration/export.py). */
export function writeCsrJson(map: RegisterMap): string {
  const file: CsrMap = {
    csr_bases: { [PERIPHERAL]: 0 },
    csr_registers: csrRegisters(map),
    constants: CONSTANTS,
    memories: {},
  };
  return `${JSON.stringify(file, null, 2)}\n`;
}

/** The same as csr.csv: five fields a line. */
export function writeCsrCsv(map: RegisterMap): string {
  const lines = [
    `csr_base,${PERIPHERAL},${hexAddress(0)},,`,
    ...Object.entries(csrRegisters(map)).map(
      ([name, { addr, size, type }]) => `csr_register,${name},${hexAddress(addr)},${size},${type}`,
    ),
    ...Object.entries(CONSTANTS).map(([name, value]) => `constant,${name},${value},,`),
  ];
  return `${lines.join('\n')}\n`;
}

interface LitexRegister {
  name: string;
  address: number | null;
  words: number | null;
  access: string;
  line: number | null;
}

/** @param bases names of the peripherals */
function take(registers: Iterable<LitexRegister>, bases: ReadonlySet<string>, name: string): ReadMap {
  const draft = new MapDraft();
  for (const { name: full, address, words, access, line } of registers) {
    // The bench's own registers, in a file that it wrote for a node.
    if (address !== null && address >= DESIGN_BYTES && /^(?:wishbench|identifier_mem)_/.test(full)) continue;
    const own =
      bases.has(PERIPHERAL) && full.startsWith(`${PERIPHERAL}_`) ? full.slice(PERIPHERAL.length + 1) : full;
    if (address === null) draft.say(line, `the address of ${own.slice(0, 64)} is not a number`);
    else if (words === null || words < 1 || words > MAX_WORDS_OF_REGISTER)
      draft.say(
        line,
        `the size of ${own.slice(0, 64)} is not a number of words from 1 to ${MAX_WORDS_OF_REGISTER}`,
      );
    else {
      const register: Register = {
        name: own,
        address,
        ...(words > 1 ? { words } : {}),
        access: access === 'ro' ? 'ro' : 'rw',
        fields: [],
      };
      if (!draft.add(register, line)) break;
    }
  }
  if (draft.size === 0 && draft.problems.length === 0) draft.say(null, 'it has no registers');
  return draft.finish(name);
}

const narrow = (width: number | null): ReadMap | null =>
  width === null || width === 32
    ? null
    : {
        problems: [
          fileProblem(null, `its registers are split into words of ${width} bits; only 32 are read`),
        ],
      };

const isCsrFile = checkOf(
  Type.Object({
    csr_bases: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    csr_registers: Type.Record(
      Type.String(),
      Type.Object({
        addr: Type.Integer(),
        size: Type.Optional(Type.Integer()),
        type: Type.Optional(Type.String()),
      }),
    ),
    constants: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  }),
);

/** True for a value that looks like a csr.json, even one with errors. */
export const looksLikeCsrJson = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'csr_registers' in value;

/** Reads the registers of a LiteX SoC from its csr.json. */
export function readCsrJson(value: unknown, name: string): ReadMap {
  if (!isCsrFile(value)) return { problems: [fileProblem(null, 'it is not a csr.json of LiteX')] };
  const width = value.constants?.['config_csr_data_width'];
  const registers = Object.entries(value.csr_registers).map(([full, { addr, size = 1, type = 'rw' }]) => ({
    name: full,
    address: addr,
    words: size,
    access: type,
    line: null,
  }));
  return (
    narrow(typeof width === 'number' ? width : null) ??
    take(registers, new Set(Object.keys(value.csr_bases ?? {})), name)
  );
}

/** Reads the registers of a LiteX SoC from its csr.csv. */
export function readCsrCsv(text: string, name: string): ReadMap {
  const table = readTable(text);
  if ('quote' in table) return { problems: [fileProblem(table.quote, 'a quotation mark is not closed')] };
  const { rows } = table;
  const width = rows.find(({ cells }) => cells[0] === 'constant' && cells[1] === 'config_csr_data_width');
  const bases = rows.filter(({ cells }) => cells[0] === 'csr_base').map(({ cells }) => cells[1] ?? '');
  const registers = rows
    .filter(({ cells }) => cells[0] === 'csr_register')
    .map(({ line, cells: [, full = '', address = '', words = '', access = ''] }) => ({
      name: full,
      address: numberIn(address),
      words: numberIn(words || '1'),
      access,
      line,
    }));
  return narrow(width ? numberIn(width.cells[2] ?? '') : null) ?? take(registers, new Set(bases), name);
}
