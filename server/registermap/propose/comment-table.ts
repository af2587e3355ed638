import type { BitField, Register } from '../../contract/designs/register-map.ts';
import {
  accessAt,
  accessAtEnd,
  consistent,
  fieldLine,
  fieldsWithin,
  isCapitalName,
  isName,
  isReserved,
} from './phrases.ts';
import type { CommentLine } from './source-text.ts';

/** A row of a table of registers. */
export interface Row {
  name: string;
  /** As written, in bytes or in words. */
  address: number;
  /** For a range, its last address as written. */
  last: number | undefined;
  access: Register['access'] | undefined;
  description: string;
  /** Fields on lines of their own below it. */
  fields: BitField[];
  /** Fields within its description. */
  mentioned: BitField[];
  line: number;
}

/** A block of comment lines that describes registers. */
export interface CommentTable {
  rows: Row[];
  /** First and last line of the comment. */
  first: number;
  last: number;
}

/** Maximum rows of one table; more are data. */
const MAX_ROWS = 512;
/** Characters of a line that are read. */
const MAX_LINE_LENGTH = 600;

const ADDRESS =
  /^\+?(?:0x([0-9a-f_]{1,10})|\d{0,2}'h([0-9a-f_]{1,10})|x"([0-9a-f_]{1,9})"|16#([0-9a-f_]{1,9})#|([0-9][0-9a-f]{0,7})h)(?![\w'])/i;

function addressAt(text: string): { address: number; rest: string } | null {
  const match = ADDRESS.exec(text);
  if (!match) return null;
  const digits = (match[1] ?? match[2] ?? match[3] ?? match[4] ?? match[5] ?? '').replaceAll('_', '');
  const address = Number.parseInt(digits, 16);
  return digits.length > 8 || Number.isNaN(address) ? null : { address, rest: text.slice(match[0].length) };
}

