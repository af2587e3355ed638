import { clockOfSample } from '../../../../../../server/contract/signals/sample-clock.ts';
import type { CaptureView } from '../../../../../../server/contract/signals/signals.ts';

/** A signal's bits within a sample. */
export type Field = CaptureView['signals'][number];

/** A number up to 32 bits, a bigint beyond. */
export type WaveValue = number | bigint;

/** Samples with their capture: `words` words of 32 bits each, oldest first. */
export interface Samples {
  view: CaptureView;
  data: Int32Array;
}

/** Reads `samples.bin` of a capture. Its words are little-endian, as in every browser. */
export const samplesFrom = (view: CaptureView, bytes: Uint8Array<ArrayBuffer>): Samples => ({
  view,
  data: new Int32Array(bytes.buffer, bytes.byteOffset, Math.floor(bytes.byteLength / 4)),
});

/** The words of a sample with bits of a field, each with a mask. */
function masksOf({ offset, width }: Field): { word: number; mask: number }[] {
  const masks: { word: number; mask: number }[] = [];
  for (let bit = offset; bit < offset + width; ) {
    const low = bit & 31;
    const count = Math.min(32 - low, offset + width - bit);
    masks.push({ word: bit >> 5, mask: (count === 32 ? -1 : (1 << count) - 1) << low });
    bit += count;
  }
  return masks;
}

/** The samples in which a field changes; the first one counts. */
export function changesOf({ view: { words, samples }, data }: Samples, field: Field): Uint32Array {
  const starts = new Uint32Array(samples);
  let count = samples > 0 ? 1 : 0;
  const masks = masksOf(field);
  const [only] = masks;
  if (only && masks.length === 1) {
    const { word, mask } = only;
    let before = (data[word] ?? 0) & mask;
    for (let sample = 1, at = words + word; sample < samples; sample++, at += words) {
      const now = (data[at] ?? 0) & mask;
      if (now !== before) starts[count++] = sample;
      before = now;
    }
  } else
    for (let sample = 1, at = words; sample < samples; sample++, at += words)
      for (const { word, mask } of masks)
        if ((((data[at + word] ?? 0) ^ (data[at + word - words] ?? 0)) & mask) !== 0) {
          starts[count++] = sample;
          break;
        }
  return starts.slice(0, count);
}

/** The value of a field in a sample. */
export function valueAt(
  { view: { words }, data }: Samples,
  { offset, width }: Field,
  sample: number,
): WaveValue {
  const part = (bit: number, count: number): number => {
    const at = sample * words + (bit >> 5);
    const shift = bit & 31;
    const value =
      shift === 0 ? (data[at] ?? 0) : ((data[at] ?? 0) >>> shift) | ((data[at + 1] ?? 0) << (32 - shift));
    return (count >= 32 ? value : value & ((1 << count) - 1)) >>> 0;
  };
  if (width <= 32) return part(offset, width);
  let value = 0n;
  for (let bit = Math.floor((width - 1) / 32) * 32; bit >= 0; bit -= 32)
    value = (value << 32n) | BigInt(part(offset + bit, width - bit));
  return value;
}

/** Board clocks from the zero of the time axis to a sample. The zero is the trigger, or the first sample. */
export const clocksAt = (view: CaptureView, sample: number): number =>
  clockOfSample(view, sample) - clockOfSample(view, view.trigger_sample ?? 0);
