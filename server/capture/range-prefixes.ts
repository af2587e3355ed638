/** Values that have the bits of `value` in those of `mask`. */
interface Prefix {
  value: bigint;
  mask: bigint;
}

/** The numbers from `min` to `max` of so many bits, as the fewest sets of numbers with the same highest bits. */
export function rangePrefixes(min: bigint, max: bigint, width: number): Prefix[] {
  const prefixes: Prefix[] = [];
  const whole = (1n << BigInt(width)) - 1n;
  for (let from = min; from <= max; ) {
    // The largest aligned block that begins here and does not end beyond the range.
    let size = 1n;
    while (size <= whole && (from & (2n * size - 1n)) === 0n && from + 2n * size - 1n <= max) size *= 2n;
    prefixes.push({ value: from, mask: whole & ~(size - 1n) });
    from += size;
  }
  return prefixes;
}
