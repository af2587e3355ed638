import type { WishboneLink } from './link.ts';

/** First byte address of the port block: 16 words, behind which everything repeats. */
export const PINS_BASE = 0xfc00_0000;

/** Words of the port block: the last one of a write hands the inputs over. */
const BLOCK_WORDS = 16;

/** A snapshot of the design's outputs: bit i of each is bit i of the port block. */
export interface PinSnapshot {
  levels: bigint;
  /** What has risen since the snapshot before, though it may have fallen again. */
  rose: bigint;
  fell: bigint;
}

const wordsFor = (bits: number) => Math.ceil(bits / 32);

/** Bits in the order of the line, the first one lowest: bytes as they come, the least significant bit of each first. */
export function bitsOfWords(words: Uint32Array): bigint {
  const bytes = new DataView(new ArrayBuffer(4 * words.length));
  words.forEach((word, at) => {
    bytes.setUint32(4 * at, word);
  });
  let bits = 0n;
  for (let at = bytes.byteLength - 1; at >= 0; at--) bits = (bits << 8n) | BigInt(bytes.getUint8(at));
  return bits;
}

/** The words that bring so many bits over the line, the lowest one first. */
export function wordsOfBits(bits: bigint, count: number): Uint32Array {
  const bytes = new DataView(new ArrayBuffer(4 * count));
  for (let at = 0; at < bytes.byteLength; at++) bytes.setUint8(at, Number((bits >> BigInt(8 * at)) & 255n));
  return Uint32Array.from({ length: count }, (_, at) => bytes.getUint32(4 * at));
}

const part = (bits: bigint, at: number, width: number) => (bits >> BigInt(at)) & ((1n << BigInt(width)) - 1n);

/** @param words as they were read from PINS_BASE @param outputs bits that the design gives */
export function parseSnapshot(words: Uint32Array, outputs: number): PinSnapshot {
  const bits = bitsOfWords(words);
  return {
    levels: part(bits, 0, outputs),
    rose: part(bits, outputs, outputs),
    fell: part(bits, 2 * outputs, outputs),
  };
}

/** What to write into a block whose chain keeps what goes in last, and where, for its last bits to be these. */
export function composeLast(
  base: number,
  bits: bigint,
  width: number,
): { byteAddress: number; words: Uint32Array } {
  const count = wordsFor(width);
  const words = wordsOfBits(part(bits, 0, width) << BigInt(32 * count - width), count);
  return { byteAddress: base + 4 * (BLOCK_WORDS - count), words };
}

/** What to write, and where, for so many inputs of the design to have these levels. */
export const composeInputs = (levels: bigint, inputs: number) => composeLast(PINS_BASE, levels, inputs);

/** Takes a snapshot, in one burst; the edges in it are not told again. */
export async function readPins(link: Pick<WishboneLink, 'read'>, outputs: number): Promise<PinSnapshot> {
  if (outputs === 0) return { levels: 0n, rose: 0n, fell: 0n };
  const result = await link.read(PINS_BASE, wordsFor(3 * outputs));
  // The block answers by itself, so the bus of the design has no part in it.
  if (!result.ok) throw new Error('The port block did not answer.');
  return parseSnapshot(result.data, outputs);
}

/** Sets all inputs of the design at once. */
export async function drivePins(
  link: Pick<WishboneLink, 'write'>,
  levels: bigint,
  inputs: number,
): Promise<void> {
  const { byteAddress, words } = composeInputs(levels, inputs);
  await link.write(byteAddress, words, { portBlock: true });
}
