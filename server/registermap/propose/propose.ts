import type { DecodedField, DecodedRegister } from '../../contract/designs/decoded-registers.ts';
import {
  type BitField,
  MAX_NAME_LENGTH,
  MAX_REGISTERS,
  MAX_VALUES,
  type Register,
  type RegisterMap,
} from '../../contract/designs/register-map.ts';
import type { MatchedDesign } from '../../contract/designs/uploads.ts';
import { descriptionOf } from '../draft.ts';
import { inOrder, mapProblems } from '../problems.ts';
import { type CommentTable, commentTables, type Row } from './comment-table.ts';
import { ConstantNames } from './constant-names.ts';
import { type Constants, takeConstants } from './constants.ts';
import { consistent, isName } from './phrases.ts';
import { type CommentLine, type SourceLanguage, splitSource } from './source-text.ts';
import { type Unit, unitsOf } from './units.ts';

/** A file of a design. */
export interface SourceFile {
  path: string;
  text: string;
  language: SourceLanguage;
}

/** Characters of a file that are read; a larger design consists mostly of tables of numbers. */
const MAX_CHARACTERS = 1 << 20;

interface ReadFile {
  path: string;
  language: SourceLanguage;
  code: string;
  comments: readonly CommentLine[];
  units: readonly Unit[];
}

function readFile({ path, text, language }: SourceFile): ReadFile {
  const { code, comments } = splitSource(text.slice(0, MAX_CHARACTERS), language);
  return { path, language, code, comments, units: unitsOf(code, language) };
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

/** The fields of a decoded register, with names of their values; none where a single one is the register. */
function fieldsOf({ fields }: DecodedRegister, names: ConstantNames, register: string): BitField[] {
  const all = consistent(
    fields.filter(({ name }) => IDENTIFIER.test(name)).map((field) => withValues(field, names)),
  );
  const [only] = all;
  if (all.length !== 1 || !only || only.values) return all;
  return same(only.name, register) || (only.lsb === 0 && only.msb > 0) ? [] : all;
}

function withValues({ name, msb, lsb, compared = [] }: DecodedField, names: ConstantNames): BitField {
  const values: Record<string, string> = {};
  for (const one of compared.slice(0, MAX_VALUES)) {
    const value = names.of([one])?.replace(/^`/, '');
    if (value !== undefined && value.length <= MAX_NAME_LENGTH) values[one.value] ??= value;
  }
  return { name, msb, lsb, ...(Object.keys(values).length > 1 && { values }) };
}

/** A name of the source that fits a map. */
const IDENTIFIER = /^[A-Za-z_]\w{0,63}$/;
const hexOf = (address: number): string => address.toString(16).toUpperCase().padStart(2, '0');

/** Registers from the decoder: named by the constants for their addresses, else by what they show. */
function decodedRegisters(
  decoded: readonly DecodedRegister[],
  names: ConstantNames,
  constants: Constants,
): Register[] {
  const named = decoded.map((one) => ({ one, constant: names.of(one.compared) }));
  const plain = plainNames(named.flatMap(({ constant }) => constant ?? []));
  const signalOf = ({ memory, fields }: DecodedRegister) =>
    memory ?? (fields.length === 1 && fields[0]?.lsb === 0 ? fields[0].name : undefined);
  const signals = named.map(({ one, constant }) => (constant === undefined ? signalOf(one) : undefined));
  return named.flatMap(({ one, constant }): Register[] => {
    const { address, words, access, fields, compared } = one;
    const place = compared.find(({ line }) => line !== undefined) ?? one;
    const signal = signalOf(one);
    const isShared = signals.filter((other) => other === signal).length > 1;
    const from =
      constant !== undefined
        ? (plain.get(constant) ?? constant)
        : signal !== undefined
          ? `${signal}${isShared ? `_${hexOf(address)}` : ''}`
          : `REG_${hexOf(address)}`;
    if (!IDENTIFIER.test(from) || (constant === undefined && signal === undefined && fields.length === 0))
      return [];
    const definition =
      constant === undefined ? undefined : (constants.get(constant) ?? constants.get(constant.toLowerCase()));
    const source = definition ?? (place.file !== undefined && place.line !== undefined ? place : null);
    const name = constant === undefined || from === from.toLowerCase() ? from.toUpperCase() : from;
    return [
      {
        name,
        address,
        ...(words !== undefined && words > 1 && { words }),
        access,
        fields: fieldsOf(one, names, name),
        ...(source && { source: { file: source.file ?? '', line: source.line ?? 1 } }),
        proposed: true,
      },
    ];
  });
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
 * register is `proposed`, and has its source line where that is known.
 * @param matched the matched module and what its logic decodes; null where unknown, then only comments count
 */
export function proposeMap(
  files: readonly SourceFile[],
  matched: MatchedDesign | null,
  name: string,
): RegisterMap {
  const read = files.map(readFile);
  const module = matched?.module.replace(/^\\/, '');
  const own =
    read.find(({ units }) => units.some((unit) => same(unit.name, module ?? ''))) ??
    (read.length === 1 ? read[0] : undefined);
  const constants: Constants = new Map();
  for (const { code, language, path } of read) takeConstants(code, language, path, constants);
  const names = new ConstantNames(constants, read);
  const decoded = matched?.registers ?? [];
  const found = certain(decodedRegisters(decoded, names, constants));

  const reach = matched ? reachOf(matched) : 2 ** 32;
  const rows = (own ? tablesOf(own, module) : [])
    .flatMap(({ rows: some }) => byteAddresses(some, matched) ?? [])
    .filter(({ address, last = address }) => last < reach && last >= address)
    .map((row) => {
      const code = decoded.find(({ address }) => address === row.address);
      return registerOf(row, own?.path ?? '', code ? fieldsOf(code, names, row.name) : []);
    });
  const all = together(certain(rows), found);
  return inOrder({ name, registers: certain(all).slice(0, MAX_REGISTERS) });
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
