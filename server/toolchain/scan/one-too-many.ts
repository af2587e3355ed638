import type { Edit } from './edits.ts';
import type { Piece } from './outline-lexer.ts';
import { indentOf, leads, type SourcePieces, shortened, shownAt } from './source-pieces.ts';

/** Headers without a `begin` that are looked at. */
const MOST_HEADERS = 4;
const HEADS = new Set([
  'always',
  'always_ff',
  'always_comb',
  'always_latch',
  'initial',
  'if',
  'for',
  'while',
  'repeat',
  'else',
]);
/** No value begins with these. */
const STATEMENTS = /^(?:end\w*|else|assign|always\w*|initial|if|for|case[xz]?|begin|wire|reg|logic)$/;
const CLOSERS = /^(?:end\w*|[)\]},])$/;
const OPENERS: Readonly<Record<string, string>> = {
  end: 'begin',
  endcase: 'case',
  endmodule: 'module',
  endfunction: 'function',
  endtask: 'task',
  endgenerate: 'generate',
  ')': '(',
  ']': '[',
  '}': '{',
};

/** What may be wrong otherwise: a `begin`, an operator or an operand that is missing, or something that is one too many. */
export function lessLikely(source: SourcePieces, index: number): Edit[] {
  return [
    ...valueAtEnd(source, index),
    ...missingBegin(source, index),
    ...between(source, index),
    ...tooMany(source, index),
    ...wordAsName(source, index),
  ];
}

/** What a line ends with that has a statement behind it, which may be a block. */
const BEFORE_STATEMENT = /^(?:\)|:|\*|else)$/;
/** Pieces that are looked through for a second statement. */
const FARTHEST = 2000;

/** A `begin` that is missing at the end of a line: several statements stand farther in behind it. */
export function beginByIndent(source: SourcePieces, index: number): Edit[] {
  const { pieces, lines } = source;
  const found: Edit[] = [];
  for (let at = index - 2; at >= 0 && found.length < MOST_HEADERS; at--) {
    const { text, end } = pieces[at] as Piece;
    if (text === 'module') break;
    if (!leads(source, at + 1) || !BEFORE_STATEMENT.test(text)) continue;
    const indent = indentOf(source, at + 1);
    if (indent <= indentOf(source, at)) continue;
    const second = nextAt(source, at + 2, indent);
    if (second === undefined || /^(?:end\w*|else)$/.test(second)) continue;
    const line = lines[at] ?? 1;
    const said = `a \`begin\` is probably missing at the end of line ${line}, for more than one statement stands farther in behind it`;
    found.push({ from: end, to: end, text: ' begin ', line, said });
  }
  return found;
}

/** The first piece of the next line that begins no farther in; undefined where it begins farther out, or is far away. */
function nextAt(source: SourcePieces, from: number, indent: number): string | undefined {
  const { pieces } = source;
  for (let at = from; at < pieces.length && at < from + FARTHEST; at++)
    if (leads(source, at) && indentOf(source, at) <= indent)
      return indentOf(source, at) === indent ? pieces[at]?.text : undefined;
  return undefined;
}

function missingBegin(source: SourcePieces, index: number): Edit[] {
  const { pieces, lines } = source;
  const found: Edit[] = [];
  for (let at = index - 1; at >= 0 && found.length < MOST_HEADERS; at--) {
    const { kind, text } = pieces[at] as Piece;
    if (kind !== 'word') continue;
    if (text === 'module') break;
    if (!HEADS.has(text)) continue;
    const behind = behindHead(pieces, at);
    const next = pieces[behind]?.text;
    if (behind >= index || next === 'begin' || next === undefined || (text === 'else' && next === 'if'))
      continue;
    const last = pieces[behind - 1] as Piece;
    found.push({
      from: last.end,
      to: last.end,
      text: ' begin ',
      line: lines[behind - 1] ?? 1,
      said: `a \`begin\` is probably missing behind the \`${text}\` of line ${lines[at]}, or an \`end\` in line ${lines[index] ?? source.last} is one too many`,
    });
  }
  return found;
}

