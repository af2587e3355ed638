/** A mistake on the command line: one sentence, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A failure with a known cause: one or two sentences, exit code 1. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** Exit codes, documented in docs/cli.md and in `--help`. */
export const EXIT = { done: 0, failed: 1, usage: 2, unreachable: 3, interrupted: 130 } as const;

/** Parses a number as in C and shells: 10, 0x0A, 0b1010, with _ between digits. */
export function numberOf(text: string, name: string, most: number): number {
  const plain = text.replaceAll('_', '');
  const value = /^(0x[0-9a-f]+|0b[01]+|\d+)$/i.test(plain) ? Number(plain) : Number.NaN;
  if (!Number.isSafeInteger(value) || value > most)
    throw new UsageError(`${name} must be a number from 0 to ${most}, not “${text}”.`);
  return value;
}

/** Maximum 32-bit word or address. */
export const LAST_WORD = 0xffff_ffff;

export const nodeOf = (word: string): number => numberOf(word, 'NODE', 9);

/** Parses a time in seconds, with decimals. */
export function secondsOf(text: string, name: string): number {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(value) || value > 86_400)
    throw new UsageError(`${name} must be a number of seconds from 0 to 86400, not “${text}”.`);
  return value;
}
