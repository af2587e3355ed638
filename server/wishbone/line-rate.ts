import type { Clock } from '../clock.ts';
import { BenchError } from '../errors/bench-error.ts';
import { wishboneError } from '../errors/wishbone.ts';
import { BLOCK_BASE, SCRATCH } from './identity-block.ts';
import type { WishboneLink } from './link.ts';

/** Line rates above the first one, where both the board's clock and the port support them. */
const FASTER = [1_000_000, 2_000_000, 3_000_000];

/** Below so many clocks a bit the receiver can't find the middle of a bit. */
const MIN_CLOCKS_PER_BIT = 4;

/** Tolerated relative error of a rate on each side: both together stay within half a bit in ten. */
const TOLERANCE = 0.01;

/** The first gateware version whose line rate can change. */
const FIRST_VERSION = 2;

/** True when a real rate is close enough to the nominal one. */
export const isNear = (real: number, wanted: number): boolean => Math.abs(real / wanted - 1) < TOLERANCE;

/** Whole board clocks of a bit at a rate. */
export const clocksPerBit = (clockHz: number, rate: number): number => Math.round(clockHz / rate);

/**
 * The line rates that a link may use, ascending.
 * @param base the rate at which contact begins
 * @param portCan whether the port supports a rate; null where its rate is fixed
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

/** The result of a line test at one rate. */
export interface LineMeasurement {
  /** Bits a second. */
  rate: number;
  /** Words transferred in each direction. */
  words: number;
  /** Pieces of up to PIECE words each way with a lost or damaged byte. */
  errors: number;
  seconds: number;
  /** Words a second, both directions together, time lost to errors included. */
  wordsPerSecond: number;
}

/** Words each way between two checks. */
const PIECE = 240;
/** Errors that end the test: each one costs up to a second until the board is found again. */
const MAX_ERRORS = 3;

/**
 * Tests the line at a rate. Pseudo-random words go to a register that ignores them, and the identity block comes back
 * as often; the CRC of every exchange checks both. The design sees nothing. Afterwards the link is at that rate, or at
 * its first rate if the last result was an error.
 *
 * @param words in each direction; many errors shorten the test
 * @throws what the link throws when it is closed, e.g. link_closed, board_vanished.
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

/** Words each way that a rate must carry without an error before the link uses it. */
const TRIAL_WORDS = 1_000;

/**
 * Raises a new link to its working rate, step by step, as long as no byte is damaged.
 *
 * @param known the board's earlier working rate: contact at it is enough, and no higher rate is tried
 * @returns the link's rate, bits a second
 * @throws what the link throws when it is closed
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
 * Tries twice: a board waits 100 ms to be addressed at its new rate, and a very busy computer may miss that on a good
 * line.
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

/** True for errors of a bad line; the link then looks for the board again. */
export const isLineError = (error: unknown): error is BenchError =>
  error instanceof BenchError &&
  (error.code === 'link_corrupted' || error.code === 'link_silent' || error.code === 'not_wishbench');

/** Sends so many words and reads as many, with all of them in flight as in a long transfer. */
async function tryLine(link: WishboneLink, words: number, seed: number): Promise<void> {
  const results = await Promise.all([
    link.write(SCRATCH, pseudoRandom(words, seed), { fixed: true }),
    link.read(BLOCK_BASE + 64 * (seed & 0xffff), words),
  ]);
  if (results.some(({ ok }) => !ok)) throw wishboneError('link_corrupted');
}

/** Every byte value, long runs of ones and zeros: xorshift32 (Marsaglia, 2003), with extremes in between. */
function pseudoRandom(count: number, seed: number): Uint32Array {
  let state = (seed * 0x9e37_79b9) >>> 0;
  return Uint32Array.from({ length: count }, (_, index) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return [state, state, 0, state, state, 0xffff_ffff, state, 0x5555_aaaa][index & 7] as number;
  });
}
