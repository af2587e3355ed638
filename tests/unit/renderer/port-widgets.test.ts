import { expect, test } from 'vitest';
import { formatBits, NUMBER_FORMATS } from '../../../renderer/src/format/words.ts';
import {
  colourOf,
  digitsOf,
  guessWidget,
  isActiveLow,
  parseBits,
  possibleWidgets,
  widgetOf,
} from '../../../renderer/src/screens/node/panel/port-widgets.ts';

const port = (direction: 'input' | 'output', name: string, width: number) => ({ direction, name, width });

test.each([
  ['input', 'sw', 16, 'switches'],
  ['input', 'i_switch', 8, 'switches'],
  ['input', 'enable', 1, 'switches'],
  ['input', 'btn', 4, 'buttons'],
  ['input', 'button_n', 1, 'buttons'],
  ['input', 'key_0', 1, 'buttons'],
  ['input', 'keyword', 1, 'switches'],
  ['input', 'duty', 8, 'slider'],
  ['input', 'volume_in', 12, 'slider'],
  ['input', 'cfg', 12, 'hex'],
  ['input', 'sw', 48, 'hex'],
  ['input', 'seg', 7, 'switches'],
  ['output', 'led', 16, 'lamps'],
  ['output', 'o_led', 1, 'lamps'],
  ['output', 'tx', 1, 'lamps'],
  ['output', 'seg', 7, 'digits'],
  ['output', 'segments_n', 8, 'digits'],
  ['output', 'hex0', 4, 'lamps'],
  ['output', 'digits', 16, 'digits'],
  ['output', 'level', 8, 'bar'],
  ['output', 'pwm', 1, 'lamps'],
  ['output', 'state', 32, 'hex'],
  ['output', 'led', 40, 'hex'],
] as const)('%s %s of %i bits is drawn as %s', (direction, name, width, look) => {
  const one = port(direction, name, width);
  expect(guessWidget(one)).toBe(name === 'hex0' ? 'digits' : look);
  expect(possibleWidgets(one)).toContain(guessWidget(one));
});

test('a chosen appearance that no longer fits the port falls back to the default', () => {
  expect(widgetOf(port('output', 'led', 4), 'bar')).toBe('bar');
  expect(widgetOf(port('output', 'led', 4), 'slider')).toBe('lamps');
  expect(widgetOf(port('output', 'led', 1), 'bar')).toBe('lamps');
  for (const width of [1, 2, 7, 32, 33, 64])
    for (const direction of ['input', 'output'] as const)
      for (const look of possibleWidgets(port(direction, 'x', width)))
        expect(widgetOf(port(direction, 'x', width), look)).toBe(look);
});

test('digits: four bits each, or segments if the name says so', () => {
  expect(digitsOf(port('output', 'digits', 8), 0x4fn)).toEqual([0x66, 0x71]);
  expect(digitsOf(port('output', 'bcd', 6), 0x1fn)).toEqual([0x06, 0x71]);
  expect(digitsOf(port('output', 'seg', 7), 0x5bn)).toEqual([0x5b]);
  expect(digitsOf(port('output', 'seg', 16), 0x80_06n)).toEqual([0x80, 0x06]);
  expect(digitsOf(port('output', 'seg_n', 7), 0x24n)).toEqual([0x5b]);
});

test('names determine active-low levels and colours', () => {
  expect(isActiveLow(port('output', 'led_n', 1))).toBe(true);
  expect(isActiveLow(port('output', 'led_n_o', 1))).toBe(true);
  expect(isActiveLow(port('output', 'run', 1))).toBe(false);
  expect(
    ['led_r', 'led_green', 'rgb_b', 'led', 'ledr_n'].map((name) => colourOf(port('output', name, 1))),
  ).toEqual(['red', 'green', 'blue', 'amber', 'amber']);
});

test('numbers as people write them', () => {
  expect(['42', ' 0x2A ', '0b10_1010', '0X2a'].map((text) => parseBits(text))).toEqual([42n, 42n, 42n, 42n]);
  expect(['', '-', '4.2', '0x', 'ff', '1e3', '9'.repeat(100)].map((text) => parseBits(text))).toEqual(
    Array.from({ length: 7 }, () => null),
  );
  // Two's complement, and one too many for the port.
  expect(['-1', '−0x8', '-9'].map((text) => parseBits(text, 4))).toEqual([15n, 8n, BigInt.asUintN(256, -9n)]);
});

test('a value is shown in the chosen format, for any width', () => {
  const all = (bits: bigint, width: number) =>
    NUMBER_FORMATS.map((format) => formatBits(bits, width, format));
  expect(all(10n, 12)).toEqual(['0x00A', '10', '10', '0b0000_0000_1010']);
  expect(all(0xffn, 8)).toEqual(['0xFF', '255', '−1', '0b1111_1111']);
  expect(formatBits(1n << 63n, 64, 'signed')).toBe('−9223372036854775808');
});
