import type { BitField, Register, RegisterMap } from '../contract/register-map.ts';
import { descriptionOf, fileProblem, MapDraft, type ReadMap } from './draft.ts';
import { hexAddress, numberIn } from './numbers.ts';
import { identifier } from './svd.ts';
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

const accessIn = (element: XmlElement): Access | undefined =>
  ACCESSES[
    textIn(element, 'access') ??
      textIn(childOf(childOf(element, 'accessPolicies') ?? element, 'accessPolicy') ?? element, 'access') ??
      ''
  ];

/** Elements that are looked at while the lists of one file are written out. */
const MOST_STEPS = 500_000;
/** Places of one list. */
const MOST_PLACES = 4096;

class IpxactReader {
  readonly draft = new MapDraft();
  #steps = 0;

  component(root: XmlElement): ReadMap {
    const maps = childrenOf(childOf(root, 'memoryMaps') ?? root, 'memoryMap');
    const blocks = maps.flatMap((map) => {
      const unit = numberOf(this.draft, map, 'addressUnitBits') ?? 8;
      if (unit !== 8) this.draft.say(map.line, `addresses count units of ${unit} bits; only bytes are read`);
      return childrenOf(map, 'addressBlock');
    });
    for (const block of blocks) {
      const base = numberOf(this.draft, block, 'baseAddress') ?? 0;
      const prefix = blocks.length > 1 ? `${textIn(block, 'name') ?? ''}_` : '';
      this.#group(block, base, prefix, accessIn(block) ?? 'rw');
    }
    if (this.draft.size === 0 && this.draft.problems.length === 0)
      this.draft.say(null, 'there are no registers in it');
    return this.draft.finish(textIn(root, 'name') ?? '');
  }

  #group(group: XmlElement, base: number, prefix: string, access: Access): void {
    for (const one of group.children) {
      if (one.name !== 'register' && one.name !== 'registerFile') continue;
      const address = base + (numberOf(this.draft, one, 'addressOffset') ?? 0);
      const name = `${prefix}${textIn(one, 'name') ?? ''}`;
      const count = this.#count(one);
      // The size of a register in bytes is how far the next of a list is behind it; a file says its range.
      const stride =
        this.#stride(one) ??
        (one.name === 'register'
          ? Math.ceil((numberOf(this.draft, one, 'size') ?? 32) / 8)
          : (numberOf(this.draft, one, 'range') ?? 0));
      if (one.name === 'register' && count > 1 && stride === 4) {
        if (!this.#register(one, name, address, access, count)) return;
        continue;
      }
      for (let at = 0; at < count; at++) {
        if (!this.#affords(one)) return;
        const own = `${name}${count > 1 ? at : ''}`;
        if (one.name === 'registerFile')
          this.#group(one, address + at * stride, `${own}_`, accessIn(one) ?? access);
        else if (!this.#register(one, own, address + at * stride, access)) return;
      }
    }
  }

  /** Counts what looking at an element costs; false, and said, where that is too much. */
  #affords({ children, line }: XmlElement): boolean {
    this.#steps += 1 + children.length;
    if (this.#steps > MOST_STEPS) this.draft.say(line, 'its lists come to too many elements');
    return this.#steps <= MOST_STEPS;
  }

  /** How many an element stands for: its dimensions, multiplied. */
  #count(element: XmlElement): number {
    const array = childOf(element, 'array') ?? element;
    const dims = childrenOf(array, 'dim').map(({ text, line }) => {
      const dim = numberIn(text);
      if (dim === null || dim < 1 || dim > MOST_PLACES)
        this.draft.say(line, `dim is no number from 1 to ${MOST_PLACES}`);
      return dim ?? 1;
    });
    return dims.reduce((product, dim) => Math.min(product * dim, MOST_STEPS), 1);
  }

  #stride(element: XmlElement): number | undefined {
    const array = childOf(element, 'array');
    return array && numberOf(this.draft, array, 'stride');
  }

