import type { BitField, Register } from '../contract/designs/register-map.ts';
import type { MapDraft } from './draft.ts';
import { exactly, integerIn } from './numbers.ts';
import { childOf, textIn, type XmlElement } from './xml.ts';

/** Access to a register; `none` is IP-XACT's no-access. */
export type XmlAccess = Register['access'] | 'none';

/** Accesses by their SVD and IP-XACT names. */
const ACCESSES: Readonly<Record<string, XmlAccess>> = {
  'read-only': 'ro',
  'write-only': 'wo',
  writeOnce: 'wo',
  'read-write': 'rw',
  'read-writeOnce': 'rw',
  'no-access': 'none',
};

/** The element's own access; undefined where it has none, or, with a warning, an invalid one. */
export function accessIn(draft: MapDraft, element: XmlElement): XmlAccess | undefined {
  const inner = childOf(element, 'access');
  if (!inner) return undefined;
  const text = inner.text.trim();
  const access = Object.hasOwn(ACCESSES, text) ? ACCESSES[text] : undefined;
  if (!access) draft.say(inner.line, `access is “${text.slice(0, 40)}”, which is not in the standard`);
  return access;
}

/** The access to a register, from those of its fields; undefined without fields. */
export function accessOfAll(all: Iterable<Register['access']>): Register['access'] | undefined {
  const [one, ...others] = new Set(all);
  return others.length > 0 ? 'rw' : one;
}

/**
 * The integer in a child element; undefined where it is missing, or, with a warning, invalid.
 * @param value evaluates a text
 */
export function integerOf(
  draft: MapDraft,
  element: XmlElement,
  name: string,
  value: (text: string) => bigint | null = integerIn,
): bigint | undefined {
  const inner = childOf(element, name);
  if (!inner) return undefined;
  const integer = value(inner.text);
  if (integer === null || integer < 0n)
    draft.say(inner.line, `${name} is “${inner.text.trim().slice(0, 40)}”, which is not a number`);
  return integer === null || integer < 0n ? undefined : integer;
}

/** The same as a number that a double holds exactly. */
export function numberOf(
  draft: MapDraft,
  element: XmlElement,
  name: string,
  value: (text: string) => bigint | null = integerIn,
): number | undefined {
  const integer = integerOf(draft, element, name, value);
  const number = exactly(integer ?? null);
  if (integer !== undefined && number === null)
    draft.say(childOf(element, name)?.line ?? element.line, `${name} is too large`);
  return number ?? undefined;
}

/** An identifier in the form that SVD and IP-XACT require. */
export const identifier = (name: string): string => {
  const plain = name.replace(/\W+/g, '_');
  return /^[A-Za-z_]/.test(plain) ? plain : `_${plain}`;
};

/**
 * The name of an element. The standards allow identifiers only. The bench writes other names as a `displayName` that
 * maps to the identifier; any other `displayName` is only text.
 */
export function nameOf(element: XmlElement, marks = /\[/): string {
  const name = textIn(element, 'name') ?? '';
  const display = textIn(element, 'displayName') ?? '';
  return marks.test(display) && identifier(display) === name ? display : name;
}

/** Names one value of a field; a second name is dropped with a warning. */
export function nameValue(
  draft: MapDraft,
  values: Record<string, string>,
  value: string,
  name: string,
  { line, place }: { line: number; place: string },
): void {
  if (values[value] !== undefined && values[value] !== name)
    draft.note(
      line,
      `${place}.${name}`,
      'is not read: its value already has a name, and a map has one name per value; write the number',
    );
  values[value] ??= name;
}

/** The warning for a field in a register of several words. */
export const WIDE_FIELD =
  'is not read: it is above bit 31 of a register of several words, and a field lies within one word; read the word and extract its bits';

/** True, with a warning, for a register that is part of a word and so not in the map. */
export function isWithinWord(
  draft: MapDraft,
  { name, line, size, address }: { name: string; line: number; size: number; address: number },
): boolean {
  const isPart = size < 32 && address % 4 !== 0;
  if (isPart)
    draft.note(
      line,
      name,
      'is not read: it does not start at a 32-bit word, and a map has whole words; describe the word as one register with these as its fields',
    );
  return isPart;
}

const WORD = 0xffff_ffffn;

/**
 * The reset value of a register, if its mask covers every field bit, or every bit without fields. Otherwise it is
 * dropped with a warning.
 */
export function resetOf(
  draft: MapDraft,
  { name, line, size, fields }: { name: string; line: number; size: number; fields: readonly BitField[] },
  reset: { value: bigint; mask: bigint } | undefined,
): { reset?: number } {
  if (reset === undefined) return {};
  const below = (count: number): bigint => (1n << BigInt(Math.min(Math.max(count, 0), 64))) - 1n;
  const all = below(size);
  const used = fields.reduce((sum, { lsb, msb }) => sum | (below(msb + 1) & ~below(lsb)), 0n);
  const { mask } = reset;
  if ((mask & all) === 0n) return {};
  if (size > 32)
    draft.note(line, name, 'reset value is not in the map: it has several words; read them after a reset');
  else if (((used === 0n ? all : used) & ~mask) !== 0n)
    draft.note(
      line,
      name,
      'reset value is not in the map: the file gives it only for some bits; read the register after a reset',
    );
  else return { reset: Number(reset.value & mask & WORD) };
  return {};
}

/** An access in the words of SVD and IP-XACT. */
export const WRITTEN: Readonly<Record<Register['access'], string>> = {
  rw: 'read-write',
  ro: 'read-only',
  wo: 'write-only',
};
