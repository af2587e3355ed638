import type { UnexpectedToken } from '../diagnostics/syntax-words.ts';
import { bracketBefore, closingOf } from './brackets.ts';
import type { Edit } from './edits.ts';
import type { Piece } from './outline-lexer.ts';
import { type SourcePieces, shortened } from './source-pieces.ts';
import type { Certain } from './unclosed.ts';

/** What has to stand in brackets behind a word. */
const IN_BRACKETS: Readonly<Record<string, string>> = {
  if: 'the condition of an `if` has to stand in brackets, as in `if (a == 1)`',
  while: 'the condition of a `while` has to stand in brackets, as in `while (a > 0)`',
  repeat: 'the number behind `repeat` has to stand in brackets, as in `repeat (8)`',
  case: 'what a `case` looks at has to stand in brackets, as in `case (state)`',
  casex: 'what a `casex` looks at has to stand in brackets, as in `casex (state)`',
  casez: 'what a `casez` looks at has to stand in brackets, as in `casez (state)`',
  for: 'the three parts of a `for` have to stand in brackets, as in `for (i = 0; i < 8; i = i + 1)`',
};
const DIRECTIONS = new Set(['input', 'output', 'inout']);
const PROCESSES = /^(?:always(?:_ff|_comb|_latch)?|initial)$/;
/** Pieces that are looked through for where something begins. */
const FARTHEST = 400;

/** What is certainly wrong where Yosys takes one thing only: behind `if`, `@`, `module` and the name of a module. */
export function wrongHead(
  { pieces, lines }: SourcePieces,
  index: number,
  { unexpected, expecting }: UnexpectedToken,
): Certain | null {
  const [before, now] = [pieces[index - 1], pieces[index]];
  const outside = outsideOfModules(pieces, index);
  if (outside !== null) return { line: lines[index] ?? 1, said: outside };
  if (!before || !now || before.kind === 'directive') return null;
  const line = lines[index - 1] ?? 1;
  const only = expecting.length === 1 ? expecting[0] : null;
  const bracketed = Object.hasOwn(IN_BRACKETS, before.text) ? IN_BRACKETS[before.text] : undefined;
  if (only === "'('" && before.kind === 'word' && bracketed !== undefined) return { line, said: bracketed };
  if (before.text === '@' && /^(?:pos|neg)edge$/.test(now.text))
    return {
      line,
      said: `the events behind \`@\` have to stand in brackets, as in \`@(${now.text} ${shortened(pieces[index + 1]?.text ?? 'clk')})\``,
    };
  if (now.text === '[' && isValueBefore(pieces, index))
    return {
      line: lines[index] ?? line,
      said: `a name is missing before \`${shortened(rangeAt(pieces, index))}\`: write the signal that these bits are of, as in \`data${shortened(rangeAt(pieces, index))}\``,
    };
  if (before.text === 'module' && only === 'TOK_ID' && /^'[(#;]'$/.test(unexpected))
    return {
      line,
      said: `this module has no name: write one behind \`module\`, as in \`module top ${now.text}\``,
    };
  if (pieces[index - 2]?.text !== 'module' || !expecting.includes("'('")) return null;
  const name = shortened(before.text);
  if (DIRECTIONS.has(now.text))
    return {
      line,
      said: `a \`(\` is missing behind \`module ${name}\`: its ports have to stand in brackets, with a \`,\` between them and \`);\` behind the last one`,
    };
  return now.text === '{'
    ? {
        line: lines[index] ?? line,
        said: `the ports of \`module ${name}\` have to stand in \`( )\`, not in \`{ }\``,
      }
    : null;
}

/** Marks behind which a value begins, and no declaration. */
const TAKES_VALUE = /^[=&|^~!?*/%+<>-]$/;
/** Pieces of a range that are shown. */
const LONGEST_RANGE = 12;