  /** @param array words of a list of registers one behind the other */
  #register(element: XmlElement, name: string, address: number, inherited: Access, array = 1): boolean {
    const size = numberOf(this.draft, element, 'size') ?? 32;
    const fields = childrenOf(element, 'field');
    const words = Math.max(array, Math.ceil(size / 32));
    const own = accessIn(element) ?? accessOf(fields) ?? inherited;
    const reset = this.#reset(element, fields);
    return this.draft.add(
      {
        name,
        address,
        ...(words > 1 ? { words } : {}),
        ...(size < 32 ? { width: size } : {}),
        access: own,
        ...descriptionOf(textIn(element, 'description')),
        ...(reset === undefined || size > 32 ? {} : { reset }),
        fields: fields
          .filter((field) => textIn(field, 'reserved') !== 'true')
          .map((field) => this.#field(field, own)),
      },
      element.line,
    );
  }

  #field(field: XmlElement, access: Access): BitField {
    this.#affords(field);
    const lsb = numberOf(this.draft, field, 'bitOffset') ?? 0;
    const own = accessIn(field);
    const values: Record<string, string> = {};
    for (const one of childrenOf(childOf(field, 'enumeratedValues') ?? field, 'enumeratedValue')) {
      if (!this.#affords(one)) break;
      const value = numberOf(this.draft, one, 'value');
      const name = textIn(one, 'displayName') || textIn(one, 'name');
      if (value !== undefined && name) values[String(value)] ??= name;
    }
    return {
      name: textIn(field, 'name') ?? '',
      msb: lsb + (numberOf(this.draft, field, 'bitWidth') ?? 1) - 1,
      lsb,
      ...(own && own !== access ? { access: own } : {}),
      ...descriptionOf(textIn(field, 'description')),
      ...(Object.keys(values).length > 0 ? { values } : {}),
    };
  }

  /** The value after a reset: of the register (IEEE 1685-2009), or put together from its fields (2014 and later). */
  #reset(register: XmlElement, fields: readonly XmlElement[]): number | undefined {
    const valueIn = (element: XmlElement): number | undefined => {
      const reset = childOf(childOf(element, 'resets') ?? element, 'reset');
      return reset && numberOf(this.draft, reset, 'value');
    };
    const whole = valueIn(register);
    if (whole !== undefined) return whole;
    let sum: number | undefined;
    for (const field of fields) {
      const value = valueIn(field);
      if (value !== undefined)
        sum = (sum ?? 0) + value * 2 ** (numberOf(this.draft, field, 'bitOffset') ?? 0);
    }
    return sum;
  }
}

/** What can be done with a register all of whose fields say the same; undefined where they differ or say nothing. */
function accessOf(fields: readonly XmlElement[]): Access | undefined {
  const all = new Set(fields.map(accessIn));
  return all.size === 1 ? [...all][0] : all.size > 1 ? 'rw' : undefined;
}

/**
 * Reads a map from a component as IP-XACT has it: IEEE 1685-2009 (spirit:), 1685-2014 and 1685-2022 (ipxact:), and so what
 * exporters of SystemRDL write. Expressions in place of numbers are not worked out.
 */
export function readIpxact(text: string): ReadMap {
  try {
    const root = parseXml(text);
    if (root.name !== 'component')
      return { problems: [fileProblem(root.line, `${root.name} is no component of IP-XACT`)] };
    return new IpxactReader().component(root);
  } catch (error) {
    if (error instanceof XmlError) return { problems: [fileProblem(error.line, error.message)] };
    throw error;
  }
}

const WRITTEN: Readonly<Record<Access, string>> = { rw: 'read-write', ro: 'read-only', wo: 'write-only' };

const hex = (value: number): string => `'h${value.toString(16)}`;

const resetNode = (value: number): XmlNode => [
  'ipxact:resets',
  [['ipxact:reset', [['ipxact:value', hex(value)]]]],
];

