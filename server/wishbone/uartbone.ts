/**
 * LiteX's UART-to-Wishbone protocol on the wire (enjoy-digital/litex, litex/soc/cores/uart.py). A frame is: command (1
 * byte), length in words (1), word address (4, big endian), and for a write the words, big endian. One addition: the
 * upper half of a write's command masks bytes that the write leaves unchanged; LiteX sends zeros there. A read answers
 * with its words, big endian; a write has no answer.
 */

/** The length field is one byte. */
export const MAX_BURST_WORDS = 255;

export const HEADER_BYTES = 6;

/** All four bytes of a word. */
const ALL_BYTES = 0b1111;

const COMMANDS = {
  write: { incrementing: 1, fixed: 3 },
  read: { incrementing: 2, fixed: 4 },
} as const;

/**
 * One frame: up to 255 words at consecutive addresses, or all at one address. `select` is the byte select of a write, 1
 * to 15; default all.
 */
export type Frame = { byteAddress: number; fixed: boolean } & (
  | { kind: 'read'; words: number }
  | { kind: 'write'; data: Uint32Array; select?: number }
);

/** Words of a frame. */
export const frameWords = (frame: Frame): number => (frame.kind === 'read' ? frame.words : frame.data.length);

/** Bytes of a frame on the line to the board. */
const frameBytes = (frame: Frame): number =>
  HEADER_BYTES + (frame.kind === 'write' ? 4 * frame.data.length : 0);

/** Bytes of a frame's answer. */
export const answerBytes = (frame: Frame): number => (frame.kind === 'read' ? 4 * frame.words : 0);

/**
 * Encodes a frame.
 * @throws RangeError for a length outside 1..255 or an address that is no multiple of 4 below 2^32
 */
export function encodeFrame(frame: Frame): Uint8Array {
  const words = frameWords(frame);
  if (!Number.isInteger(words) || words < 1 || words > MAX_BURST_WORDS)
    throw new RangeError(`A burst has 1 to ${MAX_BURST_WORDS} words, not ${words}.`);
  if (frame.byteAddress % 4 !== 0 || frame.byteAddress < 0 || frame.byteAddress > 0xffff_fffc)
    throw new RangeError(`${frame.byteAddress} is not the byte address of a word.`);
  const bytes = new Uint8Array(frameBytes(frame));
  const view = new DataView(bytes.buffer);
  const select = (frame.kind === 'write' ? frame.select : undefined) ?? ALL_BYTES;
  if (!Number.isInteger(select) || select < 1 || select > ALL_BYTES || (select < ALL_BYTES && frame.fixed))
    throw new RangeError(`${select} does not select bytes of a written word.`);
  bytes[0] = COMMANDS[frame.kind][frame.fixed ? 'fixed' : 'incrementing'] | ((select ^ ALL_BYTES) << 4);
  bytes[1] = words;
  view.setUint32(2, frame.byteAddress / 4);
  if (frame.kind === 'write')
    frame.data.forEach((word, i) => {
      view.setUint32(HEADER_BYTES + 4 * i, word);
    });
  return bytes;
}

/** Converts big-endian bytes to words. */
export function decodeWords(bytes: Uint8Array): Uint32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const words = new Uint32Array(bytes.length >> 2);
  for (let i = 0; i < words.length; i++) words[i] = view.getUint32(4 * i);
  return words;
}
