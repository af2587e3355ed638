import type { WishboneLink } from './link.ts';
import { bitsOfWords, composeLast, PINS_BASE, readBlock } from './pin-block.ts';

/** First byte address of the capture core: the upper half of the port block's addresses. */
const CAPTURE_BASE = PINS_BASE + 0x0200_0000;

/**
 * Read-only addresses; a burst reads every word from the same address. In order: the status, the next older sample,
 * and the status with a stop of the core.
 */
const STATUS = CAPTURE_BASE;
const SAMPLES = CAPTURE_BASE + 0x40;
const STOP = CAPTURE_BASE + 0x80;

/** Maximum clocks between two samples. */
export const MAX_SAMPLE_DIVIDER = 65_536;

const EVERY_WIDTH = 16;

/** The size of a capture core. */
export interface CoreShape {
  /** Bits of a sample. */
  bits: number;
  /** Samples that it can store: a power of two. */
  depth: number;
}

/** The trigger condition, and the recording around it. */
export interface CoreTrigger {
  /** The trigger: a clock in which the bits of the mask have these values. */
  value: bigint;
  mask: bigint;
  /** The trigger also needs other values in the clock before. */
  onlyEdge: boolean;
  /** Samples from the trigger on, 1 to the depth. */
  after: number;
  /** Clocks between two samples, 1 to MAX_SAMPLE_DIVIDER. */
  every: number;
}

/** The state of a stopped core. */
export interface CoreStatus {
  /** Stored samples. */
  samples: number;
  /** Of these, samples from the trigger on; null without a trigger. */
  after: number | null;
  /** Clocks from the sample before the trigger's sample to the trigger. */
  lag: number;
}

const wordsFor = (bits: number): number => Math.ceil(bits / 32);
const depthLog2 = ({ depth }: CoreShape): number => Math.log2(depth);
const part = (bits: bigint, at: number, width: number): number =>
  Number((bits >> BigInt(at)) & ((1n << BigInt(width)) - 1n));

/** The words to write, and their address, to arm the core. */
function composeTrigger(
  shape: CoreShape,
  { value, mask, onlyEdge, after, every }: CoreTrigger,
): { byteAddress: number; words: Uint32Array } {
  const { bits } = shape;
  const fields: [bigint, number][] = [
    [value, bits],
    [mask, bits],
    [BigInt(after - 1), depthLog2(shape)],
    [BigInt(every - 1), EVERY_WIDTH],
    [onlyEdge ? 1n : 0n, 1],
  ];
  let all = 0n;
  let at = 0;
  for (const [field, width] of fields) {
    all |= field << BigInt(at);
    at += width;
  }
  return composeLast(CAPTURE_BASE, all, at);
}

/** Bits of an answer: a sample, then the status. */
const answerBits = (shape: CoreShape): number => shape.bits + EVERY_WIDTH + 2 * depthLog2(shape) + 4;

/** @param words as read from STATUS @returns null while the core records */
function parseStatus(words: Uint32Array, shape: CoreShape): CoreStatus | null {
  const all = bitsOfWords(words);
  const log2 = depthLog2(shape);
  let at = shape.bits;
  const take = (width: number): number => {
    at += width;
    return part(all, at - width, width);
  };
  const next = take(log2);
  const wrapped = take(1);
  const behind = take(log2 + 1);
  const waited = take(EVERY_WIDTH);
  const fired = take(1);
  if (take(1) === 1) return null;
  return { samples: wrapped ? shape.depth : next, after: fired ? behind : null, lag: waited + 1 };
}

/** The line sends a sample's lowest byte first; words are assembled highest byte first. */
const reversedBytes = (word: number): number =>
  ((word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24)) >>> 0;

type Reads = Pick<WishboneLink, 'read'>;

/** The status of the core; null while it records. */
export const readStatus = async (link: Reads, shape: CoreShape): Promise<CoreStatus | null> =>
  parseStatus(await readBlock(link, STATUS, wordsFor(answerBits(shape))), shape);

/** Stops the recording. */
export async function stopCore(link: Reads): Promise<void> {
  await readBlock(link, STOP, 1);
}

/** Arms the core. */
export async function armCore(
  link: Pick<WishboneLink, 'write'>,
  shape: CoreShape,
  trigger: CoreTrigger,
): Promise<void> {
  const { byteAddress, words } = composeTrigger(shape, trigger);
  await link.write(byteAddress, words, { portBlock: true });
}

/**
 * Reads the newest samples of a stopped core; each can be read once.
 * @returns oldest first, each as 32-bit words, lowest bits first
 */
export async function readSamples(
  link: Reads,
  { bits }: CoreShape,
  count: number,
): Promise<{ samples: Uint32Array; words: number }> {
  const words = wordsFor(bits);
  const read = await readBlock(link, SAMPLES, count * words, { fixed: true });
  const samples = new Uint32Array(count * words);
  // The status follows the bits of the sample.
  const last = bits % 32 === 0 ? 0xffff_ffff : 2 ** (bits % 32) - 1;
  for (let sample = 0; sample < count; sample++)
    for (let word = 0; word < words; word++) {
      const value = reversedBytes(read[(count - 1 - sample) * words + word] as number);
      samples[sample * words + word] = word === words - 1 ? value & last : value;
    }
  return { samples, words };
}