function fieldNode(
  { name, msb, lsb, access, description, values }: BitField,
  { reset, reserved = false }: { reset: number | undefined; reserved?: boolean },
): XmlNode {
  const width = msb - lsb + 1;
  return [
    'ipxact:field',
    [
      ['ipxact:name', identifier(name)],
      description ? ['ipxact:description', description] : null,
      ['ipxact:bitOffset', lsb],
      reset === undefined ? null : resetNode(Math.floor(reset / 2 ** lsb) % 2 ** width),
      ['ipxact:bitWidth', width],
      access ? ['ipxact:access', WRITTEN[access]] : null,
      values && Object.keys(values).length > 0
        ? [
            'ipxact:enumeratedValues',
            Object.entries(values).map(
              ([value, text]): XmlNode => [
                'ipxact:enumeratedValue',
                [
                  ['ipxact:name', identifier(text)],
                  identifier(text) === text ? null : ['ipxact:displayName', text],
                  ['ipxact:value', value],
                ],
              ],
            ),
          ]
        : null,
      reserved ? ['ipxact:reserved', 'true'] : null,
    ],
  ];
}

/** Runs of bits that belong to no field. */
function gapsOf({ fields, width = 32 }: Register): BitField[] {
  const gaps: BitField[] = [];
  let lsb = 0;
  for (const field of [...fields].sort((a, b) => a.lsb - b.lsb)) {
    if (field.lsb > lsb) gaps.push({ name: `BITS_${field.lsb - 1}_${lsb}`, msb: field.lsb - 1, lsb });
    lsb = field.msb + 1;
  }
  if (lsb < width) gaps.push({ name: `BITS_${width - 1}_${lsb}`, msb: width - 1, lsb });
  return gaps;
}

function registerNode(register: Register): XmlNode {
  const { name, address, words = 1, width = 32, access, description, reset, fields } = register;
  // The standard wants a field in every register, and has reset values in fields alone: bits without one are reserved there.
  const gaps = gapsOf(register).filter(
    ({ msb, lsb }) =>
      fields.length === 0 ||
      (reset !== undefined && Math.floor(reset / 2 ** lsb) % 2 ** (msb - lsb + 1) !== 0),
  );
  return [
    'ipxact:register',
    [
      ['ipxact:name', identifier(name)],
      description ? ['ipxact:description', description] : null,
      words > 1 ? ['ipxact:dim', words] : null,
      ['ipxact:addressOffset', hex(address)],
      // The next word of a list is behind this one by the size of a register.
      ['ipxact:size', words > 1 ? 32 : width],
      ['ipxact:access', WRITTEN[access]],
      ...fields.map((field) => fieldNode(field, { reset })),
      ...gaps.map((field) => fieldNode(field, { reset, reserved: true })),
    ],
  ];
}

/** The map as a component of IEEE 1685-2014 with one address block. */
export function writeIpxact({ name, registers }: RegisterMap): string {
  const end = registers.reduce((most, { address, words = 1 }) => Math.max(most, address + 4 * words), 4);
  const block: XmlNode = [
    'ipxact:addressBlock',
    [
      ['ipxact:name', identifier(name)],
      ['ipxact:baseAddress', hexAddress(0).replace('0x', "'h")],
      ['ipxact:range', hex(end)],
      ['ipxact:width', 32],
      ['ipxact:usage', 'register'],
      ...registers.map(registerNode),
    ],
  ];
  const component: XmlNode = [
    'ipxact:component xmlns:ipxact="http://www.accellera.org/XMLSchema/IPXACT/1685-2014"',
    [
      ['ipxact:vendor', 'wishbench'],
      ['ipxact:library', 'wishbench'],
      ['ipxact:name', name],
      ['ipxact:version', '1.0'],
      [
        'ipxact:memoryMaps',
        [['ipxact:memoryMap', [['ipxact:name', identifier(name)], block, ['ipxact:addressUnitBits', 8]]]],
      ],
    ],
  ];
  return ['<?xml version="1.0" encoding="utf-8"?>', ...xmlLines(component), ''].join('\n');
}
