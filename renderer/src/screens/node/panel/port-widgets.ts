import type { PortLook } from '../../../../../server/contract/designs/panel.ts';
import type { Pin } from '../../../../../server/contract/nodes/pins.ts';

type Port = Pick<Pin, 'name' | 'direction' | 'width'>;

/** Maximum width of a port drawn bit by bit. */
export const MAX_SEPARATE_BITS = 32;

/** The looks for a port of this direction and width. */
export function possibleWidgets({ direction, width }: Port): PortLook[] {
  const apart = width <= MAX_SEPARATE_BITS;
  if (direction === 'inout') return apart ? ['switches', 'buttons', 'hex', 'hidden'] : ['hex', 'hidden'];
  const looks: (PortLook | false)[] =
    direction === 'input'
      ? [apart && 'switches', apart && 'buttons', width > 1 && width <= 32 && 'slider', 'hex', 'hidden']
      : [apart && 'lamps', width > 2 && 'digits', width > 1 && 'bar', 'hex', 'hidden'];
  return looks.filter((look) => look !== false);
}

/** The name of a port without a prefix for its direction. */
const plain = (name: string) => name.toLowerCase().replace(/^(?:i|o|in|out)_|_(?:i|o|in|out)$/g, '');

/** Looks by input name, most specific first, with their maximum width. */
const INPUTS: readonly [RegExp, number, PortLook][] = [
  [/^(?:btn|button|key|push|pb|but)s?(?:_|\d|$|n$)/, 16, 'buttons'],
  [/^(?:sw|switch|switches|dip|toggle)(?:_|\d|$)/, 32, 'switches'],
  [
    /(?:^|_)(?:duty|level|volume|speed|brightness|bright|position|pos|freq|frequency|gain|adc|temp|angle)(?:_|\d|$)/,
    32,
    'slider',
  ],
];

const OUTPUTS: readonly [RegExp, number, PortLook][] = [
  [/seg|(?:^|_)(?:digits?|display|hex|bcd|ssd)(?:_|\d|$)/, 64, 'digits'],
  [/(?:^|_)(?:bar|level|meter|vu|pwm|dac|duty|volume|sample|audio)(?:_|\d|$)/, 64, 'bar'],
  [/led|lamp|light|(?:^|_)rgb/, MAX_SEPARATE_BITS, 'lamps'],
];

/** The default look of a port. */
export function guessWidget(port: Port): PortLook {
  const name = plain(port.name);
  const possible = possibleWidgets(port);
  const named = port.direction === 'output' ? OUTPUTS : INPUTS;
  for (const [pattern, most, look] of named)
    if (pattern.test(name) && port.width <= most && possible.includes(look)) return look;
  if (port.width > 8) return 'hex';
  return port.direction === 'output' ? 'lamps' : 'switches';
}

/** The chosen look if the port can have it, else the default. */
export const widgetOf = (port: Port, chosen: PortLook | undefined): PortLook =>
  chosen !== undefined && possibleWidgets(port).includes(chosen) ? chosen : guessWidget(port);

/** Whether the name says active low. */
export const isActiveLow = ({ name }: Port): boolean => /_n$/.test(plain(name)) || /_n_(?:i|o)$/.test(name);

const COLOURS: readonly [RegExp, string][] = [
  [/(?:^|_)(?:r|red)(?:_n)?\d*$|red/, 'red'],
  [/(?:^|_)(?:g|green)(?:_n)?\d*$|green/, 'green'],
  [/(?:^|_)(?:b|blue)(?:_n)?\d*$|blue/, 'blue'],
];

/** The colour of its lamps, if the name has one. */
export const colourOf = ({ name }: Port): string =>
  COLOURS.find(([pattern]) => pattern.test(plain(name)))?.[1] ?? 'amber';

/** Segments a to g of the hexadecimal digits; a is bit 0. */
const SEGMENTS = [
  0x3f, 0x06, 0x5b, 0x4f, 0x66, 0x6d, 0x7d, 0x07, 0x7f, 0x6f, 0x77, 0x7c, 0x39, 0x5e, 0x79, 0x71,
];

/** The digits of a port, leftmost first: segments a to g in bits 0 to 6, the point in bit 7. */
export function digitsOf(port: Port, bits: bigint): number[] {
  const segments = /seg/.test(plain(port.name));
  const size = segments ? (port.width % 8 === 0 ? 8 : 7) : 4;
  const count = Math.ceil(port.width / size);
  const mask = (1n << BigInt(size)) - 1n;
  return Array.from({ length: count }, (_, at) => {
    const part = Number((bits >> BigInt(size * (count - 1 - at))) & mask);
    if (!segments) return SEGMENTS[part] ?? 0;
    return isActiveLow(port) ? ~part & Number(mask) : part;
  });
}

/** Parses the bits of a port; a negative number is taken as two's complement. Null for other text. */
export function parseBits(text: string, width = 64): bigint | null {
  const plainText = text.trim().replaceAll('_', '').replace('−', '-');
  if (!/^-?(?:0x[\da-f]+|0b[01]+|\d+)$/i.test(plainText) || plainText.length > 80) return null;
  if (!plainText.startsWith('-')) return BigInt(plainText);
  const magnitude = BigInt(plainText.slice(1));
  // As wide as it needs where the port is too narrow, so that it is refused as such.
  return BigInt.asUintN(magnitude > 1n << BigInt(width - 1) ? 256 : width, -magnitude);
}
