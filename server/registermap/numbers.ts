/** Maximum characters of a number. */
const MAX_DIGITS = 200;

/**
 * A number in the notations of map files: `0x1F`, `'h1F`, `32'h1F`, `#1010` (SVD, binary), `0b1010`, `'b1010`, `'o17`,
 * `31`. `_` between digits and SVD's suffixes k, M, G and T are allowed. Excess digits of a sized number are cut off,
 * as in SystemVerilog. Null for anything else, expressions included.
 */
export function integerIn(text: string): bigint | null {
  const plain = text.trim().replaceAll('_', '').toLowerCase();
  if (plain.length > MAX_DIGITS) return null;
  const match =
    /^\+?(?:(?:0x|(\d{0,4})'s?h)([0-9a-f]+)|(?:#|0b|(\d{0,4})'s?b)([01]+)|(\d{0,4})'s?o([0-7]+)|(?:(\d{0,4})'s?d)?(\d+))([kmgt]?)$/.exec(
      plain,
    );
  if (!match) return null;
  const [, hexBits, hex, binaryBits, binary, octalBits, octal, decimalBits, decimal = '', unit = ''] = match;
  const value = BigInt(
    hex !== undefined
      ? `0x${hex}`
      : binary !== undefined
        ? `0b${binary}`
        : octal !== undefined
          ? `0o${octal}`
          : decimal,
  );
  const bits = Number(hexBits || binaryBits || octalBits || decimalBits || 0);
  const sized = bits > 0 ? BigInt.asUintN(bits, value) : value;
  return sized * 1024n ** BigInt(' kmgt'.indexOf(unit || ' '));
}

/** An integer as a number; null for one that no double holds exactly. */
export const exactly = (value: bigint | null): number | null =>
  value !== null && Number.isSafeInteger(Number(value)) ? Number(value) : null;

/** The same as a number. Null also where no double holds it exactly. */
export const numberIn = (text: string): number | null => exactly(integerIn(text));

/** A byte address in the form of map files. */
export const hexAddress = (address: number): string =>
  `0x${address.toString(16).toUpperCase().padStart(8, '0')}`;
