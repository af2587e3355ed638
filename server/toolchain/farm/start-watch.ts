import { type Clock, every } from '../../clock.ts';
import type { Logger } from '../../log.ts';

/** A start that takes longer says what it waits for, and again each time that this has passed, ms. */
const SAY_MS = 10_000;

/** What a connection waits for, by the client's word for its state; others have failed with what is in the log. */
const WAITS: Readonly<Record<string, string>> = {
  connecting: 'no connection to Redis is made: nothing answers there, or its TLS does not begin',
  connect: 'Redis has the connection and is not ready: it loads its data, or does not answer',
  ready: 'Redis does not answer the first sign of life',
};

/** What keeps the queue from being ready. @param status the state of its connection */
export const waitsForQueue = (status: string): string =>
  WAITS[status] ?? 'Redis cannot be used: the connection to it fails and is tried again';

/**
 * Says what a worker that is not ready waits for, so that none hangs without a word.
 * @param waitsFor the middle of a sentence
 * @returns ends it
 */
export function watchStart(clock: Clock, logger: Logger, waitsFor: () => string): () => void {
  return every(clock, SAY_MS, () => logger.warn({ waits_for: waitsFor() }, 'the worker is not ready yet'));
}
