import { TERMINAL_RATE_BITS, terminalClocks } from '../contract/nodes/terminal-rate.ts';
import type { WishboneLink } from './link.ts';
import { composeLast, PINS_BASE } from './pin-block.ts';

/** First byte address of the terminal: of the lower half of the port block's addresses the upper half. */
const TERMINAL_BASE = PINS_BASE + 0x0100_0000;

/** Bytes that wait in the board for the design at most, and that wait for the host. */
export const TERMINAL_BYTES = 512;

/** Words of a read that finds little: on the line it is as long as a snapshot of all pins and what ends an exchange. */
const FEW_WORDS = 8;
const MANY_WORDS = Math.ceil(TERMINAL_BYTES / 3);

/** What a look at the terminal brings. */
interface TerminalReading {
  /** What the design has sent since the look before. */
  bytes: Uint8Array;
  /** Bytes were lost, because nobody has looked for too long. */
  lost: boolean;
  /** A byte came without its stop bit: the rate is another one. */
  damaged: boolean;
  /** All that was written is on the design's line. */
  sent: boolean;
}

/** Words of three bytes, the first one uppermost, and in the last byte how many of them count. */
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

async function read(link: Pick<WishboneLink, 'read'>, count: number): Promise<Uint32Array> {
  const result = await link.read(TERMINAL_BASE, count, { fixed: true });
  // The block answers by itself, so the bus of the design has no part in it.
  if (!result.ok) throw new Error('The terminal did not answer.');
  return result.data;
}

/** Takes what the design has sent. */
export async function readTerminal(link: Pick<WishboneLink, 'read'>): Promise<TerminalReading> {
  const few = await read(link, FEW_WORDS);
  if (((few.at(-1) ?? 0) & 3) < 3) return parseTerminal(few);
  return parseTerminal(Uint32Array.of(...few, ...(await read(link, MANY_WORDS))));
}

/** Gives the design some bytes: at most TERMINAL_BYTES, when all before are sent. */
export async function writeTerminal(link: Pick<WishboneLink, 'write'>, bytes: Uint8Array): Promise<void> {
  const words = Uint32Array.from({ length: Math.ceil(bytes.length / 4) }, (_, at) =>
    [0, 1, 2, 3].reduce((word, byte) => (word << 8) | (bytes[4 * at + byte] ?? 0), 0),
  );
  const whole = Math.floor(bytes.length / 4);
  const rest = bytes.length % 4;
  // The address says how many bytes of a word there are.
  if (whole > 0)
    await link.write(TERMINAL_BASE + 16, words.subarray(0, whole), { fixed: true, portBlock: true });
  if (rest > 0) await link.write(TERMINAL_BASE + 4 * rest, words.subarray(whole), { portBlock: true });
}

/** Sets the rate of the line to the design, bits a second. @param clockHz of the design */
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
