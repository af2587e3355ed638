import type { BitField, Register } from '../../contract/designs/register-map.ts';

type Access = Register['access'];

// All patterns are anchored or begin with a fixed character, and have no nested repetition.

const LONG_ACCESS =
  /^[([<]?\s?(?:read\s?[-/&]?\s?(?:and\s)?write|read[- ]?only|write[- ]?only|r\/w(?:1?[csC]|\/\w{1,5})?|rw1?[cs]?|r\/?w1[cs]|w1[cs]|r\/?o|w\/?o|r\/?c)(?:\/[A-Za-z]{1,6})?\s?[)\]>]?(?=$|[\s,:;.)\]|-])/i;
/** A single word counts only in a column of its own or in brackets, because a sentence may begin with it. */
const SHORT_ACCESS =
  /^(?:[([<]\s?(?:r|w|read|write)\s?[)\]>]|(?:r|w|read|write)(?=$|\s{2}|\t|\s?[:|,;–-]\s))/i;

/** The access at the beginning of a text, and the rest. */
export function accessAt(text: string): { access: Access; rest: string } | null {
  const found = LONG_ACCESS.exec(text)?.[0] ?? SHORT_ACCESS.exec(text)?.[0];
  if (found === undefined) return null;
  return { access: accessOf(found), rest: text.slice(found.length) };
}

/** The same in brackets at the end of a text: `… (RO)`, `… [read/write]`. */
export function accessAtEnd(text: string): { access: Access; rest: string } | null {
  const open = Math.max(text.lastIndexOf('('), text.lastIndexOf('['));
  if (open < 0) return null;
  const found = accessAt(text.slice(open));
  return found && found.rest.trim() === '' ? { access: found.access, rest: text.slice(0, open) } : null;
}

function accessOf(words: string): Access {
  const plain = words.toLowerCase().replace(/[^a-z1/]/g, '');
  if (/^(?:r|read|ro|r\/o|readonly|rc|r\/c)$/.test(plain)) return 'ro';
  if (/^(?:w|write|wo|w\/o|writeonly|w1c|w1s)$/.test(plain)) return plain.startsWith('w1') ? 'rw' : 'wo';
  return 'rw';
}

/** Words that begin or join sentences; in capitals they are names. */
const OF_SENTENCES = new Set(
  'a an and any are as at be both but by can clears do does each else for from has have if in is it its must no not of off on one only or per reads set sets starts stops the then this to until via was when where which while will with writes writing reading todo fixme note see'.split(
    ' ',
  ),
);
/** Column headings and access words in any case, and words that are names only in capitals. */
const OF_TABLES = new Set(
  'read write r w rw ro wo register registers address addr offset name field description access'.split(' '),
);
const OF_UNITS = new Set('bit bits byte bytes word words base reset default value values type'.split(' '));

/** Names of reserved registers and fields. */
export const isReserved = (name: string): boolean =>
  /^(?:reserved|rsvd|rsv|unused|res|none|n\/?a)$/i.test(name);

export const isName = (word: string): boolean =>
  /^[A-Za-z_]\w{0,63}$/.test(word) &&
  /[A-Za-z]/.test(word) &&
  !OF_TABLES.has(word.toLowerCase()) &&
  !OF_SENTENCES.has(word) &&
  !OF_UNITS.has(word);

/** A name in capitals, as register names are and words of sentences are not. */
export const isCapitalName = (word: string): boolean => isName(word) && /^[A-Z][A-Z0-9_]+$/.test(word);

