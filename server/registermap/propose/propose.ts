import type { BitField, Register, RegisterMap } from '../../contract/designs/register-map.ts';
import type { MatchedDesign } from '../../contract/designs/uploads.ts';
import { descriptionOf } from '../draft.ts';
import { inOrder, mapProblems } from '../problems.ts';
import { mergedFields } from './access-fields.ts';
import type { Bus } from './bus-signals.ts';
import { type CommentTable, commentTables, type Row } from './comment-table.ts';
import { type Constant, type Constants, takeConstants, takeDefines } from './constants.ts';
import { type Decoded, type Decoder, DecoderReader } from './decoder.ts';
import { isName } from './phrases.ts';
import { type CommentLine, type SourceLanguage, splitSource } from './source-text.ts';
import { type CodeToken, codeTokens } from './verilog-tokens.ts';
import { vhdlAsVerilog } from './vhdl-code.ts';

/** A file of a design. */
export interface SourceFile {
  path: string;
  text: string;
  language: SourceLanguage;
}

/** Characters of a file that are read; a larger design consists mostly of tables of numbers. */
const MAX_CHARACTERS = 1 << 20;

/** The extent of the code that a comment may describe. */
interface Unit {
  name: string;
  /** Line of its head, and of its end. */
  head: number;
  end: number;
  tokens: readonly CodeToken[];
}

interface ReadFile {
  path: string;
  comments: readonly CommentLine[];
  units: readonly Unit[];
  /** Code outside of all modules: packages, headers. */
  outside: readonly CodeToken[];
}

function unitsOf(tokens: readonly CodeToken[]): { units: Unit[]; outside: CodeToken[] } {
  const units: Unit[] = [];
  const outside: CodeToken[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at];
    if (token?.kind !== 'name' || (token.text !== 'module' && token.text !== 'macromodule')) {
      if (token) outside.push(token);
      continue;
    }
    let end = at;
    while (end < tokens.length && tokens[end]?.text !== 'endmodule') end++;
    const skips = tokens[at + 1]?.text === 'automatic' || tokens[at + 1]?.text === 'static' ? 2 : 1;
    units.push({
      name: tokens[at + skips]?.text ?? '',
      head: token.line,
      end: tokens[end]?.line ?? Number.POSITIVE_INFINITY,
      tokens: tokens.slice(at, end),
    });
    at = end;
  }
  return { units, outside };
}

function readFile({ path, text, language }: SourceFile, defines: Constants): ReadFile {
  const { code, comments } = splitSource(text.slice(0, MAX_CHARACTERS), language);
  if (language === 'python') {
    // A comment describes a class, and a file has one design.
    return { path, comments, units: [], outside: [] };
  }
  const tokens =
    language === 'vhdl' ? vhdlAsVerilog(code) : codeTokens(takeDefines(code, path, defines, codeTokens));
  return { path, comments, ...unitsOf(tokens) };
}

/** The unit that a comment describes: the one around it, else the next one; null where there is none. */
const unitAt = (units: readonly Unit[], { first, last }: CommentTable): Unit | null =>
  units.find(({ head, end }) => head <= first && first <= end) ??
  units.find(({ head }) => head >= last) ??
  null;

/** Tables about the module; in a file with a single module, all of them. */
function tablesOf({ comments, units }: ReadFile, module: string | undefined): CommentTable[] {
  const tables = commentTables(comments);
  if (units.length <= 1) return tables;
  return module === undefined ? [] : tables.filter((table) => unitAt(units, table)?.name === module);
}

/** Byte addresses of rows: as written, or times four where only words can be meant; null where uncertain. */
function byteAddresses(rows: readonly Row[], matched: MatchedDesign | null): Row[] | null {
  const words = rows.some(
    ({ address, last = address }) => address % 4 !== 0 || (last % 4 !== 0 && last % 4 !== 3),
  );
  if (!words) return [...rows];
  if (matched?.addressing !== 'word') return null;
  return rows.map((row) => ({
    ...row,
    address: 4 * row.address,
    last: row.last === undefined ? undefined : 4 * row.last,
  }));
}

