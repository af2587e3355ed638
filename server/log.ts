import pino, { type DestinationStream, type Logger } from 'pino';

export type { Logger };

/** The newest lines of a log, within bounds: for who asks what happened last. */
export class RecentLines {
  readonly #lines: string[] = [];
  readonly #mostCharacters: number;
  #characters = 0;

  constructor(mostCharacters = 1 << 20) {
    this.#mostCharacters = mostCharacters;
  }

  add(line: string): void {
    this.#lines.push(line);
    this.#characters += line.length;
    while (this.#characters > this.#mostCharacters) this.#characters -= this.#lines.shift()?.length ?? 0;
  }

  get lines(): readonly string[] {
    return this.#lines.map((line) => line.trimEnd());
  }
}

/** What a client of Redis hangs on its errors: the command that failed, with the password where it was a login. */
const SECRET = { paths: ['err.command'], remove: true };

/**
 * The service's structured log: JSON lines on stderr, or into `destination` (a file or a stream).
 * @param recent keeps the newest lines as well
 */
export function createLogger(
  level = 'info',
  destination: string | number | DestinationStream = 2,
  recent?: RecentLines,
): Logger {
  const stream = typeof destination === 'object' ? destination : pino.destination(destination);
  const both = {
    write(line: string) {
      stream.write(line);
      recent?.add(line);
    },
    // The last line before a crash is the one that matters.
    flushSync() {
      if ('flushSync' in stream && typeof stream.flushSync === 'function') stream.flushSync();
    },
  };
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, redact: SECRET },
    recent === undefined ? stream : both,
  );
}

/** A logger that writes nothing, for tests. */
export const silentLogger: Logger = pino({ level: 'silent' });
