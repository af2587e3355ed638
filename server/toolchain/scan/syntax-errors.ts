import type { Diagnostic } from '../../contract/diagnostics.ts';
import { inWords, syntaxErrorOf } from '../diagnostics/syntax-words.ts';
import { lastLine, type Missing, missingBefore } from './missing-text.ts';
import type { PreparedDesign } from './prepared-design.ts';
import { reportedName } from './tool-paths.ts';

/** Texts that are tried in place of a missing one: each is a run of Yosys, which parses and does nothing else. */
const MOST_TRIED = 12;
/** Larger sources are not tried: parsing them would take too long. */
const LONGEST = 1 << 18;

/**
 * A syntax error of Yosys in plain words, with what is probably missing: something that, put before the place of the error, is
 * taken, so that Yosys comes to a later line.
 * @param errorsIn what Yosys finds wrong in sources when it parses them; null when it comes to no end
 * @returns null where the finding is none
 */
export async function inPlainWords(
  finding: Diagnostic,
  source: PreparedDesign,
  errorsIn: (source: PreparedDesign) => Promise<readonly Diagnostic[] | null>,
): Promise<Diagnostic | null> {
  const error = syntaxErrorOf(finding.message);
  if (!error) return null;
  const path = Object.keys(source.files).find((one) => reportedName(one) === finding.file);
  const text = path === undefined ? undefined : source.files[path];
  const plain = { ...finding, message: inWords(error) };
  if (path === undefined || typeof text !== 'string' || finding.line === undefined) return plain;
  // Yosys takes the end of a file for its first line.
  const line = error.unexpected === 'end of file' ? lastLine(text) : finding.line;
  const at = { ...plain, line };
  const because = (why: string) => ({ ...at, message: `${inWords({ ...error, expecting: [] })}: ${why}` });
  const outside = outsideOfProcesses(error);
  if (outside) return because(outside);
  if (error.unexpected === "'@'") return because('only a simulation can wait for an event within a block');
  const simulates = simulationWord(text, line);
  if (simulates !== null && `TOK_${simulates.toUpperCase()}` === error.unexpected)
    return because(`\`${simulates}\` is for simulation only`);
  // A directive `line` makes places of others out of those of the text.
  if (text.length > LONGEST || /`line\b/.test(text)) return at;
  for (const missing of missingBefore(error, text, line).slice(0, MOST_TRIED)) {
    const files = { ...source.files, [path]: withText(text, missing) };
    const errors = await errorsIn({ ...source, files });
    if (!errors) break;
    const [next] = errors;
    if (!next || isLater(next, at))
      return {
        ...at,
        message: `${inWords({ ...error, expecting: [] }, missing.before || null)}: ${missing.said}`,
      };
  }
  return simulates === null
    ? at
    : { ...at, message: `${at.message}: \`${simulates}\` is for simulation only` };
}

/** Words of the language that nothing can be built of, and that Yosys takes for names where it does not know them. */
const SIMULATES =
  /\b(?:fork|forever|wait|event|force|release|deassign|real|realtime|class|program|covergroup|property|sequence)\b/;

/** Longer lines were written by programs, and are not looked through. */
const LONGEST_LINE = 1000;

/** The first such word in a line, counted from 1. */
function simulationWord(text: string, line: number): string | null {
  const whole = text.split('\n')[line - 1] ?? '';
  if (whole.length > LONGEST_LINE) return null;
  return SIMULATES.exec(whole.replace(/\/\/.*|\/\*.*?\*\/|"[^"]*"/g, ' '))?.[0] ?? null;
}

const withText = (text: string, { at, text: more }: Missing) => text.slice(0, at) + more + text.slice(at);

/** Sources are read one after the other, so an error in another one comes later. */
const isLater = (next: Diagnostic, { file, line }: Diagnostic) =>
  next.file !== file || (next.line ?? 0) > (line ?? 0);

/** A name with an assignment behind it can be an instance alone where Yosys reads no statements. */
function outsideOfProcesses({ unexpected, expecting }: { unexpected: string; expecting: readonly string[] }) {
  const instance = expecting.length === 2 && expecting.includes('TOK_ID') && expecting.includes("'#'");
  return instance && (unexpected === 'OP_LE' || unexpected === "'='")
    ? 'this assignment is in no `always` or `initial` block; a `begin` may be missing above it, or an `assign` before it'
    : null;
}