/** Whether a value has to begin with a piece: behind an operator, or as what a port is connected to. */
const isValueBefore = (pieces: readonly Piece[], index: number): boolean =>
  TAKES_VALUE.test(pieces[index - 1]?.text ?? '') ||
  (pieces[index - 1]?.text === '(' && pieces[index - 2]?.kind === 'word' && pieces[index - 3]?.text === '.');

/** What stands in the square brackets that begin with a piece, and they. */
function rangeAt(pieces: readonly Piece[], index: number): string {
  const range = pieces.slice(index, index + LONGEST_RANGE);
  const close = range.findIndex(({ text }) => text === ']');
  return close < 0
    ? '[…]'
    : range
        .slice(0, close + 1)
        .map(({ text }) => text)
        .join('');
}

const IN_MODULES = /^(?:assign|always(?:_ff|_comb|_latch)?|initial|reg|wire|input|output|inout|genvar)$/;
const UNITS = /^(?:end)?(?:module|interface|package|program|class|primitive|checker)$/;

/** What belongs into a module and stands behind its end, or where none has begun. */
function outsideOfModules(pieces: readonly Piece[], index: number): string | null {
  const word = pieces[index]?.text ?? '';
  if (!IN_MODULES.test(word)) return null;
  // Behind `modul`, for example, the module is what is not read.
  const last = pieces.slice(0, index).findLast(({ kind, text }) => kind === 'word' || text === ')');
  if (last && !/^end\w+$/.test(last.text)) return null;
  const unit = pieces.slice(0, index).findLast(({ kind, text }) => kind === 'word' && UNITS.test(text));
  if (unit && !unit.text.startsWith('end')) return null;
  return unit
    ? `\`${word}\` stands outside of any module: the \`${unit.text}\` above is one too many, or a \`module\` is missing`
    : `\`${word}\` stands outside of any module: a \`module\` is missing above, or this is a part that another file includes`;
}

/** What may be wrong in the head of a statement, an instance or a module before a piece. */
export function headEdits(source: SourcePieces, index: number, { expecting }: UnexpectedToken): Edit[] {
  return [
    ...nameOfTwoWords(source, index),
    ...eventsWithoutAt(source, index),
    ...partsOfFor(source, index),
    ...portsBySemicolon(source, index),
    ...assigned(source, index),
    ...endedHead(source, index),
    ...elseBehindMore(source, index),
    ...branchByCase(source, index),
    ...instances(source, index, expecting),
  ];
}

/** `module my slave (` */
function nameOfTwoWords({ pieces, lines }: SourcePieces, index: number): Edit[] {
  const [word, first, second] = [pieces[index - 2], pieces[index - 1], pieces[index]];
  if (word?.text !== 'module' || first?.kind !== 'word' || second?.kind !== 'word') return [];
  const [one, other] = [shortened(first.text), shortened(second.text)];
  return [
    {
      from: first.end,
      to: second.start,
      text: '_',
      line: lines[index] ?? 1,
      said: `the name of a module is one word: write \`${one}_${other}\`, for example, in place of \`${one} ${other}\``,
    },
  ];
}

/** `always (posedge clk)` */
function eventsWithoutAt({ pieces, lines }: SourcePieces, index: number): Edit[] {
  const [word, open, event] = [pieces[index - 2], pieces[index - 1], pieces[index]];
  if (!word || !/^always(?:_ff)?$/.test(word.text) || open?.text !== '(' || event?.kind !== 'word') return [];
  const line = lines[index - 2] ?? 1;
  return [
    {
      from: word.end,
      to: word.end,
      text: ' @',
      line,
      said: `an \`@\` is missing behind \`${word.text}\` in line ${line}: write \`${word.text} @(…)\``,
    },
  ];
}

