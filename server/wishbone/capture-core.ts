import type { WishboneLink } from './link.ts';
import { bitsOfWords, composeLast, PINS_BASE } from './pin-block.ts';

/** First byte address of the capture core: the upper half of the addresses of the port block. */
const CAPTURE_BASE = PINS_BASE + 0x0200_0000;

/** What is read there, each word from the same address: where the core stands; the sample before; the same, and it stops. */
const STATUS = CAPTURE_BASE;
const SAMPLES = CAPTURE_BASE + 0x40;
const STOP = CAPTURE_BASE + 0x80;

/** Most clocks from one sample to the next. */
export const MAX_SAMPLE_DIVIDER = 65_536;

const EVERY_WIDTH = 16;

/** How a capture core was built. */
export interface CoreShape {
  /** Of a sample. */
  bits: number;
  /** Samples that it holds: a power of two. */
  depth: number;
}

/** What the core is to look for, and how much to keep. */
export interface CoreTrigger {
  /** The trigger: a clock in which the bits of the mask have these values. */
  value: bigint;
  mask: bigint;
  /** In the clock before they must not have. */
  onlyEdge: boolean;
  /** Samples from the trigger's on, 1 to the depth. */
  after: number;
  /** Clocks from one sample to the next, 1 to MAX_SAMPLE_DIVIDER. */
  every: number;
}

/** Where a core stands that has stopped. */
export interface CoreStatus {
  /** Samples that are there. */
  samples: number;
  /** Of them those from the trigger's on; null when it has not come. */
  after: number | null;
  /** Clocks from the sample before the trigger's to that. */
  lag: number;
}

const wordsFor = (bits: number): number => Math.ceil(bits / 32);
const depthLog2 = ({ depth }: CoreShape): number => Math.log2(depth);
const part = (bits: bigint, at: number, width: number): number =>
  Number((bits >> BigInt(at)) & ((1n << BigInt(width)) - 1n));

/** What to write, and where, for the core to look for a trigger. */
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

/** Bits of an answer: a sample, and behind it where the core stands. */
const answerBits = (shape: CoreShape): number => shape.bits + EVERY_WIDTH + 2 * depthLog2(shape) + 4;

/** @param words as they were read from STATUS @returns null while samples are taken */
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

/** On the line the lowest byte of a sample comes first; words are put together highest byte first. */
const reversedBytes = (word: number): number =>
  ((word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24)) >>> 0;

type Reads = Pick<WishboneLink, 'read'>;

async function readWords(
  link: Reads,
  byteAddress: number,
  count: number,
  fixed: boolean,
): Promise<Uint32Array> {
  const result = await link.read(byteAddress, count, { fixed });
  // The core answers by itself, so the bus of the design has no part in it.
  if (!result.ok) throw new Error('The capture core did not answer.');
  return result.data;
}

/** Where the core stands; null while it takes samples. */
export const readStatus = async (link: Reads, shape: CoreShape): Promise<CoreStatus | null> =>
  parseStatus(await readWords(link, STATUS, wordsFor(answerBits(shape)), false), shape);

/** Has the core take no more samples. */
export async function stopCore(link: Reads): Promise<void> {
  await readWords(link, STOP, 1, false);
}

/** Has the core look for a trigger, from now on. */
export async function armCore(
  link: Pick<WishboneLink, 'write'>,
  shape: CoreShape,
  trigger: CoreTrigger,
): Promise<void> {
  const { byteAddress, words } = composeTrigger(shape, trigger);
  await link.write(byteAddress, words, { portBlock: true });
}

/**
 * Reads the newest samples of a core that has stopped; they can be read once.
 * @returns oldest first, `bits` of a sample in so many words of 32, its lowest bit first
 */
export async function readSamples(
  link: Reads,
  { bits }: CoreShape,
  count: number,
): Promise<{ samples: Uint32Array; words: number }> {
  const words = wordsFor(bits);
  const read = count === 0 ? new Uint32Array() : await readWords(link, SAMPLES, count * words, true);
  const samples = new Uint32Array(count * words);
  // Behind its bits comes where the core stands.
  const last = bits % 32 === 0 ? 0xffff_ffff : 2 ** (bits % 32) - 1;
  for (let sample = 0; sample < count; sample++)
    for (let word = 0; word < words; word++) {
      const value = reversedBytes(read[(count - 1 - sample) * words + word] ?? 0);
      samples[sample * words + word] = word === words - 1 ? value & last : value;
    }
  return { samples, words };
}
