import type { DestinationStream } from 'pino';
import type { LOG_FORMATS } from './choices.ts';
import { readableLog } from './readable-log.ts';

/** Where a command's log goes: to stderr, as lines on a terminal, as JSON elsewhere. */
export function logDestination(
  format: (typeof LOG_FORMATS)[number] | undefined,
  terminal = process.stderr.isTTY === true,
): DestinationStream | number {
  return (format ?? (terminal ? 'lines' : 'json')) === 'lines' ? readableLog(2) : 2;
}