/** A `for` with `,` between its parts, with two parts, or with a `;` behind the last one. */
function partsOfFor(source: SourcePieces, index: number): Edit[] {
  const { pieces, lines, text } = source;
  const open = bracketBefore(pieces, index);
  if (pieces[open]?.text !== '(' || pieces[open - 1]?.text !== 'for') return [];
  const close = closingOf(pieces, open);
  const [first, last] = [pieces[open] as Piece, pieces[close]];
  if (!last) return [];
  const marks = topMarks(pieces, open, close);
  const line = lines[open] ?? 1;
  const name = shortened(pieces[open + 1]?.text ?? 'i');
  const whole = (parted: string, said: string): Edit => ({
    from: first.end,
    to: last.start,
    text: parted,
    line,
    said,
  });
  const body = text.slice(first.end, last.start);
  if (marks.length === 2 && marks.some(({ text }) => text === ',')) {
    let parted = body;
    for (const { start } of marks)
      parted = `${parted.slice(0, start - first.end)};${parted.slice(start + 1 - first.end)}`;
    return [
      whole(parted, `the three parts of the \`for\` in line ${line} are parted by \`;\`, not by \`,\``),
    ];
  }
  const semicolons = marks.filter(({ text }) => text === ';');
  const behind = semicolons[2];
  if (semicolons.length === 3 && behind && pieces[close - 1] === behind)
    return [
      whole(
        body.slice(0, behind.start - first.end),
        `the last \`;\` in the brackets of the \`for\` in line ${line} is one too many`,
      ),
    ];
  if (semicolons.length === 1 && marks.length === 1 && /^\w+$/.test(name))
    return [
      whole(
        `${body}; ${name} = ${name} + 1`,
        `the \`for\` in line ${line} has two parts, and needs three, as in \`for (${name} = 0; ${name} < 8; ${name} = ${name} + 1)\``,
      ),
    ];
  return [];
}

