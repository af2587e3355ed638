import type { Diagnostic } from '../../contract/diagnostics.ts';

/** `gpio.v:12`, `gpio.v` or nothing: where a finding is. */
const place = ({ file, line }: Diagnostic): string =>
  file === undefined ? '' : line === undefined ? file : `${file}:${line}`;

/** `gpio.v:12: text`, a finding with its place. */
export const placed = (diagnostic: Diagnostic): string => {
  const at = place(diagnostic);
  return at === '' ? diagnostic.message : `${at}: ${diagnostic.message}`;
};

/** `error: gpio.v:12: text`, as the log of a job shows a finding. */
export const diagnosticLine = (diagnostic: Diagnostic): string =>
  `${diagnostic.severity}: ${placed(diagnostic)}`;

/** The first of some errors and how many more there are, as the sentence of a failure: `gpio.v:12: text (and 2 more)`. */
export const headline = (first: Diagnostic, count: number): string =>
  `${placed(first)}${count > 1 ? ` (and ${count - 1} more)` : ''}`;

/**
 * A line of a tool as the log of a job shows it: a finding begins with its severity and its place, and nextpnr's
 * `Info:` is left out.
 */
export const logText = (line: string, diagnostic: Diagnostic | null): string =>
  diagnostic ? diagnosticLine(diagnostic) : line.replace(/^Info: {1,2}/, '');

/** Names that one line lists, and lines about things of one kind. */
export const MAX_NAMED = 32;

/** The first names of a list, and how many more there are. */
export const someOf = (names: readonly string[]): string =>
  names.slice(0, MAX_NAMED).join(', ') +
  (names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '');
