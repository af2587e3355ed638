import type { TransferOptions, WishboneLink } from './link.ts';

/** First byte address of the port block: 16 words, which repeat. */
export const PINS_BASE = 0xfc00_0000;

/** Words of the port block: the last word of a write applies the inputs. */
const BLOCK_WORDS = 16;

/** A snapshot of the design's outputs: bit i of each field is bit i of the port block. */
export interface PinSnapshot {
  levels: bigint;
  /** Bits with a rising edge since the snapshot before, even if they fell again. */
  rose: bigint;
  fell: bigint;
}

const wordsFor = (bits: number) => Math.ceil(bits / 32);

/** Bits in line order, the first one lowest: bytes as received, the least significant bit of each first. */
export function bitsOfWords(words: Uint32Array): bigint {
  const bytes = new DataView(new ArrayBuffer(4 * words.length));
  words.forEach((word, at) => {
    bytes.setUint32(4 * at, word);
  });
  let bits = 0n;
  for (let at = bytes.byteLength - 1; at >= 0; at--) bits = (bits << 8n) | BigInt(bytes.getUint8(at));
  return bits;
}

/** The words that send so many bits over the line, the lowest bit first. */
export function wordsOfBits(bits: bigint, count: number): Uint32Array {
  const bytes = new DataView(new ArrayBuffer(4 * count));
  for (let at = 0; at < bytes.byteLength; at++) bytes.setUint8(at, Number((bits >> BigInt(8 * at)) & 255n));
  return Uint32Array.from({ length: count }, (_, at) => bytes.getUint32(4 * at));
}

const part = (bits: bigint, at: number, width: number) => (bits >> BigInt(at)) & ((1n << BigInt(width)) - 1n);

/** @param words as read from PINS_BASE @param outputs number of the design's output bits */
export function parseSnapshot(words: Uint32Array, outputs: number): PinSnapshot {
  const bits = bitsOfWords(words);
  return {
    levels: part(bits, 0, outputs),
    rose: part(bits, outputs, outputs),
    fell: part(bits, 2 * outputs, outputs),
  };
}

/** The words to write, and their address, into a shift chain that keeps the last bits. */
export function composeLast(
  base: number,
  bits: bigint,
  width: number,
): { byteAddress: number; words: Uint32Array } {
  const count = wordsFor(width);
  const words = wordsOfBits(part(bits, 0, width) << BigInt(32 * count - width), count);
  return { byteAddress: base + 4 * (BLOCK_WORDS - count), words };
}

/** The words to write, and their address, to set the design's inputs. */
export const composeInputs = (levels: bigint, inputs: number) => composeLast(PINS_BASE, levels, inputs);

/** Reads from the port block or one beside it: such a block answers by itself, without the design's bus. */
export async function readBlock(
  link: Pick<WishboneLink, 'read'>,
  byteAddress: number,
  count: number,
  options: TransferOptions = {},
): Promise<Uint32Array> {
  const result = await link.read(byteAddress, count, options);
  if (!result.ok) throw new Error('A block beside the design did not answer.');
  return result.data;
}

/** Takes a snapshot in one burst, which also clears the recorded edges. */
export async function readPins(link: Pick<WishboneLink, 'read'>, outputs: number): Promise<PinSnapshot> {
  if (outputs === 0) return { levels: 0n, rose: 0n, fell: 0n };
  return parseSnapshot(await readBlock(link, PINS_BASE, wordsFor(3 * outputs)), outputs);
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
