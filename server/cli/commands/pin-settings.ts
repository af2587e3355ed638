import type { PinSettings } from '../../contract/pins.ts';
import { UsageError } from '../usage.ts';

/** `NAME=VALUE` as a setting: numbers up to 32 bits as such, wider ones as hexadecimal text. @throws UsageError */
export function pinSettings(words: readonly string[]): PinSettings['pins'] {
  const pins: PinSettings['pins'] = {};
  for (const word of words) {
    const equals = word.lastIndexOf('=');
    const [name, text] = [word.slice(0, equals), word.slice(equals + 1).replaceAll('_', '')];
    if (equals < 1 || !/^(?:0x[\da-f]{1,16}|0b[01]{1,64}|\d{1,20})$/i.test(text))
      throw new UsageError(`Give NAME=VALUE with a number such as 3, 0x12 or 0b101, not “${word}”.`);
    const bits = BigInt(text);
    if (bits >= 1n << 64n) throw new UsageError(`${name} cannot have more than 64 bits.`);
    pins[name] = bits <= 0xffff_ffffn ? Number(bits) : `0x${bits.toString(16)}`;
  }
  return pins;
}

/** The same of a submit, which may also say `NAME=PIN,PIN`: pins of the board. @throws UsageError */
export function pinWishes(words: readonly string[]): Record<string, number | string> {
  return Object.assign(
    {},
    ...words.map((word) => {
      const [, name, places] = /^([^=]+)=((?!0[xXbB])\w*[A-Za-z,]\w*(?:,\w+)*)$/.exec(word) ?? [];
      return name === undefined || places === undefined ? pinSettings([word]) : { [name]: places };
    }),
  );
}