/** Commas and semicolons between two brackets that are in no others. */
function topMarks(pieces: readonly Piece[], open: number, close: number): Piece[] {
  const found: Piece[] = [];
  for (let at = open + 1; at < close; at++) {
    const piece = pieces[at] as Piece;
    if (/^[([{]$/.test(piece.text)) at = Math.max(at, closingOf(pieces, at));
    else if (piece.text === ',' || piece.text === ';') found.push(piece);
  }
  return found;
}

/** `module m (input a; output b);` */
function portsBySemicolon({ pieces, lines, text }: SourcePieces, index: number): Edit[] {
  if (pieces[index]?.text !== ';') return [];
  const open = bracketBefore(pieces, index);
  if (pieces[open]?.text !== '(' || pieces[open - 2]?.text !== 'module') return [];
  const close = closingOf(pieces, open);
  const [first, last] = [pieces[open] as Piece, pieces[close]];
  const marks = last ? topMarks(pieces, open, close).filter((mark) => mark.text === ';') : [];
  const behind = pieces.indexOf(marks[0] as Piece) + 1;
  if (!last || !DIRECTIONS.has(pieces[behind]?.text ?? '')) return [];
  let parted = text.slice(first.end, last.start);
  for (const { start } of marks)
    parted = `${parted.slice(0, start - first.end)},${parted.slice(start + 1 - first.end)}`;
  return [
    {
      from: first.end,
      to: last.start,
      text: parted.replace(/,\s*$/, ''),
      line: lines[index] ?? 1,
      said: 'within the brackets of `module` the ports are parted by `,`, not by `;`, and none stands behind the last one',
    },
  ];
}

/** `assign a <= b;` */
function assigned({ pieces, lines }: SourcePieces, index: number): Edit[] {
  const [less, equal] = [pieces[index], pieces[index + 1]];
  if (less?.text !== '<' || equal?.text !== '=' || equal.start !== less.end) return [];
  for (let at = index - 1; at > 0 && at > index - 20 && pieces[at]?.text !== ';'; at--) {
    const word = pieces[at]?.text ?? '';
    if (lines[at] !== lines[index]) return [];
    if (!/^(?:assign|wire|localparam|parameter)$/.test(word)) continue;
    const line = lines[index] ?? 1;
    return [
      {
        from: less.start,
        to: equal.end,
        text: '=',
        line,
        said: `behind \`${word}\` a value is given with \`=\`; \`<=\` is for registers, in an \`always\` block`,
      },
    ];
  }
  return [];
}

/** `always @(posedge clk);` with what belongs to it behind, and `if (a);` before an `else`. */
function endedHead({ pieces, lines }: SourcePieces, index: number): Edit[] {
  const found: Edit[] = [];
  const isElse = pieces[index]?.text === 'else';
  for (let at = index - 1; at >= 0 && at > index - FARTHEST; at--) {
    const word = pieces[at]?.text ?? '';
    if (word === 'module') break;
    if (isElse ? word !== 'if' : !PROCESSES.test(word)) continue;
    const open = at + 1 + (pieces[at + 1]?.text === '@' ? 1 : 0);
    const close = pieces[open]?.text === '(' ? closingOf(pieces, open) : open;
    const mark = pieces[close + 1];
    if (mark?.text === ';' && close + 1 < index) {
      const line = lines[close + 1] ?? 1;
      const said = `the \`;\` behind the ${isElse ? 'condition' : 'head'} of the \`${word}\` in line ${line} ends it, so that nothing belongs to it: take the \`;\` out`;
      found.push({ from: mark.start, to: mark.end, text: ' ', line, said });
    }
    break;
  }
  return found;
}

/** An `else` behind more than one statement. */
function elseBehindMore({ pieces, lines, text }: SourcePieces, index: number): Edit[] {
  const now = pieces[index];
  if (now?.text !== 'else') return [];
  for (let at = index - 1; at >= 0 && at > index - FARTHEST; at--) {
    const word = pieces[at]?.text ?? '';
    if (/^(?:module|begin|end|else)$/.test(word)) return [];
    if (word !== 'if' || pieces[at + 1]?.text !== '(') continue;
    const close = closingOf(pieces, at + 1);
    const head = pieces[close];
    if (!head || close >= index) return [];
    const line = lines[at] ?? 1;
    const said = `the \`else\` in line ${lines[index]} has no \`if\`: the one in line ${line} ends with the first statement behind it; put \`begin\` and \`end\` around those that belong to it`;
    return [
      {
        from: head.end,
        to: now.start,
        text: ` begin ${text.slice(head.end, now.start)} end `,
        line: lines[index] ?? 1,
        said,
      },
    ];
  }
  return [];
}

/** `case 3:` within a `case`, as in C. */
function branchByCase({ pieces, lines }: SourcePieces, index: number): Edit[] {
  for (const at of [index, index - 1]) {
    const now = pieces[at];
    if (now?.text !== 'case' || pieces[at + 1]?.text === '(') continue;
    return [
      {
        from: now.start,
        to: now.end,
        text: ' ',
        line: lines[at] ?? 1,
        said: 'a branch of a `case` begins with its value alone, as in `3: a <= b;`, without the word `case`',
      },
    ];
  }
  return [];
}

/** An instance without a name, and one within a process. */
function instances({ pieces, lines }: SourcePieces, index: number, expecting: readonly string[]): Edit[] {
  const [module, now] = [pieces[index - 1], pieces[index]];
  if (module?.kind !== 'word' || !now) return [];
  const line = lines[index] ?? 1;
  const shown = shortened(module.text);
  if (now.text === '(' && expecting.includes('TOK_ID') && pieces[index + 1]?.text === '.')
    return [
      {
        from: now.start,
        to: now.start,
        text: ' u0 ',
        line,
        said: `this instance of \`${shown}\` has no name: write one between \`${shown}\` and \`(\`, as in \`${shown} u0 (\``,
      },
    ];
  const close = closingOf(pieces, index + 1);
  const end = pieces[close + 1];
  if (now.kind !== 'word' || pieces[index + 2]?.text !== '.' || pieces[index + 1]?.text !== '(') return [];
  return end?.text === ';'
    ? [
        {
          from: module.start,
          to: end.end,
          text: ';',
          line,
          said: `an instance of a module, as \`${shown} ${shortened(now.text)}\` is, stands outside of \`always\` and \`initial\` blocks and of functions`,
        },
      ]
    : [];
}
