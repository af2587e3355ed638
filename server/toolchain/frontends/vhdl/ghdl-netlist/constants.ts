// Decodes the constant gates of GHDL's netlists.
import type { Gate } from './netlist.ts';

/** Bits of a value as `0`, `1`, `x`, `z`; the most significant comes first. */
type Bits = string;

const WORD = 32;

/** Bits of 32-bit words; the last word is the most significant. */
const binary = (words: readonly number[]): Bits =>
  words
    .map((word) => word.toString(2).padStart(WORD, '0'))
    .reverse()
    .join('');

/** Combines value bits with a mask of the bits that are `x` or `z`. */
const withUnknown = (values: Bits, unknown: Bits): Bits =>
  [...values].map((value, at) => (unknown[at] === '1' ? (value === '1' ? 'x' : 'z') : value)).join('');

const every = (parameters: readonly number[], rest: 0 | 1) => parameters.filter((_, at) => at % 2 === rest);

/**
 * The value of a constant gate; null for any other gate. Source: GHDL, `netlists-gates.ads`.
 * @param width of the output, bits
 */
export function constantOf(
  { kind, parameters }: Pick<Gate, 'kind' | 'parameters'>,
  width: number,
): Bits | null {
  const fitted = (bits: Bits, fill: string) =>
    bits.padStart(width, fill).slice(bits.length > width ? -width : 0);
  const low = (bits: Bits, fill = '0') => (width === 0 ? '' : fitted(bits, fill));
  switch (kind) {
    case '$const_UB32':
      return low(binary(parameters));
    case '$const_SB32': {
      const bits = binary(parameters);
      return low(bits, bits[0]);
    }
    case '$const_UL32':
      return low(withUnknown(binary(every(parameters, 0)), binary(every(parameters, 1))));
    case '$const_bit':
      return low(binary(parameters));
    case '$const_log':
      return low(withUnknown(binary(every(parameters, 0)), binary(every(parameters, 1))));
    case '$const_X':
      return 'x'.repeat(width);
    case '$const_Z':
      return 'z'.repeat(width);
    case '$const_0':
      return '0'.repeat(width);
    case '$const_1':
      return '1'.repeat(width);
    default:
      return null;
  }
}