/** A name at the beginning of a text, if the following text confirms it; and the rest. */
function fieldName(text: string): { name: string; rest: string } | null {
  const [word = ''] = /^[A-Za-z_]\w{0,63}/.exec(text) ?? [];
  const rest = text.slice(word.length);
  if (!isName(word)) return null;
  if (isCapitalName(word) && /^(?:$|[\s:,;.(=–-])/.test(rest)) return { name: word, rest };
  if (/^(?:$|\s?[:=–(]|\s-\s|\s{2}|\t|\s?[,;.])/.test(rest)) return { name: word, rest };
  const access = accessAt(rest.trimStart());
  if (access && rest.startsWith(' ')) return { name: word, rest };
  // A name of a few words: `bad stop bit`, `loop-back`.
  const [phrase = ''] = /^[^,;.:()[\]=]{1,40}/.exec(text) ?? [];
  const words = phrase.trim().split(/[\s-]+/);
  if (
    words.length > 3 ||
    !words.every(
      (one, at) => /^\w+$/.test(one) && (isName(one) || (at > 0 && /^(?:bit|mode|\d+)$/i.test(one))),
    )
  )
    return null;
  return { name: words.join('_'), rest: text.slice(phrase.length) };
}

/** Names of values: `0=off, 1 = on`, `0: off 1: on`. At least two, or nothing. */
function valuesIn(text: string, width: number): Record<string, string> | null {
  const values: Record<string, string> = {};
  for (const [, number = '', name = ''] of text.matchAll(
    /(?:^|[\s,;(])(\d{1,4})\s?[=:]\s?([A-Za-z]\w{0,31})/g,
  ))
    if (Number(number) < 2 ** width) values[String(Number(number))] ??= name;
  return Object.keys(values).length > 1 ? values : null;
}

const separators = (text: string): string => text.replace(/^[\s:,=–—|-]{1,20}/, '');

/** The text after a field's bits: its name, its access, its description. */
function fieldOf(msb: number, lsb: number, text: string): BitField | null {
  if (msb > 31 || msb < lsb) return null;
  const start = separators(text);
  const before = accessAt(start);
  const named = fieldName(before ? separators(before.rest) : start);
  if (!named || isReserved(named.name)) return null;
  let rest = separators(named.rest);
  const access = before ?? accessAt(rest) ?? accessAtEnd(rest);
  if (access && access !== before) rest = separators(access.rest);
  const description = rest
    .replace(/^[(\s]*/, '')
    .replace(/[\s.;,)]*$/, '')
    .trim();
  const values = valuesIn(rest, msb - lsb + 1);
  return {
    name: named.name,
    msb,
    lsb,
    ...(access ? { access: access.access } : {}),
    ...(description === '' ? {} : { description: description.slice(0, 500) }),
    ...(values ? { values } : {}),
  };
}

const BITS_FIRST =
  /^(?:bits?\s?\[?\s?(\d{1,2})(?:\s?(?::|-|\.\.|to)\s?(\d{1,2}))?\]?|\[(\d{1,2})(?:\s?(?::|\.\.)\s?(\d{1,2}))?\]|(\d{1,2}):(\d{1,2})(?=[\s|]))/i;
const NAME_FIRST = /^([A-Za-z_]\w{0,63})\s?\[(\d{1,2})(?::(\d{1,2}))?\](?!\s?\[)/;

/** The field in a line of comment; null where there is none, `reserved` for a reserved one. */
export function fieldLine(text: string): BitField | 'reserved' | null {
  const bits = BITS_FIRST.exec(text);
  if (bits) {
    const high = Number(bits[1] ?? bits[3] ?? bits[5]);
    const low = Number(bits[2] ?? bits[4] ?? bits[6] ?? high);
    const rest = text.slice(bits[0].length);
    if (isReserved(/^\w+/.exec(separators(rest))?.[0] ?? '')) return 'reserved';
    return fieldOf(Math.max(high, low), Math.min(high, low), rest);
  }
  const named = NAME_FIRST.exec(text);
  if (!named) return null;
  const [all, name = '', high, low] = named;
  if (isReserved(name)) return 'reserved';
  if (!isCapitalName(name)) return null;
  return fieldOf(Number(high), Number(low ?? high), `${name} ${text.slice(all.length)}`);
}

/** Fields within a sentence: `bit 0 received, bit 1 sending`, `[0] EN, [3:1] MODE`. */
export function fieldsWithin(text: string): BitField[] {
  const fields: BitField[] = [];
  const mentions = [
    ...text.matchAll(
      /\bbits?\s(\d{1,2})(?:\s?(?::|-|to)\s?(\d{1,2}))?|\[(\d{1,2})(?::(\d{1,2}))?\](?=\s?=?\s?[A-Za-z_])/gi,
    ),
  ];
  for (const [at, mention] of mentions.entries()) {
    const high = Number(mention[1] ?? mention[3]);
    const low = Number(mention[2] ?? mention[4] ?? high);
    const end = mentions[at + 1]?.index ?? text.length;
    const rest = text.slice(mention.index + mention[0].length, end);
    // `bit 0, 1 after reset`: the following text has another subject.
    const field = /^\s?[,;.]/.test(rest) ? null : fieldOf(Math.max(high, low), Math.min(high, low), rest);
    if (field) fields.push(field);
  }
  return fields;
}

/** The fields, if none overlap and no name repeats, else none: then they were misread. */
export function consistent(fields: readonly BitField[]): BitField[] {
  const names = new Set(fields.map(({ name }) => name.toLowerCase()));
  let taken = 0;
  for (const { msb, lsb } of fields) {
    const bits = (2 ** (msb + 1) - 2 ** lsb) >>> 0;
    if ((taken & bits) !== 0) return [];
    taken |= bits;
  }
  return names.size === fields.length ? [...fields] : [];
}