/** A line without its frame of stars, dashes and bars; bars between columns become wide spaces. */
const plainLine = (text: string): string =>
  text
    .slice(0, MAX_LINE_LENGTH)
    .replace(/\t/g, '    ')
    .replaceAll('|', '   ')
    .replace(/^[\s*#!>+=/-]{0,100}/, '')
    .replace(/[\s*#/]{1,100}$/, '');

const LABEL = /^(?:address|addr|offset|register|reg)\s?[:=@]?\s{1,4}(?=[0+'x]|\d)/i;
const SEPARATOR = /^(?:\s{0,20}(?:[:=–—@]|-{1,2}>?|=>)\s{1,20}|\s{1,80}|:\s{0,20})/;
const RANGE = /^\s?(?:-|–|\.\.\.?|to|:)\s?/;

interface Found {
  row: Omit<Row, 'line' | 'fields' | 'mentioned'>;
}

/** A range after an address: `0x10-0x1C`, `0x10 .. 0x1C`. */
function rangeAt(text: string): { last: number; rest: string } | null {
  const sign = RANGE.exec(text);
  const second = sign && addressAt(text.slice(sign[0].length));
  return second ? { last: second.address, rest: second.rest } : null;
}

/** The row in a line; `skip` for a reserved register; null where there is none. */
function rowOf(text: string): Found | 'skip' | null {
  const line = text.replace(LABEL, '');
  const first = addressAt(line);
  if (first) {
    const range = rangeAt(first.rest);
    return named(first.address, range?.last, range?.rest ?? first.rest);
  }
  // The name first: `CTRL  0x04  rw  …`, `CTRL @ 0x04`.
  const [name = ''] = /^[A-Za-z_]\w{0,63}/.exec(line) ?? [];
  const separator = SEPARATOR.exec(line.slice(name.length));
  if (!isName(name) || !separator) return null;
  const rest = line.slice(name.length + separator[0].length);
  const address = addressAt(rest.replace(/^(?:[([]|@\s?)/, ''));
  if (!address) return null;
  const range = rangeAt(address.rest);
  return described(name, address.address, range?.last, (range?.rest ?? address.rest).replace(/^[)\]]/, ''));
}

function named(address: number, last: number | undefined, text: string): Found | 'skip' | null {
  const separator = SEPARATOR.exec(text);
  if (!separator) return null;
  let rest = text.slice(separator[0].length);
  const access = accessAt(rest);
  if (access) rest = access.rest.replace(SEPARATOR, '');
  const [name = ''] = /^[A-Za-z_]\w{0,63}/.exec(rest) ?? [];
  if (isReserved(name)) return 'skip';
  // After an access, a sentence may stand instead of a name.
  if (!(access ? isCapitalName(name) : isName(name))) return null;
  return described(name, address, last, rest.slice(name.length), access?.access);
}

function described(
  name: string,
  address: number,
  last: number | undefined,
  text: string,
  known?: Register['access'],
): Found | 'skip' | null {
  if (isReserved(name)) return 'skip';
  if (!/^(?:$|[\s:,;(–-]|\[(?:r|w))/i.test(text)) return null;
  const start = text.replace(/^[\s:,;–—-]{1,80}/, '');
  // A single word is an access only in a column of its own or in brackets.
  const found = known ? null : (accessAt(start) ?? accessAtEnd(text));
  const access = known ?? found?.access;
  if (access === undefined && !(isCapitalName(name) && /^(?:$|\s{2}|\s?[:,;(–-]|\s[–-])/.test(text)))
    return null;
  const description = (found?.rest ?? start).replace(/^[\s:,;–—-]{1,80}/, '').trim();
  return { row: { name, address, last, access: bothWays(access, description), description } };
}

/** `write  adds a word; read: the last one` is both. */
function bothWays(
  access: Register['access'] | undefined,
  description: string,
): Register['access'] | undefined {
  if (access === 'wo' && /[;,.]\s?(?:read|reading)\b\s?[:=]/i.test(description)) return 'rw';
  if (access === 'ro' && /[;,.]\s?(?:write|writing)\b/i.test(description)) return 'rw';
  return access;
}

/** Words that identify a block as a register table. */
const SAYS_REGISTERS = /\b(?:registers?|reg(?:ister)? ?map|memory map|address map|offsets?|csr)\b/i;

/**
 * Tables of registers in comments: lines of an address and a name in either order. They need accesses, or at least two
 * rows below a heading about registers. Addresses are hex numbers, which excludes most other lists.
 */
export function commentTables(comments: readonly CommentLine[]): CommentTable[] {
  const tables: CommentTable[] = [];
  let block: CommentLine[] = [];
  const end = () => {
    const table = tableOf(block);
    if (table) tables.push(table);
    block = [];
  };
  for (const one of comments) {
    if (one.trailing) continue;
    const before = block.at(-1);
    if (before && one.line > before.line + 1) end();
    block.push(one);
  }
  end();
  return tables;
}

function tableOf(block: readonly CommentLine[]): CommentTable | null {
  const [first] = block;
  if (!first) return null;
  const rows: Row[] = [];
  let open: Row | null = null;
  let skipped = 0;
  for (const { text, line } of block) {
    const plain = plainLine(text);
    if (plain === '') continue;
    const found = rowOf(plain);
    if (found === 'skip') {
      open = null;
      skipped++;
    } else if (found) {
      open = { ...found.row, line, fields: [], mentioned: [] };
      rows.push(open);
      if (rows.length > MAX_ROWS) return null;
    } else if (open) {
      const field = fieldLine(plain);
      if (field && field !== 'reserved') open.fields.push(field);
    }
  }
  const says = block.some(({ text }) => SAYS_REGISTERS.test(text.slice(0, MAX_LINE_LENGTH)));
  const sure = rows.filter(({ access }) => access !== undefined).length;
  // Without accesses it may be a list of commands or of states.
  if (rows.length === 0 || (sure < rows.length && !(says && rows.length + skipped > 1))) return null;
  for (const row of rows) {
    row.fields = consistent(row.fields);
    row.mentioned = consistent(fieldsWithin(row.description));
  }
  return { rows: withoutRepeated(rows), first: first.line, last: block.at(-1)?.line ?? first.line };
}

/** Rows without repeated addresses and names: a map has each once. */
function withoutRepeated(rows: readonly Row[]): Row[] {
  const count = (key: (row: Row) => string | number) => {
    const counts = new Map<string | number, number>();
    for (const row of rows) counts.set(key(row), (counts.get(key(row)) ?? 0) + 1);
    return (row: Row) => counts.get(key(row)) === 1;
  };
  const [oneAddress, oneName] = [count(({ address }) => address), count(({ name }) => name.toLowerCase())];
  return rows.filter((row) => oneAddress(row) && oneName(row));
}
