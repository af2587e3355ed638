// Finds testbenches in sources, and removes them from a design.
import type { Language } from '../../contract/designs/uploads.ts';
import type { Diagnostic } from '../../contract/diagnostics.ts';
import { someOf } from '../diagnostics/text.ts';
import { formOf } from './language.ts';

/**
 * Whether a source of a project is only a testbench. A source that shows no end of a simulation may be a design; it is
 * excluded later if it cannot be read.
 */
export const isTestbench = (text: string, language: Language): boolean =>
  formOf(language).testbenches(text, true).isOnlyTestbench;

/** Explains that a single source is only a testbench; null when it is a design. */
export function testbenchAlone(text: string, language: Language, file: string): Diagnostic | null {
  const form = formOf(language);
  const { benches, isOnlyTestbench } = form.testbenches(text, false);
  const [first] = benches;
  if (!isOnlyTestbench || !first) return null;
  return {
    severity: 'error',
    code: 'design_no_slave',
    message: `${form.unitWord} ${first.name} is a testbench: it has no ports and simulates a design; upload the design that it tests instead`,
    file,
    line: first.line,
    module: first.name,
  };
}

/** Blanks a text and keeps its lines. Only the last line has spaces: Yosys cannot read that much white space. */
function emptied(text: string): string {
  const lines = text.split('\n');
  return '\n'.repeat(lines.length - 1) + ' '.repeat(lines.at(-1)?.length ?? 0);
}

/**
 * Removes testbenches from a source that also has a design, without a change of line numbers.
 * @param notes receives the removed names
 */
export function withoutTestbenches(text: string, language: Language, notes: string[]): string {
  const { isOnlyTestbench, benches, parts } = formOf(language).testbenches(text, false);
  if (isOnlyTestbench || parts.length === 0) return text;
  let rest = text;
  for (const { start, end } of parts.toReversed())
    rest = rest.slice(0, start) + emptied(rest.slice(start, end)) + rest.slice(end);
  const names = benches
    .filter(({ name }) => parts.some((part) => part.name === name))
    .map(({ name }) => name);
  notes.push(
    `${someOf(names)} ${names.length > 1 ? 'are testbenches and are' : 'is a testbench and is'} not read`,
  );
  return rest;
}
