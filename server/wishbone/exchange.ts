import { crc32 } from 'node:zlib';
import { isCrcRegister } from './identity-block.ts';
import { answerBytes, decodeWords, encodeFrame, type Frame, frameWords, HEADER_BYTES } from './uartbone.ts';

/** Frames that are sent together and answered together. */
export interface Exchange {
  readonly frames: readonly Frame[];
  /** What goes to the board. */
  readonly request: Uint8Array;
  /** Bytes that come back. */
  readonly answerLength: number;
  /** Words that the bus has to deal with: the board may take up to its watchdog for each. */
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
 * The words of every read frame, or null when the CRC-32 that the board counted over the conversation is not
 * ours. The board's CRC covers each byte it obeyed and each it answered, in that order, except the four bytes of
 * the CRC itself, low byte first, whose sending starts it again.
 *
 * @param board `version` of its gateware; `known` is false when nobody knows where its CRC stood before this exchange, so
 *   that the first one read proves nothing
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
