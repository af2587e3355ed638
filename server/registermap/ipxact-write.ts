import type { BitField, Register, RegisterMap } from '../contract/designs/register-map.ts';
import { hexAddress } from './numbers.ts';
import { type XmlNode, xmlLines } from './xml.ts';
import { identifier, WRITTEN } from './xml-values.ts';

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
      identifier(name) === name ? null : ['ipxact:displayName', name],
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

/** Runs of bits without a field. */
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
  // The standard requires a field in every register, and allows reset values only in fields: other bits become reserved
  // fields.
  const gaps = gapsOf(words > 1 ? { ...register, width: 32 } : register).filter(
    ({ msb, lsb }) =>
      fields.length === 0 ||
      (reset !== undefined && Math.floor(reset / 2 ** lsb) % 2 ** (msb - lsb + 1) !== 0),
  );
  return [
    'ipxact:register',
    [
      ['ipxact:name', identifier(name)],
      identifier(name) === name ? null : ['ipxact:displayName', name],
      description ? ['ipxact:description', description] : null,
      words > 1 ? ['ipxact:dim', words] : null,
      ['ipxact:addressOffset', hex(address)],
      // The words of a list are one register size apart.
      ['ipxact:size', words > 1 ? 32 : width],
      ['ipxact:access', WRITTEN[access]],
      ...fields.map((field) => fieldNode(field, { reset })),
      ...gaps.map((field) => fieldNode(field, { reset, reserved: true })),
    ],
  ];
}

/** Writes the map as an IEEE 1685-2014 component with one address block. */
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
