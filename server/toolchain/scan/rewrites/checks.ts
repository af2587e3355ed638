import { Edits } from '../lexer.ts';
import { type Piece, piecesOf } from '../outline-lexer.ts';
import { behindBrackets, behindStatement, type Pieces, textAt, Unclosed } from '../statements.ts';

/** A text that may have any of what is left out. */
const MAY_CHECK =
  /\b(?:assert|assume|cover|restrict|final|endproperty|endsequence|endgroup|endclocking|disable\s{1,20}iff)\b|\$(?:error|fatal|warning|info|stop|finish|timeformat)\b/;
const MAY_ASSERT = /\b(?:assert|assume|cover|restrict)\b/;

const ASSERTS = /^(?:assert|assume|cover|restrict)$/;
/** What is declared for assertions, and ends with a word of its own. */
const DECLARED: Readonly<Record<string, string>> = {
  property: 'endproperty',
  sequence: 'endsequence',
  covergroup: 'endgroup',
  clocking: 'endclocking',
};
const REPORTS = /^\$(?:error|fatal|warning|info|stop|finish|timeformat)$/;
/** Behind these a statement or an item begins. */
const BEGINS = /^(?:[;:)]|begin|else|end\w*|generate|default|global|initial|always(?:_ff|_comb|_latch)?)$/;
/** Behind these it is the name of something else. */
const NAMES = /^(?:task|function|module|automatic|reg|wire|logic|input|output|\])$/;

const beginsAt = (pieces: Pieces, at: number): boolean =>
  at === 0 ||
  BEGINS.test(textAt(pieces, at - 1)) ||
  pieces[at - 1]?.kind === 'directive' ||
  // `end : name`
  (textAt(pieces, at - 2) === ':' && textAt(pieces, at - 3).startsWith('end'));

/**
 * The index behind an assertion that begins at one, with what is done where it holds or fails.
 * @param last it may end with the text, as in a macro
 * @throws Unclosed
 */
function behindAssertion(pieces: Pieces, at: number, last: boolean): number | null {
  let open = at + 1;
  if (/^(?:property|final|sequence)$/.test(textAt(pieces, open))) open++;
  else if (textAt(pieces, open) === '#') open += 2;
  if (textAt(pieces, open) !== '(') return null;
  const end = behindBrackets(pieces, open);
  if (end === null || (last && end === pieces.length)) return end;
  try {
    const held = textAt(pieces, end) === 'else' ? end : behindStatement(pieces, end);
    if (held === null || textAt(pieces, held) !== 'else') return held;
    return behindStatement(pieces, held + 1);
  } catch (error) {
    if (last && error instanceof Unclosed) return pieces.length;
    throw error;
  }
}

/** The index behind a word that ends what begins at one, and its name. @throws Unclosed */
function behindWord(pieces: Pieces, from: number, word: string): number | null {
  for (let at = from + 1; at < pieces.length; at++) {
    const text = textAt(pieces, at);
    if (text === word) return textAt(pieces, at + 1) === ':' ? at + 3 : at + 1;
    if (/^(?:end)?module$/.test(text)) return null;
  }
  throw new Unclosed();
}

/** Processes and subprograms, each from its first piece to behind its last. @throws Unclosed */
function processesIn(pieces: Pieces): { from: number; to: number }[] {
  const found: { from: number; to: number }[] = [];
  for (let at = 0; at < pieces.length; at++) {
    const { kind, text } = pieces[at] as Piece;
    if (kind !== 'word') continue;
    let to: number | null = null;
    if (/^always(?:_ff|_comb|_latch)?$/.test(text)) to = behindStatement(pieces, at + 1);
    else if (text === 'task' || text === 'function') to = behindWord(pieces, at, `end${text}`);
    if (to === null) continue;
    found.push({ from: at, to });
    at = to - 1;
  }
  return found;
}

/** Of each piece whether the innermost block around it is a `case`: what stands before a `:` there is no label of an assertion. */
function inCases(pieces: Pieces): boolean[] {
  const open: boolean[] = [];
  return pieces.map(({ kind, text }) => {
    if (kind === 'word' && /^case[xz]?$/.test(text)) open.push(true);
    else if (kind === 'word' && text === 'begin') open.push(false);
    else if (kind === 'word' && (text === 'end' || text === 'endcase')) open.pop();
    return open.at(-1) === true;
  });
}

/** The index behind what is left out that begins at one; null where nothing does. @throws Unclosed */
function behindCheck(pieces: Pieces, at: number, inProcess: boolean, last: boolean): number | null {
  const { kind, text } = pieces[at] as Piece;
  if (kind === 'other')
    return inProcess && REPORTS.test(text) && beginsAt(pieces, at) ? behindStatement(pieces, at) : null;
  if (kind !== 'word' || !beginsAt(pieces, at)) return null;
  if (ASSERTS.test(text)) return behindAssertion(pieces, at, last);
  if (text === 'final' && !inProcess) return behindStatement(pieces, at + 1);
  if (text === 'disable' && textAt(pieces, at - 1) === 'default') return behindStatement(pieces, at);
  const end = DECLARED[text];
  return end === undefined || pieces[at + 1]?.kind !== 'word' ? null : behindWord(pieces, at, end);
}

/** Leaves checks out of a part of a text. @param offset where it begins @throws Unclosed */
function leaveOut(part: string, offset: number, edits: Edits, last: boolean): void {
  const pieces = piecesOf(part);
  if (
    pieces.some(
      ({ text }, at) =>
        (ASSERTS.test(text) || DECLARED[text] !== undefined) && NAMES.test(textAt(pieces, at - 1)),
    )
  )
    return;
  const inCase = inCases(pieces);
  const processes = processesIn(pieces);
  let next = 0;
  for (let at = 0; at < pieces.length; at++) {
    const { kind, text, start } = pieces[at] as Piece;
    while ((processes[next]?.to ?? pieces.length) <= at && next < processes.length) next++;
    const inProcess = (processes[next]?.from ?? pieces.length) < at;
    if (kind === 'directive' && text.startsWith('`define') && MAY_ASSERT.test(text)) {
      const [head = ''] = /^`define\s+\w+(?:\([^)]*\))?/.exec(text) ?? [];
      leaveOut(text.slice(head.length), offset + start + head.length, edits, true);
      continue;
    }
    const to = behindCheck(pieces, at, inProcess, last);
    if (to === null) continue;
    const before = textAt(pieces, at - 1);
    const labelled = ASSERTS.test(text) && before === ':' && pieces[at - 2]?.kind === 'word' && !inCase[at];
    const from = labelled ? at - 2 : /^(?:default|global)$/.test(before) ? at - 1 : at;
    const stands = inProcess || /^(?:\)|else|:|initial|always\w*)$/.test(textAt(pieces, from - 1));
    edits.replace(
      offset + (pieces[from]?.start ?? 0),
      offset + (pieces[to - 1]?.end ?? 0),
      stands && !last ? ';' : ' ',
    );
    at = to - 1;
  }
}

/**
 * A source in Verilog or SystemVerilog without what checks it while it is simulated or proved, as other synthesis tools pass it
 * over: assertions and what is declared for them, and in processes the reports and ends of a simulation. What a module checks of
 * its parameters outside of processes stays. Lines stay what they are.
 */
export function withoutChecks(text: string): string {
  if (!MAY_CHECK.test(text)) return text;
  const edits = new Edits();
  try {
    leaveOut(text, 0, edits, false);
  } catch (error) {
    // The tool says what has no end.
    if (error instanceof Unclosed) return text;
    throw error;
  }
  return edits.apply(text);
}
