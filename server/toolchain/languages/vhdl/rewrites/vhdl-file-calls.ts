import { Edits } from '../../edits.ts';
import { type VhdlSource, vhdlSource } from '../vhdl-places.ts';
import {
  closeOf,
  endOfClause,
  endOfHead,
  isHead,
  MAY_HAVE_FILES,
  type Part,
  partsOf,
  wordAt,
} from './vhdl-subprograms.ts';

/** Assertion in place of a file access; GHDL reports it with file and line. */
const FAILS =
  'assert false report "a design cannot read or write files while it is built: put the data into a constant" severity failure;';

/** Calls whose first argument is a file. */
const CALLS = /^(?:readline|writeline|read|write|file_close|flush)$/;

/** A replacement of tokens. */
interface Change {
  from: number;
  to: number;
  by: string;
}

/**
 * Replacements for the file accesses of a subprogram; null when a file is used in another way.
 * @param part a subprogram with files of its own
 */
function changesIn(source: VhdlSource, { from, to }: Part): Change[] | null {
  const head = endOfHead(source, from + (isHead(wordAt(source, from)) ? 0 : 1));
  const files = new Set<string>();
  const changes: Change[] = [];
  let opens = false;
  for (let at = head; at < to; at++) {
    const [word, next] = [wordAt(source, at), wordAt(source, at + 1)];
    // A nested subprogram would hide where the outer body begins.
    if (isHead(word) && wordAt(source, at - 1) !== 'end') return null;
    let change: Change | null = null;
    if (word === 'file' && wordAt(source, at + 2) === ':') {
      files.add(next);
      const end = endOfClause(source, at);
      for (let one = at; one < end; one++) opens ||= /^(?:open|is)$/.test(wordAt(source, one));
      change = { from: at, to: end, by: '' };
    } else if (word === 'begin' && opens) {
      opens = false;
      change = { from: at, to: at, by: `begin ${FAILS}` };
    } else if (word === 'file_open' && next === '(')
      change = { from: at, to: endOfClause(source, at), by: FAILS };
    else if (next === '(' && files.has(wordAt(source, at + 2)) && CALLS.test(word))
      change = { from: at, to: endOfClause(source, at), by: 'null;' };
    else if (word === 'endfile' && next === '(')
      change = { from: at, to: closeOf(source, at + 1), by: 'true' };
    else if (files.has(word)) return null;
    if (!change) continue;
    changes.push(change);
    at = change.to;
  }
  return changes;
}

/**
 * Rewrites subprograms that access files: they fail at the access. Many return before it, when a memory has no file.
 * Line numbers do not change.
 */
export function withFailingFiles(text: string): string {
  if (!MAY_HAVE_FILES.test(text)) return text;
  const source = vhdlSource(text);
  const edits = new Edits();
  for (const part of partsOf(source, 0).filter(({ ofFiles, takesFile }) => ofFiles && takesFile === false))
    for (const { from, to, by } of changesIn(source, part) ?? [])
      edits.replace(
        source.tokens[from]?.start ?? 0,
        (source.tokens[to]?.start ?? 0) + wordAt(source, to).length,
        by,
      );
  return edits.apply(text);
}
