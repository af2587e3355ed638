import type { BitField, Register, RegisterMap } from '../contract/register-map.ts';
import { descriptionOf, fileProblem, MapDraft, type ReadMap } from './draft.ts';
import { hexAddress, numberIn } from './numbers.ts';
import { SvdIndex } from './svd-index.ts';
import {
  childOf,
  childrenOf,
  parseXml,
  textIn,
  type XmlElement,
  XmlError,
  type XmlNode,
  xmlLines,
} from './xml.ts';
import { ACCESSES, numberOf } from './xml-values.ts';

type Access = Register['access'];

/** What an element takes over from those around it, where it says nothing itself. */
interface Inherited {
  size: number;
  access: Access;
  reset: number | undefined;
}

const accessIn = (element: XmlElement): Access | undefined => ACCESSES[textIn(element, 'access') ?? ''];

/**
 * Elements that are looked at while lists and derivations of one file are written out; a device of four thousand registers
 * with fields needs about 300,000.
 */
const MOST_STEPS = 500_000;

/** Places of one list. */
const MOST_PLACES = 4096;

/** The places of an element that stands for several: text to put in for %s, and how far behind the first. */
function placesOf(draft: MapDraft, element: XmlElement): { index: string; offset: number }[] {
  const dim = numberOf(draft, element, 'dim');
  if (dim === undefined) return [{ index: '', offset: 0 }];
  const increment = numberOf(draft, element, 'dimIncrement') ?? 4;
  if (dim > MOST_PLACES) {
    draft.say(element.line, `dim is ${dim}, and ${MOST_PLACES} is the most`);
    return [];
  }
  const given = textIn(element, 'dimIndex') ?? '';
  const [, first, last] = /^(\d{1,5})-(\d{1,5})$/.exec(given) ?? [];
  const names = given.includes(',') ? given.split(',').map((one) => one.trim()) : null;
  return Array.from({ length: dim }, (_, at) => ({
    index: names?.[at] ?? String(first === undefined || last === undefined ? at : Number(first) + at),
    offset: at * increment,
  }));
}

const named = (name: string, index: string): string => name.replace(/\[%s\]|%s/, index === '' ? '' : index);

class SvdReader {
  readonly draft = new MapDraft();
  readonly #index: SvdIndex;
  #steps = 0;

  constructor(root: XmlElement) {
    this.#index = new SvdIndex(root);
  }

  device(root: XmlElement): ReadMap {
    const unit = numberOf(this.draft, root, 'addressUnitBits');
    if (unit !== undefined && unit !== 8)
      this.draft.say(root.line, `addresses count units of ${unit} bits; only bytes are read`);
    const inherited = this.#inherit(root, { size: 32, access: 'rw', reset: undefined });
    const peripherals = childrenOf(childOf(root, 'peripherals') ?? root, 'peripheral');
    for (const peripheral of peripherals) {
      const whole = this.#whole(peripheral, 'peripheral');
      if (!whole) break;
      const base = numberOf(this.draft, whole, 'baseAddress') ?? 0;
      const prefix = peripherals.length > 1 ? `${textIn(whole, 'name') ?? ''}_` : '';
      this.#group(childOf(whole, 'registers') ?? whole, base, prefix, this.#inherit(whole, inherited));
    }
    if (this.draft.size === 0 && this.draft.problems.length === 0)
      this.draft.say(null, 'there are no registers in it');
    return this.draft.finish(textIn(root, 'name') ?? textIn(peripherals[0] ?? root, 'name') ?? '');
  }

