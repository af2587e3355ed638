/**
 * A number as map files write it: `0x1F`, `'h1F`, `32'h1F`, `#1010` (SVD, binary), `0b1010`, `'b1010`, `31`, with `_` between
 * digits and the suffixes k, M and G of SVD. Null for what is none, for expressions, and for what no double holds exactly.
 */
export function numberIn(text: string): number | null {
  const plain = text.trim().replaceAll('_', '').toLowerCase();
  const match =
    /^\+?(?:(?:0x|\d{0,4}'s?h)([0-9a-f]+)|(?:#|0b|\d{0,4}'s?b)([01]+)|(?:\d{0,4}'s?d)?(\d+))([kmgt]?)$/.exec(
      plain,
    );
  if (!match) return null;
  const [, hex, binary, decimal = '', unit = ''] = match;
  const value =
    hex !== undefined
      ? Number.parseInt(hex, 16)
      : binary !== undefined
        ? Number.parseInt(binary, 2)
        : Number(decimal);
  const scaled = value * 1024 ** ' kmgt'.indexOf(unit || ' ');
  return Number.isSafeInteger(scaled) ? scaled : null;
}

/** A byte address as files of maps have it. */
export const hexAddress = (address: number): string =>
  `0x${address.toString(16).toUpperCase().padStart(8, '0')}`;
