import type { DestinationStream } from 'pino';
import { logWriter } from '../log.ts';
import { withoutControls } from '../text.ts';

const LEVELS: Readonly<Record<number, string>> = { 40: 'warning: ', 50: 'error: ', 60: 'fatal: ' };

/** One line of text without control characters: the log quotes clients, and a terminal obeys control characters. */
const plain = (text: string): string => withoutControls(text).replace(/[\t\n]+/g, ' ');

const shownAs = (value: unknown): string =>
  typeof value === 'string' ? plain(value) : plain(JSON.stringify(value) ?? '');

/** Local time of day, 12:34:56. */
function timeOf(value: unknown): string {
  const time = new Date(typeof value === 'string' || typeof value === 'number' ? value : Number.NaN);
  return Number.isNaN(time.getTime()) ? '--:--:--' : time.toTimeString().slice(0, 8);
}

/** The trace of an error, line by line. */
function traceOf(err: unknown): string {
  if (typeof err !== 'object' || err === null) return '';
  const { stack, message } = err as { stack?: unknown; message?: unknown };
  const text = typeof stack === 'string' ? stack : typeof message === 'string' ? message : '';
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => `  ${plain(line).trim()}\n`)
    .join('');
}

/** A request: `GET /fpga 200 1.2 ms ada`. */
function requestOf({ method, path, status, ms, owner }: Record<string, unknown>): string {
  return [method, path, status, `${shownAs(ms)} ms`, owner]
    .filter((value) => value !== undefined)
    .map(shownAs)
    .join(' ');
}

/** Formats a line of the log for a terminal; other text stays as it is. @param json one line of pino */
export function readableLine(json: string): string {
  let entry: unknown;
  try {
    entry = JSON.parse(json);
  } catch {
    return `${plain(json.trimEnd())}\n`;
  }
  if (typeof entry !== 'object' || entry === null) return `${shownAs(entry)}\n`;
  const { level, time, msg, err, ...rest } = entry as Record<string, unknown>;
  const head = `${timeOf(time)} ${LEVELS[Number(level)] ?? ''}`;
  if (msg === 'request' && rest['method'] !== undefined) return `${head}${requestOf(rest)}\n`;
  const facts = Object.entries(rest).map(([name, value]) => `${plain(name)}=${shownAs(value)}`);
  const content = [...(msg === undefined ? [] : [shownAs(msg)]), ...facts].join('  ');
  return `${head}${content}\n${traceOf(err)}`;
}

/** Writes the log to a file descriptor in readable lines. */
export const readableLog = (descriptor: number): DestinationStream & { flushSync(): void } =>
  logWriter(descriptor, readableLine);
