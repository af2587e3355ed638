import { clockOfSample } from '../contract/signals/sample-clock.ts';
import type { CaptureView, SignalValue } from '../contract/signals/signals.ts';

/** A signal inside the bits of a sample. */
export interface Field {
  name: string;
  width: number;
  /** Its lowest bit among those of the sample. */
  offset: number;
  /** Lost bits, as a mask. */
  lost?: string;
}

/** Samples with their capture; `words` words of 32 bits each, oldest first. */
export interface Samples {
  view: CaptureView;
  data: Int32Array;
}

/** Board clocks of a sample, counted from the first one. */
export const clockOf = ({ view }: Samples, sample: number): number => clockOfSample(view, sample);

/** Parts of a field, 32 bits each, lowest first. */
const partsOf = (width: number): number => Math.ceil(width / 32);

/** 32 bits of a field in a sample; its part k has the bits from 32 k on. */
function part({ data, view: { words } }: Samples, sample: number, field: Field, k: number): number {
  const low = field.offset + 32 * k;
  const at = sample * words + (low >> 5);
  const shift = low & 31;
  const value =
    shift === 0 ? (data[at] ?? 0) : ((data[at] ?? 0) >>> shift) | ((data[at + 1] ?? 0) << (32 - shift));
  const left = field.width - 32 * k;
  return (left >= 32 ? value : value & ((1 << left) - 1)) >>> 0;
}

/** Whether a field differs from the sample before. */
export function changes(samples: Samples, sample: number, field: Field): boolean {
  for (let k = 0; k < partsOf(field.width); k++)
    if (part(samples, sample, field, k) !== part(samples, sample - 1, field, k)) return true;
  return false;
}

/** Whether any field does: faster than asking for each. */
export function rowChanges({ data, view: { words } }: Samples, sample: number): boolean {
  for (let k = 0; k < words; k++)
    if (data[sample * words + k] !== data[(sample - 1) * words + k]) return true;
  return false;
}

/** The value of a field: a number up to 32 bits, else hexadecimal digits. */
export function fieldValue(samples: Samples, sample: number, field: Field): SignalValue {
  if (field.width <= 32) return part(samples, sample, field, 0);
  let digits = '';
  for (let k = partsOf(field.width) - 1; k >= 0; k--)
    digits += part(samples, sample, field, k).toString(16).padStart(8, '0');
  return `0x${digits.replace(/^0+(?=.)/, '')}`;
}

/** The value as binary digits, highest first, all of them. */
export function digitsOf(samples: Samples, sample: number, field: Field): string {
  let digits = '';
  for (let k = partsOf(field.width) - 1; k >= 0; k--)
    digits += part(samples, sample, field, k)
      .toString(2)
      .padStart(Math.min(32, field.width - 32 * k), '0');
  return digits;
}

/** Bits, lowest first, as a value. */
export function valueOfBits(bits: readonly number[]): SignalValue {
  const value = bits.reduceRight((sum, bit) => sum * 2n + BigInt(bit), 0n);
  return bits.length <= 32 ? Number(value) : `0x${value.toString(16)}`;
}
