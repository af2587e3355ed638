import type { BitField, Register, RegisterMap } from '../contract/designs/register-map.ts';
import { hexAddress } from './numbers.ts';
import { type XmlNode, xmlLines } from './xml.ts';
import { identifier, WRITTEN } from './xml-values.ts';

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
      identifier(name) === name ? null : ['displayName', words > 1 ? `${name}[%s]` : name],
      description ? ['description', description] : null,
      ['addressOffset', hexAddress(address)],
      ['size', width],
      ['access', WRITTEN[access]],
      reset === undefined ? null : ['resetValue', `0x${reset.toString(16).toUpperCase()}`],
      fields.length > 0 ? ['fields', fields.map(fieldNode)] : null,
    ],
  ];
}

/** Writes the map as a device of one peripheral. Registers of several words are arrays. */
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
