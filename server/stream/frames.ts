import type { Outcome, Request } from './transaction.ts';

/**
 * The binary frames of a stream, big-endian: op (1 byte), length in words (3), byte address (4), words. Op 1 writes the
 * words; op 2 reads, and one word follows, the count; 0x80 on either keeps the address fixed. Each frame is answered by
 * status (1 byte: 0 done, 1 not), length in words (3), words.
 */
export const HEADER_BYTES = 8;

const OPS: Readonly<Record<number, Pick<Request, 'op' | 'fixed'>>> = {
  1: { op: 'write', fixed: false },
  2: { op: 'read', fixed: false },
  129: { op: 'write', fixed: true },
  130: { op: 'read', fixed: true },
};

/** Whether a byte may begin a frame. */
export const isOp = (byte: number): boolean => OPS[byte] !== undefined;

const NO_WORDS = new Uint32Array(0);

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Bytes of the whole frame that begins with this header. */
export const frameBytes = (header: Uint8Array): number =>
  HEADER_BYTES + 4 * (viewOf(header).getUint32(0) & 0xff_ffff);

/** Decodes a frame as a request; a sentence for an invalid one. */
export function decodeFrame(bytes: Uint8Array): Request | string {
  if (bytes.length < HEADER_BYTES) return `A frame has at least ${HEADER_BYTES} bytes, not ${bytes.length}.`;
  const view = viewOf(bytes);
  const kind = OPS[view.getUint8(0)];
  if (!kind) return `A frame begins with the op 0x01, 0x02, 0x81 or 0x82, not ${view.getUint8(0)}.`;
  const words = view.getUint32(0) & 0xff_ffff;
  if (bytes.length !== HEADER_BYTES + 4 * words)
    return `A frame of ${words} words has ${HEADER_BYTES + 4 * words} bytes, not ${bytes.length}.`;
  const address = view.getUint32(4);
  if (kind.op === 'read') {
    if (words !== 1) return `A read has one word, the count, not ${words}.`;
    return { op: kind.op, fixed: kind.fixed, address, count: view.getUint32(HEADER_BYTES), data: NO_WORDS };
  }
  const data = new Uint32Array(words);
  for (let i = 0; i < words; i++) data[i] = view.getUint32(HEADER_BYTES + 4 * i);
  return { op: kind.op, fixed: kind.fixed, address, count: words, data };
}

/** The answer to a frame. */
export function encodeAnswer(outcome: Outcome): Buffer {
  const data = outcome.ok ? outcome.data : NO_WORDS;
  const bytes = Buffer.allocUnsafe(4 + 4 * data.length);
  bytes.writeUInt32BE((((outcome.ok ? 0 : 1) << 24) | data.length) >>> 0, 0);
  for (let i = 0; i < data.length; i++) bytes.writeUInt32BE(data[i] ?? 0, 4 + 4 * i);
  return bytes;
}
