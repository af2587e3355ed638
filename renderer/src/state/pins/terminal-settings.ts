import { type Memory, readStored, writeStored } from '../page/preferences.ts';

const KEY = 'wishbench.terminal';
const MAX_HISTORY = 50;
const MAX_LINE_LENGTH = 1000;

/** What Enter sends. */
export const LINE_ENDINGS = { cr: '\r', lf: '\n', crlf: '\r\n' } as const;
export type LineEnding = keyof typeof LINE_ENDINGS;

/** How this browser shows a terminal. */
export interface TerminalSettings {
  ending: LineEnding;
  /** Shows what is typed. */
  echo: boolean;
  times: boolean;
  hex: boolean;
  /** Sent lines, oldest first. */
  history: readonly string[];
}

/** The stored settings; any version of this page may have written them. */
export function readTerminalSettings(memory: Memory | undefined): TerminalSettings {
  const stored = readStored(memory, KEY);
  const from: { [K in keyof TerminalSettings]?: unknown } =
    typeof stored === 'object' && stored !== null ? stored : {};
  return {
    ending: (Object.keys(LINE_ENDINGS) as LineEnding[]).find((ending) => ending === from.ending) ?? 'cr',
    echo: from.echo === true,
    times: from.times === true,
    hex: from.hex === true,
    history: Array.isArray(from.history)
      ? from.history.filter((line) => typeof line === 'string').slice(-MAX_HISTORY)
      : [],
  };
}

export const writeTerminalSettings = (memory: Memory | undefined, settings: TerminalSettings): void =>
  writeStored(memory, KEY, settings);

/** The history after a line was sent: each line once, the newest last. */
export const withLine = (history: readonly string[], line: string): readonly string[] =>
  line === '' || line.length > MAX_LINE_LENGTH
    ? history
    : [...history.filter((one) => one !== line), line].slice(-MAX_HISTORY);
