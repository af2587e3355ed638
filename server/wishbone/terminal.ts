import { TERMINAL_RATE_BITS, terminalClocks } from '../contract/nodes/terminal-rate.ts';
import type { WishboneLink } from './link.ts';
import { composeLast, PINS_BASE, readBlock } from './pin-block.ts';

/** First byte address of the terminal: the upper half of the port block's lower half. */
const TERMINAL_BASE = PINS_BASE + 0x0100_0000;

/** Size of the board's buffer in each direction, bytes. */
export const TERMINAL_BYTES = 512;

/** Words of a read that expects little. On the line it takes as long as a pin snapshot and the end of an exchange. */
const FEW_WORDS = 8;
const MANY_WORDS = Math.ceil(TERMINAL_BYTES / 3);

/** The result of a terminal read. */
interface TerminalReading {
  /** Bytes that the design sent since the last read. */
  bytes: Uint8Array;
  /** Bytes were lost, because the reads were too far apart. */
  lost: boolean;
  /** A byte had no stop bit: the design uses another rate. */
  damaged: boolean;
  /** All written bytes are on the design's line. */
  sent: boolean;
}

/** Parses words of three bytes, the first one uppermost; the last byte is the number of valid bytes. */
export function parseTerminal(words: Uint32Array): TerminalReading {
  const bytes: number[] = [];
  let marks = 0;
  let sent = false;
  for (const word of words) {
    const last = word & 0xff;
    for (let at = 0; at < (last & 3); at++) bytes.push((word >>> (24 - 8 * at)) & 0xff);
    marks |= last;
    sent = (last & 0x10) !== 0;
  }
  return { bytes: Uint8Array.from(bytes), lost: (marks & 4) !== 0, damaged: (marks & 8) !== 0, sent };
}

const read = (link: Pick<WishboneLink, 'read'>, count: number): Promise<Uint32Array> =>
  readBlock(link, TERMINAL_BASE, count, { fixed: true });

/** Reads the bytes that the design has sent. */
export async function readTerminal(link: Pick<WishboneLink, 'read'>): Promise<TerminalReading> {
  const few = await read(link, FEW_WORDS);
  if (((few.at(-1) as number) & 3) < 3) return parseTerminal(few);
  return parseTerminal(Uint32Array.of(...few, ...(await read(link, MANY_WORDS))));
}

/** Sends bytes to the design: at most TERMINAL_BYTES, after all earlier ones are sent. */
export async function writeTerminal(link: Pick<WishboneLink, 'write'>, bytes: Uint8Array): Promise<void> {
  const words = Uint32Array.from({ length: Math.ceil(bytes.length / 4) }, (_, at) =>
    [0, 1, 2, 3].reduce((word, byte) => (word << 8) | (bytes[4 * at + byte] ?? 0), 0),
  );
  const whole = Math.floor(bytes.length / 4);
  const rest = bytes.length % 4;
  // The address gives the number of bytes in a word.
  if (whole > 0)
    await link.write(TERMINAL_BASE + 16, words.subarray(0, whole), { fixed: true, portBlock: true });
  if (rest > 0) await link.write(TERMINAL_BASE + 4 * rest, words.subarray(whole), { portBlock: true });
}

/** Sets the rate of the design's serial line, bits a second. @param clockHz of the design */
export async function setTerminalRate(
  link: Pick<WishboneLink, 'write'>,
  clockHz: number,
  baud: number,
): Promise<void> {
  const { byteAddress, words } = composeLast(
    TERMINAL_BASE,
    BigInt(terminalClocks(clockHz, baud) - 1),
    TERMINAL_RATE_BITS,
  );
  await link.write(byteAddress, words, { portBlock: true });
}
