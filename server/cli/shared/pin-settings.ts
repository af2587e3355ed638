import type { Pin, PinSettings } from '../../contract/nodes/pins.ts';
import { UsageError } from '../usage.ts';

type Bits = Pin['value'];

/** Splits `NAME=TEXT` at the last equals sign. @throws UsageError */
function split(word: string): [name: string, text: string] {
  const equals = word.lastIndexOf('=');
  return [word.slice(0, Math.max(0, equals)), word.slice(equals + 1)];
}

const notUnderstood = (word: string, form: string) =>
  new UsageError(`Give ${form} with numbers such as 3, 0x12 or 0b101, not “${word}”.`);

/** Bits of a pin: a number up to 32 bits, hexadecimal text beyond. @throws UsageError */
function bitsOf(name: string, text: string, word: string, form = 'NAME=VALUE'): Bits {
  const digits = text.replaceAll('_', '');
  if (name === '' || !/^(?:0x[\da-f]{1,16}|0b[01]{1,64}|\d{1,20})$/i.test(digits))
    throw notUnderstood(word, form);
  const bits = BigInt(digits);
  if (bits >= 1n << 64n) throw new UsageError(`${name} cannot have more than 64 bits.`);
  return bits <= 0xffff_ffffn ? Number(bits) : `0x${bits.toString(16)}`;
}

/** Parses `NAME=VALUE`, or `NAME=VALUE&MASK` for some bits. @throws UsageError */
export function pinSettings(words: readonly string[]): PinSettings['pins'] {
  const pins: PinSettings['pins'] = {};
  for (const word of words) {
    const [name, text] = split(word);
    const [value = '', mask, ...more] = text.split('&');
    if (more.length > 0) throw notUnderstood(word, 'NAME=VALUE or NAME=VALUE&MASK');
    if (mask === undefined) pins[name] = bitsOf(name, value, word);
    else {
      const part = (bits: string) => bitsOf(name, bits, word, 'NAME=VALUE&MASK');
      pins[name] = { value: part(value), mask: part(mask) };
    }
  }
  return pins;
}

/** Parses the initial value of an input. @throws UsageError */
function pinAtFirst(word: string): Record<string, Bits> {
  const [name, text] = split(word);
  return { [name]: bitsOf(name, text, word) };
}

/** Parses the pins of a submit: an initial value, or `NAME=PIN,PIN` for pins of the board. @throws UsageError */
export function pinWishes(words: readonly string[]): Record<string, number | string> {
  return Object.assign(
    {},
    ...words.map((word) => {
      const [, name, places] = /^([^=]+)=((?!0[xXbB])\w*[A-Za-z,]\w*(?:,\w+)*)$/.exec(word) ?? [];
      return name === undefined || places === undefined ? pinAtFirst(word) : { [name]: places };
    }),
  );
}
