import type { Diagnostic } from '../../contract/diagnostics.ts';

/** Place of a finding: `gpio.v:12`, `gpio.v`, or empty. */
const place = ({ file, line }: Diagnostic): string =>
  file === undefined ? '' : line === undefined ? file : `${file}:${line}`;

/** A finding with its place: `gpio.v:12: text`. */
export const placed = (diagnostic: Diagnostic): string => {
  const at = place(diagnostic);
  return at === '' ? diagnostic.message : `${at}: ${diagnostic.message}`;
};

/** A finding as a log line: `error: gpio.v:12: text`. */
export const diagnosticLine = (diagnostic: Diagnostic): string =>
  `${diagnostic.severity}: ${placed(diagnostic)}`;

/** Message of a failure: the first error, and how many more there are: `gpio.v:12: text (and 2 more)`. */
export const headline = (first: Diagnostic, count: number): string =>
  `${placed(first)}${count > 1 ? ` (and ${count - 1} more)` : ''}`;

/** A tool's line in the job's log. A finding begins with severity and place; nextpnr's `Info:` is dropped. */
export const logText = (line: string, diagnostic: Diagnostic | null): string =>
  diagnostic ? diagnosticLine(diagnostic) : line.replace(/^Info: {1,2}/, '');

/** Limit of names in one line, and of lines about things of one kind. */
export const MAX_NAMED = 32;

/** The first names of a list, and how many more there are. */
export const someOf = (names: readonly string[]): string =>
  names.slice(0, MAX_NAMED).join(', ') +
  (names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '');
