import { formatClock } from '../../../format/time.ts';
import type { TerminalLine, TerminalLog } from '../../../state/pins/terminal-log.ts';

/** Bytes of a row in the hex view. */
const ROW_BYTES = 16;
/** As wide as a time, for a line whose time is not known. */
const NO_TIME = ' '.repeat(12);

/** The time column of a line. */
export const timeOf = ({ at }: TerminalLine): string => (at === null ? NO_TIME : formatClock(at));

/** The rows of the hex view: the number of the first, and how many. */
export function hexRows(log: TerminalLog): { first: number; count: number } {
  const first = Math.floor(log.firstByte / ROW_BYTES);
  return { first, count: Math.ceil(log.bytes.end / ROW_BYTES) - first };
}

/** `00000010  48 69 … 0d 0a  Hi..`: a row of the hex view. */
export function hexRow(log: TerminalLog, row: number): string {
  const start = row * ROW_BYTES;
  const from = Math.max(start, log.firstByte);
  const bytes = log.bytes.slice(from, start + ROW_BYTES);
  let digits = '';
  let characters = '';
  for (let at = 0; at < ROW_BYTES; at += 1) {
    const byte = start + at < from ? undefined : bytes[start + at - from];
    digits += `${at === ROW_BYTES / 2 ? ' ' : ''}${byte?.toString(16).padStart(2, '0') ?? '  '} `;
    characters += byte === undefined ? ' ' : byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.';
  }
  return `${start.toString(16).padStart(8, '0')}  ${digits} ${characters.trimEnd()}`;
}

/** All that a terminal shows, as text. */
export function terminalText(log: TerminalLog, view: { hex: boolean; times: boolean }): string {
  const rows: string[] = [];
  if (view.hex) {
    const { first, count } = hexRows(log);
    for (let row = first; row < first + count; row += 1) rows.push(`${hexRow(log, row)}\n`);
    return rows.join('');
  }
  for (let number = log.first; number < log.end; number += 1) {
    const line = log.line(number);
    // The last line is empty after a complete one.
    if (!line || (number === log.end - 1 && line.text === '')) continue;
    rows.push(view.times ? `${timeOf(line)}  ${line.text}\n` : `${line.text}\n`);
  }
  return rows.join('');
}

/** The lines with a text, and what of the log was searched. */
export interface Found {
  query: string;
  from: number;
  /** Number after the last complete line that was searched. */
  to: number;
  lines: readonly number[];
}

export const NOTHING_FOUND: Found = { query: '', from: 0, to: 0, lines: [] };

/** Numbers of the lines with a text, ignoring case. It searches only the lines that came since `before`. */
export function findLines(log: TerminalLog, query: string, before: Found): Found {
  const wanted = query.toLowerCase();
  const { first } = log;
  const last = log.end - 1;
  if (wanted === '') return NOTHING_FOUND;
  const goesOn = before.query === wanted && before.from <= first;
  const lines = goesOn ? before.lines.filter((number) => number >= first && number < before.to) : [];
  for (let number = goesOn ? Math.max(first, before.to) : first; number <= last; number += 1)
    if (log.line(number)?.text.toLowerCase().includes(wanted)) lines.push(number);
  return { query: wanted, from: first, to: last, lines };
}

/** The text of a key for the design; null for a key of the browser. @param ending what Enter sends */
export function textOfKey(
  { key, ctrlKey, altKey, metaKey }: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'altKey' | 'metaKey'>,
  ending: string,
): string | null {
  if (altKey || metaKey) return null;
  if (ctrlKey) {
    // Copy and paste stay with the browser.
    const letter = /^[a-z]$/.test(key) && key !== 'c' && key !== 'v' ? key : null;
    return letter && String.fromCharCode(letter.charCodeAt(0) - 96);
  }
  if (key === 'Enter') return ending;
  if (key === 'Backspace') return '\b';
  return [...key].length === 1 ? key : null;
}
