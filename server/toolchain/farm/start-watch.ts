import { type Clock, every } from '../../clock.ts';
import type { Logger } from '../../log.ts';

/** Interval in which a slow start logs what it waits for, ms. */
const SAY_MS = 10_000;

/** What a connection waits for, by the client's status. Other statuses mean a failed connection, which is logged. */
const WAITS: Readonly<Record<string, string>> = {
  connecting: 'Redis cannot be reached: nothing answers, or TLS does not start',
  connect: 'Redis is connected but not ready: it is loading its data, or does not answer',
  ready: 'Redis does not answer the first heartbeat',
};

/** Why the queue is not ready. @param status the state of its connection */
export const waitsForQueue = (status: string): string =>
  WAITS[status] ?? 'the connection to Redis fails and is retried';

/**
 * Logs what a worker waits for while it is not ready.
 * @param waitsFor the middle of a sentence
 * @returns ends the log
 */
export function watchStart(clock: Clock, logger: Logger, waitsFor: () => string): () => void {
  return every(clock, SAY_MS, () => logger.warn({ waits_for: waitsFor() }, 'the worker is not ready yet'));
}