/** The index of the piece behind the head of a statement, with its condition or its events. */
function behindHead(pieces: readonly Piece[], at: number): number {
  let next = at + 1;
  if (pieces[next]?.text === '@') next++;
  if (pieces[next]?.text === '*') return next + 1;
  if (pieces[next]?.text !== '(') return next;
  for (let depth = 0; next < pieces.length; next++) {
    const text = pieces[next]?.text;
    if (text === '(' || text === '(*') depth++;
    else if (text === ')' && --depth <= 0) return next + 1;
  }
  return pieces.length;
}

/** A statement that ends behind an operator, where the next one or an `end` begins: `q <=` */
function valueAtEnd({ pieces, lines }: SourcePieces, index: number): Edit[] {
  const [last, now] = [pieces[index - 1], pieces[index]];
  if (last?.kind !== 'mark' || !/^[=&|^+*/%<>?-]$/.test(last.text)) return [];
  if (now?.kind !== 'word' || !STATEMENTS.test(now.text)) return [];
  const line = lines[index - 1] ?? 1;
  const said = `a value or a name is probably missing at the end of line ${line}, behind \`${markOf(pieces, index - 1)}\`, and a \`;\` behind it`;
  return [{ from: last.end, to: last.end, text: ' 0; ', line, said }];
}

function tooMany({ pieces, lines }: SourcePieces, index: number): Edit[] {
  const now = pieces[index];
  if (!now || !CLOSERS.test(now.text)) return [];
  const opener = OPENERS[now.text];
  const said = `the \`${now.text}\` in line ${lines[index]} is probably one too many${opener ? `, or a \`${opener}\` is missing above it` : ''}`;
  return [{ from: now.start, to: now.end, text: ' ', line: lines[index] ?? 1, said }];
}

/** Between two operands an operator is missing, and between two operators, or before the end, an operand. */
function between(source: SourcePieces, index: number): Edit[] {
  const { pieces, lines } = source;
  const [last, now] = [pieces[index - 1], pieces[index]];
  if (!last || !now) return [];
  const line = lines[index - 1] ?? 1;
  const put = (text: string, said: string): Edit => ({
    from: last.end,
    to: last.end,
    text: ` ${text} `,
    line,
    said: `${said} in line ${line}, between \`${markOf(pieces, index - 1)}\` and \`${shownAt(source, index)}\``,
  });
  const isOperand = ({ kind, text }: Piece) =>
    kind === 'word' || kind === 'other' || kind === 'macro' || text === ')' || text === ']' || text === '}';
  if (
    isOperand(last) &&
    (now.kind === 'word' || now.kind === 'other' || now.text === '(' || now.text === '{')
  )
    return [
      put('+', 'an operator, a `,` or a `;` is probably missing'),
      put('=', 'an `=` is probably missing'),
    ];
  if (isOperand(last))
    return [
      {
        ...put(': 0', ''),
        said: `the \`?\` before \`${shownAt(source, index)}\` in line ${line} has no \`:\``,
      },
    ].filter(() => hasChoice(pieces, index));
  return [put('0', 'a value or a name is probably missing')];
}

/** A piece as it is shown, a mark with those right before it: `<=`, not `=`. */
function markOf(pieces: readonly Piece[], at: number): string {
  const [before, now] = [pieces[at - 1], pieces[at]];
  const both = `${before?.text}${now?.text}`;
  const whole = before?.end === now?.start && /^(?:[<>=!]=|&&|\|\||<<|>>|[+-]:|\*\*)$/.test(both);
  return whole ? both : shortened(now?.text ?? '');
}

/** Whether a `?` without a `:` stands before a piece in its statement. */
function hasChoice(pieces: readonly Piece[], index: number): boolean {
  let open = 0;
  for (let at = index - 1; at >= 0 && pieces[at]?.text !== ';'; at--) {
    if (pieces[at]?.text === '?') open++;
    else if (pieces[at]?.text === ':') open--;
  }
  return open > 0;
}

/** Words that nobody takes for a name: where one is not expected, something else is wrong. */
const NO_NAMES = /^(?:else|begin|end\w*)$/;

/** A word of the language where a name is wanted. */
function wordAsName({ pieces, lines }: SourcePieces, index: number): Edit[] {
  const now = pieces[index];
  if (now?.kind !== 'word' || NO_NAMES.test(now.text)) return [];
  return [
    {
      from: now.start,
      to: now.end,
      text: `${now.text}_`,
      line: lines[index] ?? 1,
      said: `\`${now.text}\` is a word of the language and cannot be a name`,
    },
  ];
}
