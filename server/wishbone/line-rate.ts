import type { Clock } from '../clock.ts';
import { BenchError } from '../errors/bench-error.ts';
import { wishboneError } from '../errors/wishbone.ts';
import { BLOCK_BASE, SCRATCH } from './identity-block.ts';
import type { WishboneLink } from './link.ts';

/** Rates above the one at which contact begins, where the board's clock and the port can keep them. */
const FASTER = [1_000_000, 2_000_000, 3_000_000];

/** Clocks a bit below which the receiver cannot find the middle of a bit. */
const MIN_CLOCKS_PER_BIT = 4;

/** How far a rate may be off on either side, as a part of it: both together stay within half a bit in ten. */
const TOLERANCE = 0.01;

/** The first gateware whose line rate can be changed. */
const FIRST_VERSION = 2;

/** True when a real rate is near enough to the wanted one. */
export const isNear = (real: number, wanted: number): boolean => Math.abs(real / wanted - 1) < TOLERANCE;

/** Whole board clocks of a bit at a rate. */
export const clocksPerBit = (clockHz: number, rate: number): number => Math.round(clockHz / rate);

/**
 * The rates that a link may use, rising.
 * @param base the rate at which contact begins
 * @param portCan whether the port can keep a rate; null where its rate cannot be changed
 */
export function offeredRates(
  base: number,
  board: { version: number; clockHz: number },
  portCan: ((rate: number) => boolean) | null,
): number[] {
  if (board.version < FIRST_VERSION || portCan === null) return [base];
  const boardCan = (rate: number) => {
    const clocks = clocksPerBit(board.clockHz, rate);
    return clocks >= MIN_CLOCKS_PER_BIT && isNear(board.clockHz / clocks, rate);
  };
  const others = FASTER.filter((rate) => rate !== base && boardCan(rate) && portCan(rate));
  return [base, ...others].sort((a, b) => a - b);
}

/** What so many words in each direction showed of the line at one rate. */
export interface LineMeasurement {
  /** Bits a second. */
  rate: number;
  /** Words that went through in each direction. */
  words: number;
  /** Pieces of up to PIECE words each way in which a byte was lost or damaged. */
  errors: number;
  seconds: number;
  /** Words that went through, both directions together, in a second; what was lost to errors counts. */
  wordsPerSecond: number;
}

/** Words each way between two looks at the outcome. */
const PIECE = 240;
/** A line that fails so often is known: every failure costs up to a second until the board is found again. */
const MAX_ERRORS = 3;

/**
 * Tries the line at a rate: pseudo-random words go to a register of the base SoC that forgets them, its identity
 * block comes back as often, and the CRC of every exchange judges both. The design notices nothing. The link is at
 * that rate afterwards, or at its first one when the last thing seen was an error.
 *
 * @param words in each direction; fewer are sent when errors are many
 * @throws what the link throws when it is over, e.g. link_closed, board_vanished.
 */
export async function measureLineRate(
  link: WishboneLink,
  rate: number,
  words: number,
  clock: Clock,
  maxErrors = MAX_ERRORS,
): Promise<LineMeasurement> {
  const start = clock.monotonic();
  let through = 0;
  let errors = 0;
  for (let seed = 1; through < words && errors < maxErrors; seed++) {
    const count = Math.min(PIECE, words - through);
    try {
      if (link.lineRate !== rate) await link.setLineRate(rate);
      await tryLine(link, count, seed);
      through += count;
    } catch (error) {
      if (!isLineError(error)) throw error;
      errors++;
    }
  }
  const seconds = (clock.monotonic() - start) / 1000;
  return { rate, words: through, errors, seconds, wordsPerSecond: seconds > 0 ? (2 * through) / seconds : 0 };
}

/** Words each way that a rate has to carry without an error before the link stays at it. */
const TRIAL_WORDS = 1_000;

/**
 * Takes a link that has just been opened to the rate at which it stays: upwards as long as no byte is damaged.
 *
 * @param known the rate that the board settled at before: contact at it is enough, and nothing above it is tried
 * @returns the link's rate, bits a second
 * @throws what the link throws when it is over
 */
export async function settleLineRate(
  link: WishboneLink,
  known: number | null,
  clock: Clock,
): Promise<number> {
  const first = link.lineRate;
  const faster = link.lineRates.filter((rate) => rate > first);
  if (known !== null) {
    for (const rate of faster.filter((each) => each <= known).reverse()) {
      if (await reaches(link, rate)) break;
    }
    return link.lineRate;
  }
  let clean = first;
  for (const rate of faster) {
    const carries =
      (await reaches(link, rate)) && (await measureLineRate(link, rate, TRIAL_WORDS, clock, 1)).errors === 0;
    if (!carries) {
      await link.setLineRate(first); // finds the board again
      return settleLineRate(link, clean, clock);
    }
    clean = rate;
  }
  return clean;
}

/**
 * Tries twice: a board waits 100 ms to be addressed at its new rate, and a very busy computer may miss that on a line
 * that is as good as any.
 */
async function reaches(link: WishboneLink, rate: number): Promise<boolean> {
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      await link.setLineRate(rate);
      return true;
    } catch (error) {
      if (!isLineError(error)) throw error;
    }
  }
  return false;
}

/** True for an error that a bad line makes; after it the board is looked for again. */
export const isLineError = (error: unknown): error is BenchError =>
  error instanceof BenchError &&
  (error.code === 'link_corrupted' || error.code === 'link_silent' || error.code === 'not_wishbench');

/** So many words there and back, with everything on its way at once as in a long transfer. */
async function tryLine(link: WishboneLink, words: number, seed: number): Promise<void> {
  const results = await Promise.all([
    link.write(SCRATCH, pseudoRandom(words, seed), { fixed: true }),
    link.read(BLOCK_BASE + 64 * (seed & 0xffff), words),
  ]);
  if (results.some(({ ok }) => !ok)) throw wishboneError('link_corrupted');
}

/** Every byte value, long runs of ones and zeros: xorshift32 (Marsaglia, 2003), with extremes in between. */
function pseudoRandom(count: number, seed: number): Uint32Array {
  let state = (seed * 0x9e37_79b9) >>> 0 || 1;
  return Uint32Array.from({ length: count }, (_, index) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return [state, state, 0, state, state, 0xffff_ffff, state, 0x5555_aaaa][index & 7] ?? 0;
  });
}
