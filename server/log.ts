import pino, { type DestinationStream, type Logger } from 'pino';

export type { Logger };

/** The newest lines of a log, within limits, for reports. */
export class RecentLines {
  readonly #lines: string[] = [];
  readonly #maxCharacters: number;
  #characters = 0;

  constructor(maxCharacters = 1 << 20) {
    this.#maxCharacters = maxCharacters;
  }

  add(line: string): void {
    this.#lines.push(line);
    this.#characters += line.length;
    while (this.#characters > this.#maxCharacters) this.#characters -= this.#lines.shift()?.length ?? 0;
  }

  get lines(): readonly string[] {
    return this.#lines.map((line) => line.trimEnd());
  }
}

/** Redis clients attach the failed command to their errors, with the password in case of a login. */
const SECRET = { paths: ['err.command'], remove: true };

/** Lines are collected for so long, ms: a system call for each would slow requests down. */
const TOGETHER_MS = 50;
/** Collected bytes that are written at once. */
const MAX_COMBINED = 8192;
/** A pino line of level warn or higher. */
const URGENT = /^\{"level":[4-6]/;

/**
 * Writes a log to a file descriptor: urgent lines at once, others a moment later, together.
 * @param shown formats a line of pino's; default unchanged
 */
export function logWriter(
  descriptor: number,
  shown: (line: string) => string = (line) => line,
): DestinationStream & { flushSync(): void } {
  const out = pino.destination({ dest: descriptor, sync: false, minLength: MAX_COMBINED });
  let waits = false;
  const flush = () => {
    waits = false;
    out.flush();
  };
  return {
    write(line) {
      out.write(shown(line));
      if (URGENT.test(line)) out.flush();
      else if (!waits) {
        waits = true;
        setTimeout(flush, TOGETHER_MS).unref();
      }
    },
    flushSync: () => out.flushSync(),
  };
}

/**
 * The service's structured log: JSON lines on stderr, or into `destination` (a file or a stream).
 * @param recent also collects the newest lines
 */
export function createLogger(
  level = 'info',
  destination: string | number | DestinationStream = 2,
  recent?: RecentLines,
): Logger {
  const stream = streamTo(destination);
  const both = {
    write(line: string) {
      stream.write(line);
      recent?.add(line);
    },
    // The last line before a crash matters most.
    flushSync() {
      if ('flushSync' in stream && typeof stream.flushSync === 'function') stream.flushSync();
    },
  };
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, redact: SECRET },
    recent === undefined ? stream : both,
  );
}

const streamTo = (destination: string | number | DestinationStream): DestinationStream => {
  if (typeof destination === 'object') return destination;
  return typeof destination === 'number' ? logWriter(destination) : pino.destination(destination);
};

/** A logger that writes nothing, for tests. */
export const silentLogger: Logger = pino({ level: 'silent' });
