import { crc32 } from 'node:zlib';
import { isCrcRegister } from './identity-block.ts';
import { answerBytes, decodeWords, encodeFrame, type Frame, frameWords, HEADER_BYTES } from './uartbone.ts';

/** Frames with one request and one answer. */
export interface Exchange {
  readonly frames: readonly Frame[];
  /** Bytes to the board. */
  readonly request: Uint8Array;
  /** Bytes of the answer. */
  readonly answerLength: number;
  /** Words for the design's bus: the board may take up to its watchdog for each. */
  readonly words: number;
}

export function composeExchange(frames: readonly Frame[]): Exchange {
  return {
    frames,
    request: Buffer.concat(frames.map(encodeFrame)),
    answerLength: frames.reduce((sum, frame) => sum + answerBytes(frame), 0),
    words: frames.reduce((sum, frame) => sum + frameWords(frame), 0),
  };
}

const lastAddress = (frame: Frame) => frame.byteAddress + (frame.fixed ? 0 : 4 * (frameWords(frame) - 1));

/**
 * The words of every read frame, or null when the board's CRC-32 of the conversation differs from ours. The board's CRC
 * covers each byte that it obeyed and each that it answered, in order. It excludes its own four bytes, low byte first;
 * sending them restarts it.
 *
 * @param board `version` of its gateware; `known` is false when its CRC state before this exchange is unknown, which
 * makes the first CRC useless
 */
export function verifyAnswer(
  exchange: Exchange,
  answer: Uint8Array,
  { version, known = true }: { version: number; known?: boolean },
): Uint32Array[] | null {
  const data: Uint32Array[] = [];
  let sent = 0;
  let got = 0;
  let crc = 0;
  let checked = known;
  for (const frame of exchange.frames) {
    const bytes = HEADER_BYTES + (frame.kind === 'write' ? 4 * frame.data.length : 0);
    crc = crc32(exchange.request.subarray(sent, sent + bytes), crc);
    sent += bytes;
    if (frame.kind === 'write') continue;
    const end = got + answerBytes(frame);
    data.push(decodeWords(answer.subarray(got, end)));
    if (lastAddress(frame) >= 0xf000_0000) {
      // Word by word: one of them may be the CRC.
      for (let address = frame.byteAddress; got < end; got += 4, address += frame.fixed ? 0 : 4) {
        const word = answer.subarray(got, got + 4);
        if (!isCrcRegister(address, version)) {
          crc = crc32(word, crc);
          continue;
        }
        if (checked && Buffer.from(word).readUInt32LE() !== crc) return null;
        checked = true;
        crc = 0;
      }
    } else {
      crc = crc32(answer.subarray(got, end), crc);
    }
    got = end;
  }
  return data;
}
