import type { Piece } from './outline-lexer.ts';

/** A body of more pieces is not read: the time of reading stays linear. */
const LONGEST = 400;

const OPENS = new Set(['begin', 'case', 'casex', 'casez', 'fork']);
const CLOSES = new Set(['end', 'endcase', 'join', 'join_any', 'join_none']);
/** Statements that leave a loop, or that are not read here. */
const LEAVES = new Set([
  'disable',
  'break',
  'return',
  'continue',
  'wait',
  'forever',
  'do',
  'force',
  'assign',
]);
/** Words that a parenthesis may follow without a call. */
const BEFORE_PARENTHESIS = new Set([
  'if',
  'for',
  'while',
  'repeat',
  'case',
  'casex',
  'casez',
  'begin',
  'else',
]);

/**
 * Whether a loop that has begun goes on for ever: nothing that its condition asks for is changed in it, and nothing leaves
 * it. False wherever that is not sure.
 * @param from index of the first piece of its body
 * @param step what is done behind each pass
 */
export function endless(
  condition: readonly Piece[],
  pieces: readonly Piece[],
  from: number,
  step: readonly Piece[],
): boolean {
  const body = bodyAt(pieces, from);
  if (!body || condition.length === 0 || ![...condition, ...body, ...step].every(plain)) return false;
  if (assigns(condition) || [condition, body, step].some(calls)) return false;
  const asked = new Set(condition.filter(({ kind }) => kind === 'word').map(({ text }) => text));
  return !changes(body, asked) && !changes(step, asked);
}

/** No macro, no directive, no escaped or system name: nothing that could be anything. */
const plain = ({ kind, text }: Piece) =>
  (kind === 'word' && !LEAVES.has(text)) || kind === 'mark' || (kind === 'other' && /^[\d']/.test(text));

/** A condition that changes something itself. */
const assigns = (condition: readonly Piece[]) =>
  condition.some(({ text }, at) => {
    const [before = '', after] = [condition[at - 1]?.text, condition[at + 1]?.text];
    return text === '=' ? after !== '=' && !/^[=!<>]$/.test(before) : /^[-+]$/.test(text) && after === text;
  });

const calls = (pieces: readonly Piece[]) =>
  pieces.some(
    ({ kind, text }, at) =>
      (kind === 'word' && !BEFORE_PARENTHESIS.has(text) && pieces[at + 1]?.text === '(') ||
      // A task without arguments is a word alone.
      (kind === 'word' &&
        pieces[at + 1]?.text === ';' &&
        /^(?:;|begin|\)|else)$/.test(pieces[at - 1]?.text ?? ';')),
  );

/** Whether one of the names may be given a value. */
function changes(pieces: readonly Piece[], names: ReadonlySet<string>): boolean {
  return pieces.some(({ kind, text }, at) => {
    const [before, after, then] = [pieces[at - 1]?.text, pieces[at + 1]?.text ?? '', pieces[at + 2]?.text];
    // Several at once, or a declaration of the same name.
    if (text === '}' && after === '=' && then !== '=') return true;
    if (kind !== 'word' || !names.has(text)) return false;
    if (before === 'integer' || before === ']' || before === 'reg' || before === 'int') return true;
    if (after === '[' || after === '.') return true;
    if (after === '=') return then !== '=';
    if ((before === '+' || before === '-') && pieces[at - 2]?.text === before) return true;
    if (/^[<>]$/.test(after)) return then === after || then === '=' ? beginsStatement(before) : false;
    return /^[-+*/%&|^]$/.test(after) && (then === '=' || then === after);
  });
}

const beginsStatement = (before: string | undefined) =>
  before === undefined || /^(?:;|begin|end|else|\)|:)$/.test(before);

/** The statement that begins at `from`; null where its end is not seen. */
function bodyAt(pieces: readonly Piece[], from: number): Piece[] | null {
  let depth = 0;
  for (let at = from; at < Math.min(pieces.length, from + LONGEST); at++) {
    const { kind, text } = pieces[at] as Piece;
    if (kind === 'mark') depth += /[([{]/.test(text) ? 1 : /[)\]}]/.test(text) ? -1 : 0;
    else if (kind === 'word') depth += OPENS.has(text) ? 1 : CLOSES.has(text) ? -1 : 0;
    if (depth < 0) return null;
    const ends = depth === 0 && (text === ';' || (kind === 'word' && CLOSES.has(text)));
    if (ends && pieces[at + 1]?.text !== 'else') return pieces.slice(from, at + 1);
  }
  return null;
}
