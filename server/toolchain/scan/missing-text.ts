import type { Edit } from './edits.ts';
import type { Piece } from './outline-lexer.ts';
import { indentOf, leads, type SourcePieces, shownAt } from './source-pieces.ts';

/** What opens and is not closed. */
interface Open {
  text: string;
  /** Index of its piece. */
  at: number;
}

const BRACKETS: Readonly<Record<string, string>> = { '(': ')', '(*': '*)', '[': ']', '{': '}' };
const BLOCKS: Readonly<Record<string, string>> = {
  begin: 'end',
  case: 'endcase',
  casex: 'endcase',
  casez: 'endcase',
  function: 'endfunction',
  task: 'endtask',
  generate: 'endgenerate',
  module: 'endmodule',
};
const ENDS = new Set(Object.values(BLOCKS));
/** Behind these a statement has ended, or not begun. */
const COMPLETE = new Set([';', ',', '(', 'begin', 'else', 'generate', ...ENDS]);
/** Words with which something new begins. */
const BEGINS = new Set(
  'always always_comb always_ff always_latch assign initial wire reg logic integer genvar localparam parameter input output inout case casex casez if for while begin end endcase endmodule endfunction endtask endgenerate else generate function task module'.split(
    ' ',
  ),
);
/** Blocks of a kind that are left open and looked at. */
const MOST_OPEN = 4;

/**
 * What may be missing before a piece: the likelier first. Whether it is, is to be tried.
 * @param index of the piece that was not expected; their number where that is the end of the file
 */
export function missingBefore(source: SourcePieces, index: number): Edit[] {
  const { pieces, lines } = source;
  const last = pieces[index - 1];
  if (!last || last.kind === 'directive') return [];
  const before = pieces[index]?.text ?? '';
  const { brackets, blocks } = openBefore(index, pieces);
  const bracket = brackets.at(-1);
  const one = (text: string) => insertion(source, index, text, `a \`${text}\` is probably missing`);
  if (bracket) {
    const close = BRACKETS[bracket.text] ?? ')';
    const why = `: the \`${bracket.text}\`${lineOf(source, bracket.at)} is not closed`;
    const inFor = bracket.text === '(' && pieces[bracket.at - 1]?.text === 'for';
    return [
      ...(inFor ? [one(';')] : []),
      ...beforeAssignment(source, bracket, index),
      insertion(source, index, close, `a \`${close}\` is probably missing`, why),
      one(','),
    ];
  }
  const found: Edit[] = [];
  const sameLine = lines[index - 1] === lines[index];
  if (!COMPLETE.has(last.text)) {
    if (!sameLine || beginsStatement(pieces, index)) found.push(one(';'));
    found.push(one(','));
  }
  const inCase = BLOCKS[blocks.at(-1)?.text ?? ''] === 'endcase';
  if (inCase && before === ':') found.push(...beforeLabel(source, index));
  const closing = closersFor(before, blocks).map((open) =>
    insertion(source, index, closersOf(open), ...unclosed(source, open)),
  );
  const indented = [...misplaced(source, index), ...byIndent(source, blocks)];
  const unlike = indented.filter(({ from }) => from !== last.end);
  // Without an `endcase`, what follows it is taken for a label: its colon is the less likely.
  const ends = unlike.length > 0 ? unlike : indented;
  return [...found, ...ends, ...(inCase ? [one(':')] : []), ...closing];
}

/** The `}` of several signals that are given a value together, before its `=` or `<=`. */
function beforeAssignment(source: SourcePieces, { text, at: from }: Open, index: number): Edit[] {
  const { pieces } = source;
  if (text !== '{') return [];
  for (let at = from + 1; at < index; at++) {
    const mark = pieces[at]?.text;
    if (mark === '=' || (mark === '<' && pieces[at + 1]?.text === '='))
      return [
        insertion(
          source,
          at,
          '}',
          'a `}` is probably missing',
          `: the \`{\`${lineOf(source, from)} is not closed`,
        ),
      ];
  }
  return [];
}

/** The end of the statement before a label of a `case` that begins a line: a label is taken for a part of the expression. */
function beforeLabel(source: SourcePieces, index: number): Edit[] {
  for (let at = index - 1; at > 0 && at > index - 4; at--)
    if (leads(source, at))
      return [insertion(source, at, ';', 'a `;` is probably missing')].filter(
        () => !COMPLETE.has(source.pieces[at - 1]?.text ?? ''),
      );
  return [];
}

const lineOf = ({ lines }: SourcePieces, at: number) => ` of line ${lines[at] ?? 1}`;

/** Something that is put behind the piece before another one. */
function insertion(source: SourcePieces, index: number, text: string, said: string, why = ''): Edit {
  const { pieces, lines, last } = source;
  const [previous, next] = [pieces[index - 1], pieces[index]];
  const line = lines[index - 1] ?? 1;
  const before = next ? `, before \`${shownAt(source, index)}\`` : '';
  const where =
    lines[index] === line
      ? ` in line ${line}${before}`
      : next
        ? ` at the end of line ${line}${before}`
        : ` at the end of the file, behind line ${last}`;
  const from = previous?.end ?? 0;
  return { from, to: from, text: ` ${text} `, line: next ? line : last, said: `${said}${where}${why}` };
}