  #inherit(element: XmlElement, from: Inherited): Inherited {
    return {
      size: numberOf(this.draft, element, 'size') ?? from.size,
      access: accessIn(element) ?? from.access,
      reset: numberOf(this.draft, element, 'resetValue') ?? from.reset,
    };
  }

  /** The element with what it derives from; null where that cannot be, which is said. */
  #whole(element: XmlElement, kind: string): XmlElement | null {
    const whole = this.#index.whole(element, kind);
    if (typeof whole === 'string') this.draft.say(element.line, whole);
    else if (this.#affords(whole)) return whole;
    return null;
  }

  /** Counts what looking at an element costs; false, and said, where that is too much. */
  #affords({ children, line }: XmlElement): boolean {
    this.#steps += 1 + children.length;
    if (this.#steps > MOST_STEPS) this.draft.say(line, 'its lists and derivations come to too many elements');
    return this.#steps <= MOST_STEPS;
  }

  #group(group: XmlElement, base: number, prefix: string, inherited: Inherited): void {
    for (const one of group.children) {
      if (one.name !== 'register' && one.name !== 'cluster') continue;
      const whole = this.#whole(one, one.name);
      if (!whole) return;
      // Another view of a place that has its register already.
      if (
        childOf(whole, 'alternateRegister') ??
        childOf(whole, 'alternateGroup') ??
        childOf(whole, 'alternateCluster')
      )
        continue;
      const from = this.#inherit(whole, inherited);
      const address = base + (numberOf(this.draft, whole, 'addressOffset') ?? 0);
      const words = one.name === 'register' ? this.#array(whole, from.size) : null;
      if (words !== null) {
        const name = prefix + named(textIn(whole, 'name') ?? '', '');
        if (!this.#register(whole, name, address, from, words)) return;
        continue;
      }
      for (const { index, offset } of placesOf(this.draft, whole)) {
        const name = prefix + named(textIn(whole, 'name') ?? '', index);
        if (one.name === 'cluster') {
          if (!this.#affords(whole)) return;
          this.#group(whole, address + offset, `${name}_`, from);
        } else if (!this.#register(whole, name, address + offset, from)) return;
      }
    }
  }

  /** How many words an array of words one behind the other has; null for any other register. */
  #array(element: XmlElement, size: number): number | null {
    const dim = numberOf(this.draft, element, 'dim');
    const isArray = (textIn(element, 'name') ?? '').includes('[%s]') && !childOf(element, 'dimIndex');
    return isArray && dim && dim > 1 && size <= 32 && numberOf(this.draft, element, 'dimIncrement') === 4
      ? dim
      : null;
  }

  #register(
    element: XmlElement,
    name: string,
    address: number,
    { size, access, reset }: Inherited,
    words = Math.ceil(size / 32),
  ): boolean {
    return this.draft.add(
      {
        name,
        address,
        ...(words > 1 ? { words } : {}),
        ...(size < 32 ? { width: size } : {}),
        access,
        ...descriptionOf(textIn(element, 'description')),
        // Of several words no one value says what they are.
        ...(reset === undefined || size > 32 ? {} : { reset }),
        fields: this.#fields(element, access),
      },
      element.line,
    );
  }

  #fields(register: XmlElement, access: Access): BitField[] {
    const fields: BitField[] = [];
    for (const one of childrenOf(childOf(register, 'fields') ?? register, 'field')) {
      const whole = this.#whole(one, 'field');
      if (!whole) break;
      const own = accessIn(whole);
      for (const { index, offset } of placesOf(this.draft, whole)) {
        const bits = this.#bits(whole);
        if (!bits) break;
        const values = this.#values(whole);
        fields.push({
          name: named(textIn(whole, 'name') ?? '', index),
          msb: bits.msb + offset,
          lsb: bits.lsb + offset,
          ...(own && own !== access ? { access: own } : {}),
          ...descriptionOf(textIn(whole, 'description')),
          ...(Object.keys(values).length > 0 ? { values } : {}),
        });
        if (fields.length > 32) return fields;
      }
    }
    return fields;
  }

  /** The three ways in which a field says its bits. */
  #bits(field: XmlElement): { msb: number; lsb: number } | null {
    const range = /^\[(\d{1,3}):(\d{1,3})\]$/.exec(textIn(field, 'bitRange') ?? '');
    if (range) return { msb: Number(range[1]), lsb: Number(range[2]) };
    const lsb = numberOf(this.draft, field, 'lsb') ?? numberOf(this.draft, field, 'bitOffset');
    if (lsb === undefined) {
      this.draft.say(field.line, 'the field does not say its bits');
      return null;
    }
    return {
      lsb,
      msb: numberOf(this.draft, field, 'msb') ?? lsb + (numberOf(this.draft, field, 'bitWidth') ?? 1) - 1,
    };
  }

  #values(field: XmlElement): Record<string, string> {
    const values: Record<string, string> = {};
    for (const one of childrenOf(field, 'enumeratedValues')) {
      const whole = this.#whole(one, 'enumeratedValues');
      for (const value of whole ? childrenOf(whole, 'enumeratedValue') : []) {
        if (!this.#affords(value)) return values;
        // A value with x in it stands for several, and the default for all others: neither has one number.
        const number = numberIn(textIn(value, 'value') ?? '');
        const name = textIn(value, 'name');
        if (number !== null && name) values[String(number)] ??= name;
      }
    }
    return values;
  }
}

