/** A number in a source. */
export interface Literal {
  value: bigint;
  /** Bits in the literal's text; undefined without a width. */
  width: number | undefined;
}

const RADIX = { b: 2, o: 8, d: 10, h: 16, x: 16 } as const;
const DIGITS = { 2: /^[01]+$/, 8: /^[0-7]+$/, 10: /^\d+$/, 16: /^[\da-f]+$/i } as const;

function parseDigits(digits: string, radix: 2 | 8 | 10 | 16): bigint | undefined {
  const plain = digits.replaceAll('_', '');
  if (!DIGITS[radix].test(plain)) return undefined;
  const prefix = { 2: '0b', 8: '0o', 10: '', 16: '0x' }[radix];
  return BigInt(prefix + plain);
}

/**
 * Parses a number of Verilog (`32'hCAFE_F00D`, `'b1`), VHDL (`x"CAFE"`, `16#CAFE#`) or Amaranth (`0xCAFE`), or a
 * decimal one. Undefined for other text and for unknown digits (`8'bxxxx_zzzz`).
 */
export function parseLiteral(text: string): Literal | undefined {
  const verilog = /^(\d*)'s?([bodh])([\w?]+)$/i.exec(text);
  const radixOf = (letter: string) => RADIX[letter.toLowerCase() as keyof typeof RADIX];
  const literal = (digits: string, radix: 2 | 8 | 10 | 16, width?: number): Literal | undefined => {
    const value = parseDigits(digits, radix);
    return value === undefined ? undefined : { value, width };
  };
  if (verilog)
    return literal(verilog[3] ?? '', radixOf(verilog[2] ?? 'd'), verilog[1] ? Number(verilog[1]) : undefined);
  const bits = /^([box])"([\w]+)"$/i.exec(text);
  if (bits) {
    const digits = bits[2] ?? '';
    const radix = radixOf(bits[1] ?? 'b');
    return literal(digits, radix, digits.replaceAll('_', '').length * Math.log2(radix));
  }
  const based = /^(2|8|10|16)#(\w+)#$/.exec(text);
  if (based) return literal(based[2] ?? '', Number(based[1]) as 2 | 8 | 10 | 16);
  const prefixed = /^0([box])(\w+)$/i.exec(text);
  if (prefixed) return literal(prefixed[2] ?? '', radixOf(prefixed[1] ?? 'x'));
  return literal(text, 10);
}

/** Digits in groups of four, from the right. */
const grouped = (digits: string): string => digits.replace(/\B(?=(\w{4})+$)/g, '_');

/** A literal in every format, one per line: hexadecimal, decimal, signed if its width makes it negative, binary. */
export function formatLiteral({ value, width }: Literal): string[] {
  const lines = [`0x${grouped(value.toString(16).toUpperCase())}`, value.toString()];
  if (width !== undefined && width > 0 && value >> BigInt(width - 1) === 1n)
    lines.push(`−${((1n << BigInt(width)) - value).toString()}`);
  const binary = value.toString(2);
  if (binary.length <= 64) lines.push(`0b${grouped(binary.padStart(Math.min(width ?? 0, 64), '0'))}`);
  return lines;
}

/** The number or name at a position of a line. */
export function wordAt(
  line: string,
  position: number,
): { from: number; to: number; text: string } | undefined {
  for (const match of line.matchAll(/\d*'s?[bodh][\w?]+|[box]"\w+"|\d+#\w+#|[A-Za-z_$][\w$]*|\d[\w]*/gi)) {
    const from = match.index;
    const to = from + match[0].length;
    if (from <= position && position <= to) return { from, to, text: match[0] };
  }
  return undefined;
}
