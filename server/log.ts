import pino, { type Logger } from 'pino';

export type { Logger };

/** The service's structured log: JSON lines on stderr (or into `destination`). */
export function createLogger(level = 'info', destination: string | number = 2): Logger {
  return pino(
    { level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination(destination),
  );
}

/** A logger that writes nothing, for tests. */
export const silentLogger: Logger = pino({ level: 'silent' });