/** Whether a statement or declaration begins with a piece: a word of the language, or a name that gets a value. */
function beginsStatement(pieces: readonly Piece[], index: number): boolean {
  const first = pieces[index];
  if (first?.kind !== 'word') return first?.text === '{' && (pieces[index - 1]?.kind ?? 'mark') !== 'mark';
  if (BEGINS.has(first.text)) return true;
  let depth = 0;
  for (let at = index + 1; at < pieces.length && at < index + 40; at++) {
    const text = pieces[at]?.text ?? '';
    if (text === '[') depth++;
    else if (text === ']') depth--;
    else if (depth === 0 && text !== '.' && pieces[at - 1]?.text !== '.')
      return text === '=' || (text === '<' && pieces[at + 1]?.text === '=');
  }
  return false;
}

/** Brackets and blocks that are open before a piece, the outermost first. */
function openBefore(index: number, pieces: readonly Piece[]) {
  let [brackets, blocks]: [Open[], Open[]] = [[], []];
  for (let at = 0; at < index; at++) {
    const { kind, text } = pieces[at] as Piece;
    if (kind === 'mark' || kind === 'attribute') {
      if (Object.hasOwn(BRACKETS, text)) brackets.push({ text, at });
      else if (/^[)\]}]$/.test(text)) brackets.pop();
    } else if (kind === 'word') {
      if (text === 'module') [brackets, blocks] = [[], []];
      if (Object.hasOwn(BLOCKS, text)) blocks.push({ text, at });
      else if (ENDS.has(text)) closeIn(blocks, text);
    }
  }
  return { brackets, blocks };
}

/** Takes away the block that a word ends. What is open in it was not seen well, and goes with it. */
function closeIn(blocks: Open[], end: string): Open | undefined {
  const at = blocks.findLastIndex(({ text }) => BLOCKS[text] === end);
  const [open] = blocks.slice(at);
  if (at >= 0) blocks.length = at;
  return at >= 0 ? open : undefined;
}

/** Blocks that a word ends which stands farther out than they begin: that is the end of another one, so theirs is missing. */
function misplaced(source: SourcePieces, index: number): Edit[] {
  const { pieces } = source;
  const found: Open[] = [];
  let blocks: Open[] = [];
  for (let at = 0; at < index; at++) {
    const { kind, text } = pieces[at] as Piece;
    if (kind !== 'word') continue;
    if (text === 'module') blocks = [];
    if (Object.hasOwn(BLOCKS, text)) blocks.push({ text, at });
    else if (ENDS.has(text)) {
      const open = closeIn(blocks, text);
      if (open && leads(source, at) && indentOf(source, at) < indentOf(source, open.at)) found.push(open);
    }
  }
  // What is wrong the latest is the likeliest: what came before it was taken.
  return byIndent(source, found);
}

/** The ends of open blocks where a line begins no farther in than they do. */
const byIndent = (source: SourcePieces, blocks: readonly Open[]): Edit[] =>
  blocks
    .slice(-MOST_OPEN)
    .toReversed()
    .flatMap((open) => endByIndent(source, open));

function endByIndent(source: SourcePieces, open: Open): Edit[] {
  const { pieces, lines } = source;
  if (open.text === 'module') return [];
  const indent = indentOf(source, open.at);
  for (let at = open.at + 1; at < pieces.length; at++)
    if (pieces[at]?.kind !== 'directive' && leads(source, at) && indentOf(source, at) <= indent)
      return lines[at] === lines[open.at]
        ? []
        : [insertion(source, at, BLOCKS[open.text] ?? '', ...unclosed(source, [open]))];
  return [];
}

/** Blocks that may have to be closed before a word, each with all that are in it. */
function closersFor(word: string, blocks: readonly Open[]): Open[][] {
  const innermost = blocks.at(-1);
  if (!innermost) return [];
  if (word === '' || word === 'module') return [[...blocks]];
  if (ENDS.has(word)) {
    const own = blocks.findLastIndex(({ text }) => BLOCKS[text] === word);
    return own >= 0 && own < blocks.length - 1 ? [blocks.slice(own + 1)] : [];
  }
  const inModule = blocks.filter(({ text }) => text !== 'module');
  if (inModule.length === 0) return [];
  return inModule.length === 1 ? [inModule] : [[innermost], inModule];
}

const closersOf = (open: readonly Open[]) =>
  open
    .map(({ text }) => BLOCKS[text])
    .reverse()
    .join(' ');

/** What is said of blocks without an end: before the place, and behind it. */
function unclosed(source: SourcePieces, open: readonly Open[]): [said: string, why: string] {
  const [first] = open as [Open, ...Open[]];
  const ends = closersOf(open);
  const of = `the \`${first.text}\`${lineOf(source, first.at)}`;
  return open.length === 1
    ? [`an \`${ends}\` is probably missing`, `: ${of} has none`]
    : [`\`${ends}\` is probably missing`, `: ${of} is not ended, nor what is in it`];
}
