import type { FastifyReply } from 'fastify';
import type { Clock } from '../../clock.ts';
import { apiError } from '../../errors/api.ts';
import { authError } from '../../errors/auth.ts';
import { THIS_COMPUTER } from './address.ts';

/** Callers and addresses that are remembered at the same time; more push the oldest out. */
const MAX_REMEMBERED = 10_000;
const MINUTE_MS = 60_000;

/** Wrong keys and tokens that an address may send before it has to wait. */
const FREE_GUESSES = 10;
/** The first wait; it doubles with every further guess, ms. */
const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 5 * MINUTE_MS;
/** An address that does not guess for so long begins anew. */
const FORGOTTEN_MS = 15 * MINUTE_MS;
/** Wrong keys and tokens a minute that are answered as such on this computer. */
const LOCAL_GUESSES = 600;

/** Codes of answers that say to a guess that it was wrong. */
const WRONG = new Set([
  'invalid_api_key',
  'invalid_operator_token',
  'invalid_provider_token',
  'invalid_invite',
]);
export const isWrongGuess = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && WRONG.has(String(error.code));

interface Window {
  since: number;
  count: number;
}

interface Guesses {
  count: number;
  last: number;
  /** The address waits until then. */
  until: number;
}

/** Keeps a map at its size by dropping what was put in first. */
function remember<T>(map: Map<string, T>, name: string, value: T): void {
  map.delete(name);
  map.set(name, value);
  if (map.size <= MAX_REMEMBERED) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}

/**
 * How often callers may ask, and how often they may be wrong about who they are. Both are counted before anything is
 * looked up. On this computer wrong guesses are counted apart and nothing that is right is ever refused, so nobody on
 * the network can lock its operator out.
 */
export class Limits {
  readonly #clock: Clock;
  readonly #windows = new Map<string, Window>();
  readonly #guesses = new Map<string, Guesses>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Counts a request of a caller who may make `most` a minute.
   * @throws BenchError rate_limited.
   */
  request(caller: string, most: number, reply: FastifyReply): void {
    const window = this.#window(caller);
    window.count++;
    if (window.count <= most) return;
    const seconds = this.#retryAfter(reply, window.since + MINUTE_MS - this.#clock.monotonic());
    throw apiError('rate_limited', {
      remedy: `Try again in ${seconds} s; ?wait= and /events replace polling.`,
    });
  }

  /** A key or token from there was wrong. */
  guessed(origin: string): void {
    if (origin === THIS_COMPUTER) {
      this.#window(`guesses of ${origin}`).count++;
      return;
    }
    const now = this.#clock.monotonic();
    const known = this.#guesses.get(origin);
    const count = known && now - known.last < FORGOTTEN_MS ? known.count + 1 : 1;
    const over = count - FREE_GUESSES;
    const delay = over < 0 ? 0 : Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** over);
    remember(this.#guesses, origin, { count, last: now, until: now + delay });
  }

  /** True while what comes from there is not compared with anything that a person may have chosen. */
  mustWait(origin: string): boolean {
    return this.#wait(origin) > 0;
  }

  /**
   * Called instead of telling a guess that it was wrong.
   * @throws BenchError too_many_guesses while that address has to wait.
   */
  requirePatience(origin: string, reply: FastifyReply): void {
    const wait = this.#wait(origin);
    if (wait <= 0) return;
    const seconds = this.#retryAfter(reply, wait);
    throw authError('too_many_guesses', { remedy: `Try again in ${seconds} s, with the right one.` });
  }

  #wait(origin: string): number {
    const now = this.#clock.monotonic();
    if (origin !== THIS_COMPUTER) return (this.#guesses.get(origin)?.until ?? 0) - now;
    const window = this.#window(`guesses of ${origin}`);
    return window.count < LOCAL_GUESSES ? 0 : window.since + MINUTE_MS - now;
  }

  #window(name: string): Window {
    const now = this.#clock.monotonic();
    const known = this.#windows.get(name);
    if (known && now - known.since < MINUTE_MS) return known;
    const window = { since: now, count: 0 };
    remember(this.#windows, name, window);
    return window;
  }

  #retryAfter(reply: FastifyReply, ms: number): number {
    const seconds = Math.max(1, Math.ceil(ms / 1000));
    reply.header('retry-after', seconds);
    return seconds;
  }
}