/** Reads a map from a device description as CMSIS-SVD 1.3 has it (Arm, Open-CMSIS-SVD). Alternate views are left out. */
export function readSvd(text: string): ReadMap {
  try {
    const root = parseXml(text);
    if (root.name !== 'device')
      return { problems: [fileProblem(root.line, `${root.name} is no device of CMSIS-SVD`)] };
    return new SvdReader(root).device(root);
  } catch (error) {
    if (error instanceof XmlError) return { problems: [fileProblem(error.line, error.message)] };
    throw error;
  }
}

const WRITTEN: Readonly<Record<Access, string>> = { rw: 'read-write', ro: 'read-only', wo: 'write-only' };

/** An identifier as SVD wants it. */
export const identifier = (name: string): string => {
  const plain = name.replace(/\W+/g, '_');
  return /^[A-Za-z_]/.test(plain) ? plain : `_${plain}`;
};

function fieldNode({ name, msb, lsb, access, description, values }: BitField): XmlNode {
  return [
    'field',
    [
      ['name', identifier(name)],
      description ? ['description', description] : null,
      ['bitOffset', lsb],
      ['bitWidth', msb - lsb + 1],
      access ? ['access', WRITTEN[access]] : null,
      values && Object.keys(values).length > 0
        ? [
            'enumeratedValues',
            Object.entries(values).map(
              ([value, text]): XmlNode => [
                'enumeratedValue',
                [
                  ['name', text],
                  ['value', value],
                ],
              ],
            ),
          ]
        : null,
    ],
  ];
}

function registerNode(register: Register): XmlNode {
  const { name, address, words = 1, width = 32, access, description, reset, fields } = register;
  return [
    'register',
    [
      ...(words > 1
        ? ([
            ['dim', words],
            ['dimIncrement', 4],
          ] as const)
        : []),
      ['name', words > 1 ? `${identifier(name)}[%s]` : identifier(name)],
      description ? ['description', description] : null,
      ['addressOffset', hexAddress(address)],
      ['size', width],
      ['access', WRITTEN[access]],
      reset === undefined ? null : ['resetValue', `0x${reset.toString(16).toUpperCase()}`],
      fields.length > 0 ? ['fields', fields.map(fieldNode)] : null,
    ],
  ];
}

/** The map as a device of one peripheral. Registers of several words are arrays. */
export function writeSvd({ name, registers }: RegisterMap): string {
  const end = registers.reduce((most, { address, words = 1 }) => Math.max(most, address + 4 * words), 4);
  const peripheral: XmlNode = [
    'peripheral',
    [
      ['name', identifier(name)],
      ['baseAddress', '0x00000000'],
      [
        'addressBlock',
        [
          ['offset', '0x0'],
          ['size', `0x${end.toString(16).toUpperCase()}`],
          ['usage', 'registers'],
        ],
      ],
      ['registers', registers.map(registerNode)],
    ],
  ];
  const device: XmlNode = [
    'device schemaVersion="1.3"',
    [
      ['name', name],
      ['version', '1.0'],
      ['description', name],
      ['addressUnitBits', 8],
      ['width', 32],
      ['size', 32],
      ['access', 'read-write'],
      ['peripherals', [peripheral]],
    ],
  ];
  return ['<?xml version="1.0" encoding="utf-8"?>', ...xmlLines(device), ''].join('\n');
}
