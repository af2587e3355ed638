import type { Diagnostic } from '../../contract/diagnostics.ts';
import { type Loop, loopsOf } from './loops.ts';
import { inUpload, type PreparedDesign } from './prepared-design.ts';
import { reportedName } from './tool-paths.ts';

/** Passes of a loop that the bench takes on: 2^20 of the simplest generated body take half a minute, in a process far fewer. */
export const MOST_PASSES = 1 << 18;
/** The same in an `initial` block, where the time grows with the square of their number: far behind the deadline of synthesis. */
const MOST_INITIAL_PASSES = 1 << 17;
/** Statements of `initial` blocks, passes of loops counted, that are warned of: some 40 s where they write to a memory. */
const SLOW_STATEMENTS = 1 << 14;
/** Statements from which on they are not elaborated for a scan that can do without: 2 s for 4,000. */
const MANY_STATEMENTS = 1024;

/** Why there is a limit. */
export const SQUARE =
  'the time of Yosys grows with the square of that, and 8,192 writes to a memory take some ten seconds';

/** A loop of more passes than the bench takes on. */
export interface TooLong {
  path: string;
  loop: Loop;
  /** What it takes on there. */
  most: number;
}

/** @param rest the same without its `initial` blocks, line for line */
export function tooLongLoops(source: PreparedDesign, rest: PreparedDesign): TooLong[] {
  return eachText(source).flatMap(({ path, text }) => {
    const outside = linesOfLoops(rest, path);
    return loopsOf(text).flatMap((loop) => {
      const most = outside.has(loop.line) ? MOST_PASSES : MOST_INITIAL_PASSES;
      return loop.passes > most ? [{ path, loop, most }] : [];
    });
  });
}

const eachText = ({ files, units }: PreparedDesign) =>
  units.flatMap((path) => {
    const text = files[path];
    return typeof text === 'string' ? [{ path, text }] : [];
  });

function linesOfLoops({ files }: PreparedDesign, path: string): Set<number> {
  const text = files[path];
  return new Set(typeof text === 'string' ? loopsOf(text).map(({ line }) => line) : []);
}

/** Whether a design has `initial` blocks. @param without the same design without them */
export const initializes = ({ files, units }: PreparedDesign, without: PreparedDesign) =>
  units.some((path) => files[path] !== without.files[path]);

/** Statements of `initial` blocks, passes of loops counted. */
function initialStatements(source: PreparedDesign, rest: PreparedDesign): number {
  const statements = (of: PreparedDesign) =>
    eachText(of).reduce((sum, { text }) => {
      const passes = loopsOf(text).map((loop) => loop.passes);
      return passes.filter(Number.isFinite).reduce((all, some) => all + some, sum + text.split(';').length);
    }, 0);
  return statements(source) - statements(rest);
}

/** Whether the text gives `initial` blocks so many statements that reading them takes long. */
export const initializesMuch = (source: PreparedDesign, rest: PreparedDesign): boolean =>
  initialStatements(source, rest) >= MANY_STATEMENTS;

/** The warning of `initial` blocks with so many statements that a build takes long for them; null where they have fewer. */
export function slowInitial(source: PreparedDesign, rest: PreparedDesign): Diagnostic | null {
  const statements = initialStatements(source, rest);
  if (statements < SLOW_STATEMENTS) return null;
  return {
    severity: 'warning',
    code: 'design_invalid',
    message: `the initial blocks have ${statements.toLocaleString('en-US')} statements, passes of loops counted: ${SQUARE}`,
    ...inUpload(placeOfMost(source, rest), source),
  };
}

/** Where the loop of an `initial` block with most passes is, or else the first of what `rest` lacks. */
function placeOfMost(source: PreparedDesign, rest: PreparedDesign): { file?: string; line?: number } {
  const loops = eachText(source).flatMap(({ path, text }) => {
    const outside = linesOfLoops(rest, path);
    return loopsOf(text)
      .filter(({ line }) => !outside.has(line))
      .map(({ line, passes }) => ({ path, line, passes }));
  });
  const [longest] = loops.sort((a, b) => b.passes - a.passes);
  if (longest && longest.passes >= MANY_STATEMENTS)
    return { file: reportedName(longest.path), line: longest.line };
  for (const { path, text } of eachText(source)) {
    const kept = String(rest.files[path] ?? '').split('\n');
    const line = text.split('\n').findIndex((one, at) => one !== kept[at]);
    if (line >= 0) return { file: reportedName(path), line: line + 1 };
  }
  return {};
}
