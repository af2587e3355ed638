/** Pins of a submit: an initial value, or the board pins of a port. */
type PinWishes = Record<string, number | string>;

/** Parses `sw=0x12 cfg=3 led=LED btn=B5,B4`, separated by white space; null if it is not such a list. */
export function parsePinWishes(text: string): PinWishes | null {
  const wishes: PinWishes = {};
  for (const part of text.split(/[\s;]+/).filter((one) => one !== '')) {
    const [, name, value = ''] = /^([^=]+)=([\w,]+)$/.exec(part) ?? [];
    if (name === undefined) return null;
    const plain = value.replaceAll('_', '');
    if (/^(?:0x[\da-f]+|0b[01]+|\d+)$/i.test(plain)) {
      const bits = BigInt(plain);
      if (bits >= 1n << 64n) return null;
      wishes[name] = bits <= 0xffff_ffffn ? Number(bits) : `0x${bits.toString(16)}`;
    } else if (/^(?!0x)\w+(?:,\w+)*$/i.test(value)) wishes[name] = value;
    else return null;
  }
  return wishes;
}

/** The inverse of `parsePinWishes`. */
export const formatPinWishes = (wishes: Readonly<PinWishes>): string =>
  Object.entries(wishes)
    .map(([name, value]) =>
      typeof value === 'number' || /^0x/i.test(value)
        ? `${name}=0x${BigInt(value).toString(16).toUpperCase()}`
        : `${name}=${value.replace(/[ ,]+/g, ',')}`,
    )
    .join(' ');