/** Bytes that the bus address covers. */
function reachOf({ addressWidth, addressing, roles, ports }: MatchedDesign): number {
  const low = ports.find(({ name }) => name === roles['adr'])?.offset ?? 0;
  return 2 ** Math.min(32, addressWidth + (addressing === 'word' ? 2 : low));
}

const registerOf = (row: Row, file: string, code: BitField[]): Register => {
  const fields = [row.fields, code, row.mentioned];
  const words = row.last === undefined ? 1 : Math.floor((row.last - row.address) / 4) + 1;
  return {
    name: row.name,
    address: row.address,
    ...(words > 1 ? { words } : {}),
    access: row.access ?? 'rw',
    ...descriptionOf(row.description),
    // Prefer names from the code to words of a sentence.
    fields: fields.find((some) => some.length > 0) ?? [],
    source: { file, line: row.line },
    proposed: true,
  };
};

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** Prefixes and suffixes that mark constants as addresses. */
const AFFIXES = [
  /^(?:[CPK]_)?(?:REG|ADDR|ADR|OFFSET|OFFS|OFF|CSR|A|R)_/i,
  /_(?:REG|ADDR|ADR|ADDRESS|OFFSET|OFFS|OFF)$/i,
];

/** Names without a common address prefix or suffix. */
function plainNames(names: readonly string[]): Map<string, string> {
  let plain = names.map((name) => name.replace(/^`/, ''));
  for (const affix of AFFIXES)
    if (plain.length > 0 && plain.every((name) => affix.test(name) && isName(name.replace(affix, ''))))
      plain = plain.map((name) => name.replace(affix, ''));
  return new Map(names.map((name, at) => [name, plain[at] ?? name]));
}

/** The access to an address, as far as the code shows it. */
function accessOf({ read, written }: Decoded, { reads, writes }: Decoder): Register['access'] {
  if (read && !written && writes) return 'ro';
  if (written && !read && reads) return 'wo';
  return 'rw';
}

/** The fields at an address in the code; none where a single one is the register. */
function fieldsAt(decoder: Decoder, address: number, name: string, width: number): BitField[] {
  const here = decoder.decoded.filter((one) => one.address === address);
  const fields = mergedFields(here.flatMap((one) => one.fields))
    .filter(({ msb }) => msb < width)
    .map((field) => decoder.names.withNames(field));
  if (fields.length === 1 && fields[0] && !fields[0].values && same(fields[0].name, name)) return [];
  if (fields.length > 0) return fields;
  // A single signal is the register; only a field can have value names.
  const signal = here.find((one) => one.signal !== undefined)?.signal;
  const named = signal === undefined ? undefined : decoder.names.of(signal);
  return signal !== undefined && named && named.width <= width
    ? [{ name: signal, msb: named.width - 1, lsb: 0, values: named.values }]
    : [];
}

/** Registers from decoded addresses: names of constants, else of the signals that are read. */
function decodedRegisters(decoder: Decoder, constants: Constants, file: string, width: number): Register[] {
  const named = decoder.decoded.filter(({ name }) => name !== undefined);
  const chosen = named.length > 0 ? named : decoder.decoded;
  const names = plainNames(chosen.flatMap(({ name, signal }) => name ?? signal ?? []));
  return chosen.flatMap((one): Register[] => {
    const from = one.name ?? one.signal;
    const plain = from === undefined ? undefined : names.get(from);
    if (from === undefined || plain === undefined || !isName(plain)) return [];
    const constant: Constant | undefined = one.name === undefined ? undefined : constants.get(one.name);
    // VHDL is case-insensitive, and register names are in capitals.
    const name = one.name === undefined || plain === plain.toLowerCase() ? plain.toUpperCase() : plain;
    return [
      {
        name,
        address: one.address,
        access: accessOf(one, decoder),
        fields: fieldsAt(decoder, one.address, name, width),
        source: constant ? { file: constant.file, line: constant.line } : { file, line: one.line },
        proposed: true,
      },
    ];
  });
}

function busOf({ roles, ports, addressing, addressWidth }: MatchedDesign): Bus | null {
  const address = roles['adr'];
  const port = ports.find(({ name }) => name === address);
  if (address === undefined || !port) return null;
  return {
    address,
    addressLow: port.offset,
    addressBit: addressing === 'word' ? 2 : port.offset,
    addressWidth,
    dataIn: roles['dat_w'],
    dataOut: roles['dat_r'],
  };
}

/**
 * Merges comments and code. Comments come first, since they were written for people. A register that both place
 * differently is dropped.
 */
function together(rows: readonly Register[], decoded: readonly Register[]): Register[] {
  const contradicted = (row: Register) =>
    decoded.some(({ name, address }) => same(name, row.name) && address !== row.address);
  const kept = rows.filter((row) => !contradicted(row));
  const covers = ({ address, words = 1 }: Register, at: number) => at >= address && at < address + 4 * words;
  const added = decoded.filter(
    (one) => !rows.some((row) => covers(row, one.address) || same(row.name, one.name)),
  );
  return [...kept, ...added];
}

/** Registers without overlaps and repeated names: of conflicting ones none is taken. */
function certain(registers: readonly Register[]): Register[] {
  const map: RegisterMap = { name: 'map', registers: [...registers] };
  const doubtful = new Set<string | number>();
  for (const { loc } of mapProblems(map, [])) {
    const one = registers[Number(loc[1])];
    if (!one) continue;
    doubtful.add(one.name.toLowerCase()).add(one.address);
  }
  return registers.filter(({ name, address }) => !doubtful.has(name.toLowerCase()) && !doubtful.has(address));
}

/**
 * Infers the register map of a design from comments and its address decoder; empty where nothing is certain. Every
 * register is `proposed` and has its source line.
 * @param matched the matched module, its ports and its addressing; null where unknown, then only comments count
 */
export function proposeMap(
  files: readonly SourceFile[],
  matched: MatchedDesign | null,
  name: string,
): RegisterMap {
  const defines: Constants = new Map();
  const read = files.map((file) => readFile(file, defines));
  const module = matched?.module.replace(/^\\/, '');
  const own =
    read.find(({ units }) => units.some((unit) => unit.name === module)) ??
    (read.length === 1 ? read[0] : undefined);
  if (!own) return { name, registers: [] };
  const reach = matched ? reachOf(matched) : 2 ** 32;

  const width = matched?.dataWidth ?? 32;
  const bus = matched && busOf(matched);
  const unit = own.units.find((one) => one.name === module);
  const constants: Constants = new Map(defines);
  for (const { outside, path } of read) takeConstants(outside, path, constants);
  if (unit) takeConstants(unit.tokens, own.path, constants);
  const decoder = bus && unit ? new DecoderReader(unit.tokens, constants, bus).read() : null;
  const decoded = decoder ? decodedRegisters(decoder, constants, own.path, width) : [];

  const found = certain(decoded.filter(({ address }) => address % 4 === 0 && address < reach));
  const rows = tablesOf(own, module)
    .flatMap(({ rows: some }) => byteAddresses(some, matched) ?? [])
    .filter(({ address, last = address }) => last < reach && last >= address)
    .map((row) => registerOf(row, own.path, decoder ? fieldsAt(decoder, row.address, row.name, width) : []));
  const all = together(certain(rows), found);
  return inOrder({ name, registers: certain(all).slice(0, 4096) });
}

/** The inferred registers that a map lacks, by address and name, without dismissed ones. */
export function beyond(proposal: RegisterMap, kept: RegisterMap | null): RegisterMap {
  const covered = (address: number) =>
    kept?.registers.some(
      ({ address: first, words = 1 }) => address >= first && address < first + 4 * words,
    ) ?? false;
  const dismissed = new Set(kept?.dismissed);
  const names = new Set(kept?.registers.map(({ name }) => name.toLowerCase()));
  return {
    ...proposal,
    registers: proposal.registers.filter(
      ({ name, address }) => !covered(address) && !dismissed.has(address) && !names.has(name.toLowerCase()),
    ),
  };
}
