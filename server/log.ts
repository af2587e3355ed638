import pino, { type DestinationStream, type Logger } from 'pino';

export type { Logger };

/** The service's structured log: JSON lines on stderr, or into `destination` (a file or a stream). */
export function createLogger(level = 'info', destination: string | number | DestinationStream = 2): Logger {
  const stream = typeof destination === 'object' ? destination : pino.destination(destination);
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, stream);
}

/** A logger that writes nothing, for tests. */
export const silentLogger: Logger = pino({ level: 'silent' });
