/** A value as Verilog computes with it, without unknown bits. */
export interface Value {
  /** From 0 to 2^width - 1, whether it is signed or not. */
  bits: bigint;
  /** Bits. */
  width: number;
  signed: boolean;
}

/** Wider values are not computed. */
export const WIDEST = 1024;

/** By width: 2^width. */
const POWERS = Array.from({ length: WIDEST + 1 }, (_, width) => 1n << BigInt(width));

const powerOf = (width: number): bigint => POWERS[width] ?? 1n << BigInt(width);

/** The lower bits of a number. Loops have hundreds of thousands of passes, and most numbers fit: V8 compares faster than it cuts. */
export const cut = (width: number, bits: bigint): bigint =>
  bits >= 0n && bits < powerOf(width) ? bits : BigInt.asUintN(width, bits);

/** What so many bits stand for where the highest is the sign. */
export const asSigned = (width: number, bits: bigint): bigint =>
  width > 0 && bits >= powerOf(width - 1) ? bits - powerOf(width) : bits;

export const value = (bits: bigint, width: number, signed: boolean): Value => ({
  bits: cut(width, bits),
  width,
  signed,
});

/** A number without a size, as an `integer` is. */
export const integer = (bits: bigint): Value => value(bits, 32, true);

/** What the bits stand for. */
export const numberOf = ({ bits, width, signed }: Value): bigint => (signed ? asSigned(width, bits) : bits);

const DIGITS: Readonly<Record<string, [base: bigint, digit: RegExp]>> = {
  b: [2n, /^[01_]+$/],
  o: [8n, /^[0-7_]+$/],
  d: [10n, /^[\d_]+$/],
  h: [16n, /^[\da-f_]+$/i],
};
const PREFIX: Readonly<Record<string, string>> = { b: '0b', o: '0o', d: '', h: '0x' };
/** Digits of a literal that are read. */
const LONGEST = 300;

/**
 * The value of a literal.
 * @param size what stands before `'h…`, or the whole of a number without a base @param based null without one
 * @returns null for one with unknown bits, a real, and one that does not fit into 32 bits and says no size
 */
export function literal(size: string | null, based: string | null): Value | null {
  const bits = size === null ? 32 : Number(size.replaceAll('_', ''));
  if (size !== null && !/^\d[\d_]*$/.test(size)) return null;
  if (based === null) return bits < 2 ** 31 ? integer(BigInt(bits)) : null;
  const [, sign, letter = '', text = ''] = /^'([sS]?)([bodhBODH])\s*(\w+)$/.exec(based) ?? [];
  const [, digits] = DIGITS[letter.toLowerCase()] ?? [];
  if (!digits?.test(text) || text.startsWith('_') || text.length > LONGEST || bits < 1 || bits > WIDEST)
    return null;
  const plain = BigInt(`${PREFIX[letter.toLowerCase()]}${text.replaceAll('_', '')}`);
  if (size === null && plain >= 1n << 32n) return null;
  return value(plain, bits, sign !== '');
}
