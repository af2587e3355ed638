// Adds advice to the diagnostics of slang.
import { type Diagnostic, MAX_DIAGNOSTICS } from '../../../contract/diagnostics.ts';
import type { PreparedDesign } from '../../intake/prepared-design.ts';
import { reportedName } from '../../tool-paths.ts';
import { type Groups, HINTS, MARK } from './hint-table.ts';

/** Characters before and after a diagnostic that the hints see, and of a source when it has no place. */
const BEFORE = 400;
const AFTER = 120;
const MAX_TEXT = 65_536;

/** Texts of the sources by reported name, with blanks for line comments. */
function textsOf({ files }: PreparedDesign): (file: string) => string | undefined {
  const known = new Map<string, string | undefined>();
  return (file) => {
    if (!known.has(file)) {
      const [, text] = Object.entries(files).find(([path]) => reportedName(path) === file) ?? [];
      const plain = typeof text === 'string' ? text : undefined;
      known.set(
        file,
        plain?.replace(/\/\/[^\n]*/g, (comment) => ' '.repeat(comment.length)),
      );
    }
    return known.get(file);
  };
}

/** Offset of a line and column in a text, and the reverse. Both count from 1. */
const offsetOf = (text: string, line: number, column: number): number =>
  text.split('\n', line - 1).reduce((at, row) => at + row.length + 1, column - 1);
const placeIn = (text: string, offset: number) => {
  const lines = text.slice(0, offset).split('\n');
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
};

/** Matches strings and comments; the group `open` is a block comment without an end. */
const UNCLOSED = /"(?:\\.|[^"\\\n])*"|\/\*[\s\S]*?\*\/|(?<open>\/\*)/g;

/** Advice for a diagnostic, and the place of the mistake. */
function findAdvice(found: Diagnostic, text: string): { place: Partial<Diagnostic>; advice: string } | null {
  if (found.message.startsWith('block comment unclosed')) {
    const open = [...text.matchAll(UNCLOSED)].find(({ groups }) => groups?.['open']);
    return open ? { place: placeIn(text, open.index), advice: 'it has no `*/`' } : null;
  }
  const isPlaced = found.line !== undefined;
  const at = isPlaced ? offsetOf(text, found.line ?? 1, found.column ?? 1) : MAX_TEXT;
  const from = isPlaced ? Math.max(0, at - BEFORE) : 0;
  const around = `${text.slice(from, at)}${MARK}${text.slice(at, at + AFTER)}`;
  for (const [pattern, near, advice] of HINTS) {
    const message = pattern.exec(found.message);
    const context = message && new RegExp(near.source, `${near.flags}d`).exec(around);
    if (!message || !context) continue;
    const groups: Groups = { ...message.groups, ...context.groups };
    const words =
      typeof advice === 'string'
        ? advice.replace(/\$<(\w+)>/g, (_, name: string) => groups[name] ?? '')
        : advice(groups, text);
    if (words === null) continue;
    if (typeof words !== 'string') return { place: { line: words.line, column: 1 }, advice: words.words };
    const [here] = context.indices?.groups?.['here'] ?? [];
    return { place: here === undefined ? {} : placeIn(text, from + here), advice: words };
  }
  return null;
}

/** Limit of diagnostics that get hints. Later ones are rarely shown. */
const MAX_HINTED = 2 * MAX_DIAGNOSTICS;

/** slang's remark on a block without edges. */
const GATES = /^non-edge sensitivity/;

/** The advice that slang itself gives in its notes. */
function adviceOfNotes({ notes = [] }: Diagnostic): string | undefined {
  for (const { message, line } of notes) {
    if (message.startsWith('did you mean ')) return message;
    const [, opening] = /^to match this '(.+)'$/.exec(message) ?? [];
    if (opening !== undefined) return `the \`${opening}\` of line ${line} is not closed`;
  }
  return undefined;
}

/** Adds advice to slang's diagnostics: each advice once, at its first use. */
export function withHints(diagnostics: readonly Diagnostic[], source: PreparedDesign): Diagnostic[] {
  const textOf = textsOf(source);
  const usedAdvice = new Set<string>();
  return diagnostics.flatMap((found, n): Diagnostic | Diagnostic[] => {
    const text = found.file === undefined ? undefined : textOf(found.file);
    if (found.severity === 'info' || text === undefined || n > MAX_HINTED) return found;
    const { place, advice } = findAdvice(found, text) ?? { place: {}, advice: adviceOfNotes(found) };
    // slang reports this for every block with a sensitivity list, and it needs no action.
    if (!advice && GATES.test(found.message)) return [];
    if (!advice || usedAdvice.has(advice)) return { ...found, ...place };
    usedAdvice.add(advice);
    return { ...found, ...place, message: `${found.message}: ${advice}` };
  });
}
