import type { BitField, Register } from '../contract/designs/register-map.ts';
import type { MapDraft } from './draft.ts';
import { exactly, integerIn } from './numbers.ts';
import { childOf, textIn, type XmlElement } from './xml.ts';

/** What can be done with a register; `none` is IP-XACT's no-access. */
export type XmlAccess = Register['access'] | 'none';

/** What SVD and IP-XACT call an access. */
const ACCESSES: Readonly<Record<string, XmlAccess>> = {
  'read-only': 'ro',
  'write-only': 'wo',
  writeOnce: 'wo',
  'read-write': 'rw',
  'read-writeOnce': 'rw',
  'no-access': 'none',
};

/** What an element says of its access itself; undefined where it says nothing, and where it says no access, which is told. */
export function accessIn(draft: MapDraft, element: XmlElement): XmlAccess | undefined {
  const inner = childOf(element, 'access');
  if (!inner) return undefined;
  const text = inner.text.trim();
  const access = Object.hasOwn(ACCESSES, text) ? ACCESSES[text] : undefined;
  if (!access) draft.say(inner.line, `access is “${text.slice(0, 40)}”, which is none of the standard`);
  return access;
}

/** What can be done with a register by what can be done with its fields; undefined where it has none. */
export function accessOfAll(all: Iterable<Register['access']>): Register['access'] | undefined {
  const [one, ...others] = new Set(all);
  return others.length > 0 ? 'rw' : one;
}

/**
 * The integer in an element within another one; undefined where there is none, and where it is none, which is told.
 * @param value works out a text
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
    draft.say(inner.line, `${name} is “${inner.text.trim().slice(0, 40)}”, which is no number`);
  return integer === null || integer < 0n ? undefined : integer;
}

/** The same as a number, which has to fit into a double. */
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

/** An identifier as SVD and IP-XACT want it. */
export const identifier = (name: string): string => {
  const plain = name.replace(/\W+/g, '_');
  return /^[A-Za-z_]/.test(plain) ? plain : `_${plain}`;
};

/**
 * The name of an element. The standards allow identifiers only; what the bench writes has other names as `displayName`, which
 * then comes to the name. Any other `displayName` is a text, and the name is the name.
 */
export function nameOf(element: XmlElement, marks = /\[/): string {
  const name = textIn(element, 'name') ?? '';
  const display = textIn(element, 'displayName') ?? '';
  return marks.test(display) && identifier(display) === name ? display : name;
}

/** Names one value of a field; one that has a name already keeps it, which is told. */
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
      'is not read: its value has a name already (one for reading, one for writing, or two for both), and a map has one; write the number',
    );
  values[value] ??= name;
}

/** That a field of a register of several words is not read. */
export const WIDE_FIELD =
  'is not read: it lies above bit 31 of a register of several words, and fields are within one word; read the word and take its bits';

/** True for a register that is not in a map because it is a part of a word, which is told. */
export function isWithinWord(
  draft: MapDraft,
  { name, line, size, address }: { name: string; line: number; size: number; address: number },
): boolean {
  const isPart = size < 32 && address % 4 !== 0;
  if (isPart)
    draft.note(
      line,
      name,
      'is not read: it does not begin a word of 32 bits, and a map has whole words, which are written as a whole; describe the word as one register with these as its fields',
    );
  return isPart;
}

const WORD = 0xffff_ffffn;

/**
 * What a register is after a reset. It is known where the mask has every bit of its fields; of a register without fields, every
 * bit. Else it is in no map, which is told.
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
    draft.note(
      line,
      name,
      'reset value is not in the map: it is of several words; read the words after a reset',
    );
  else if (((used === 0n ? all : used) & ~mask) !== 0n)
    draft.note(
      line,
      name,
      'reset value is not in the map: the file has it for some of the bits only; read the register after a reset',
    );
  else return { reset: Number(reset.value & mask & WORD) };
  return {};
}

/** An access as SVD and IP-XACT write it. */
export const WRITTEN: Readonly<Record<Register['access'], string>> = {
  rw: 'read-write',
  ro: 'read-only',
  wo: 'write-only',
};
