import type { FastifyReply } from 'fastify';
import type { Clock } from '../../clock.ts';
import { apiError } from '../../errors/api.ts';
import { authError } from '../../errors/auth.ts';
import { THIS_COMPUTER } from './address.ts';

/** Maximum callers and addresses in memory; a new one removes the oldest. */
const MAX_REMEMBERED = 10_000;
const MINUTE_MS = 60_000;

/** Wrong keys and tokens that an address may send before it must wait. */
const FREE_GUESSES = 10;
/** The first wait; it doubles with every further guess, ms. */
const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 5 * MINUTE_MS;
/** After so long without a guess, an address starts again. */
const FORGOTTEN_MS = 15 * MINUTE_MS;
/** Wrong keys and tokens a minute on this computer that still get their own error. */
const LOCAL_GUESSES = 600;

/** Error codes that tell a guess that it was wrong. */
const WRONG = new Set([
  'invalid_api_key',
  'invalid_operator_token',
  'invalid_provider_token',
  'invalid_invite',
  'invalid_course_code',
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
  /** The address must wait until then. */
  until: number;
}

/** Adds to a map and drops its oldest entries above the maximum size. */
function remember<T>(map: Map<string, T>, name: string, value: T): void {
  map.delete(name);
  map.set(name, value);
  if (map.size <= MAX_REMEMBERED) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}

/**
 * Limits the rate of requests and of wrong credentials, before any lookup. Guesses on this computer count apart and
 * never block valid credentials. So no caller on the network can lock the operator out.
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

  /** Counts a wrong key or token from an origin. */
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

  /** True while credentials from there are not compared with anything that a person may have chosen. */
  mustWait(origin: string): boolean {
    return this.#wait(origin) > 0;
  }

  /**
   * Called before a guess gets its error.
   * @throws BenchError too_many_guesses while the address must wait.
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
