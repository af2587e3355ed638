import type { Edit } from './edits.ts';
import type { Piece } from './outline-lexer.ts';
import { type SourcePieces, shortened } from './source-pieces.ts';

const OPENS = new Set(['(', '(*', '[', '{']);
const CLOSES = new Set([')', ']', '}']);
/** Before these a `{` of C begins statements. */
const BEFORE_BLOCK = /^(?:[):*]|else|always_comb|always_latch|initial|generate)$/;
const TYPES = new Set('input output inout wire reg logic signed localparam parameter'.split(' '));

/** The index of the bracket that closes the one at an index; -1 where there is none. */
export function closingOf(pieces: readonly Piece[], open: number): number {
  let depth = 0;
  for (let at = Math.max(open, 0); at < pieces.length; at++) {
    const { text, kind } = pieces[at] as Piece;
    const isMark = kind === 'mark' || kind === 'attribute';
    if (isMark && OPENS.has(text)) depth++;
    else if (isMark && CLOSES.has(text) && --depth <= 0) return depth < 0 ? -1 : at;
    if (depth === 0) return -1;
  }
  return -1;
}

/** The index of the bracket that opens before a piece and is not closed there; -1 where there is none. */
export function bracketBefore(pieces: readonly Piece[], index: number): number {
  let depth = 0;
  for (let at = index - 1; at >= 0; at--) {
    const { text, kind } = pieces[at] as Piece;
    if (kind === 'word' && text === 'module') return -1;
    if (kind !== 'mark' && kind !== 'attribute') continue;
    if (CLOSES.has(text)) depth++;
    else if (OPENS.has(text) && depth-- === 0) return at;
  }
  return -1;
}

/** Brackets of another kind than Verilog wants around a piece that was not expected. */
export const otherBrackets = (source: SourcePieces, index: number): Edit[] => [
  ...blocksInBraces(source, index),
  ...rangesInRound(source, index),
  ...indexInRound(source, index),
  ...indexInBraces(source, index),
  ...repeated(source, index),
];

/** Pairs of braces with statements in them, those within them behind each. */
function* blocks(
  pieces: readonly Piece[],
  from: number,
  to: number,
): Generator<[open: number, close: number]> {
  for (let open = from; open < to; open++) {
    if (pieces[open]?.text !== '{' || !BEFORE_BLOCK.test(pieces[open - 1]?.text ?? '')) continue;
    const close = closingOf(pieces, open);
    const statements = pieces.slice(open, close).some(({ kind, text }) => kind === 'mark' && text === ';');
    if (close > open && statements) yield [open, close];
  }
}

/** What stands in place of the braces of C: of a module, of a `case`, of statements. */
function wordsFor(pieces: readonly Piece[], open: number): [string, keyof typeof INSTEAD] {
  const before = open - 1;
  if (pieces[before]?.text !== ')') return ['begin', 'end'];
  const bracket = bracketBefore(pieces, before);
  if (pieces[bracket - 2]?.text === 'module') return [';', 'endmodule'];
  for (const word of ['function', 'task'] as const)
    if (
      pieces
        .slice(Math.max(0, bracket - 12), bracket)
        .findLast(({ text }) => /^(?:;|function|task)$/.test(text))?.text === word
    )
      return [';', `end${word}`];
  return /^case[xz]?$/.test(pieces[bracket - 1]?.text ?? '') ? ['', 'endcase'] : ['begin', 'end'];
}

const INSTEAD = {
  end: 'statements that belong together stand between `begin` and `end`',
  endcase: 'a `case` has no bracket in front of its branches, and ends with `endcase`',
  endfunction: 'a function begins behind the `;` of its inputs, and ends with `endfunction`',
  endtask: 'a task begins behind the `;` of its ports, and ends with `endtask`',
  endmodule: 'a module begins behind the `;` of its ports, and ends with `endmodule`',
} as const;

function blocksInBraces({ text, pieces, lines }: SourcePieces, index: number): Edit[] {
  for (const [open, close] of blocks(pieces, 0, Math.min(index + 1, pieces.length))) {
    if (close < index) continue;
    const [first, last] = [pieces[open] as Piece, pieces[close] as Piece];
    const replaced = new Map<number, string>();
    for (const [from, to] of blocks(pieces, open, close)) {
      const [begins, ends] = wordsFor(pieces, from);
      replaced.set(from, begins).set(to, ends);
    }
    let [written, done] = ['', first.start];
    for (const at of [...replaced.keys()].sort((a, b) => a - b)) {
      const { start, end } = pieces[at] as Piece;
      written += `${text.slice(done, start)} ${replaced.get(at)} `;
      done = end;
    }
    const instead = INSTEAD[wordsFor(pieces, open)[1]];
    return [
      {
        from: first.start,
        to: last.end,
        text: written,
        line: lines[open] ?? 1,
        said: `\`{\` and \`}\` put bits together in Verilog: ${instead}`,
      },
    ];
  }
  return [];
}

/** Other brackets around the same. */
function bracketed(
  { text, pieces, lines }: SourcePieces,
  [open, close]: readonly [number, number],
  said: string,
): Edit[] {
  const [first, last] = [pieces[open], pieces[close]];
  if (!first || !last || close <= open) return [];
  const written = `[${text.slice(first.end, last.start)}]`;
  return [{ from: first.start, to: last.end, text: written, line: lines[open] ?? 1, said }];
}

/** `input (7:0) a` */
function rangesInRound(source: SourcePieces, index: number): Edit[] {
  const { pieces } = source;
  for (const open of [index, index - 1]) {
    const close = closingOf(pieces, open);
    if (pieces[open]?.text !== '(' || !TYPES.has(pieces[open - 1]?.text ?? '')) continue;
    if (pieces.slice(open, close).some(({ text }) => text === ':'))
      return bracketed(source, [open, close], 'a range has to stand in `[ ]`, as in `[7:0]`, not in `( )`');
  }
  return [];
}

/** `a(2) <= b;` */
function indexInRound(source: SourcePieces, index: number): Edit[] {
  const { pieces } = source;
  if (pieces[index - 1]?.text !== ')' || !/^[<=]$/.test(pieces[index]?.text ?? '')) return [];
  const open = bracketBefore(pieces, index - 1);
  const name = pieces[open - 1];
  if (name?.kind !== 'word' || !/^(?:[;:)]|begin|else)$/.test(pieces[open - 2]?.text ?? '')) return [];
  const shown = shortened(name.text);
  const said = `an index has to stand in \`[ ]\`, as in \`${shown}[0]\`: with \`( )\` \`${shown}\` is taken for a task that is called`;
  return bracketed(source, [open, index - 1], said);
}

/** `a{2}` */
function indexInBraces(source: SourcePieces, index: number): Edit[] {
  const { pieces } = source;
  const name = pieces[index - 1];
  if (pieces[index]?.text !== '{' || name?.kind !== 'word' || name.end !== pieces[index]?.start) return [];
  const said = `an index has to stand in \`[ ]\`, as in \`${shortened(name.text)}[0]\`, not in \`{ }\``;
  return bracketed(source, [index, closingOf(pieces, index)], said);
}

/** `4{a}` */
function repeated({ text, pieces, lines }: SourcePieces, index: number): Edit[] {
  const [count, open] = [pieces[index - 1], pieces[index]];
  const last = pieces[closingOf(pieces, index)];
  if (open?.text !== '{' || !last || !/^\d+$/.test(count?.text ?? '')) return [];
  const from = count?.start ?? open.start;
  return [
    {
      from,
      to: last.end,
      text: `{${text.slice(from, last.end)}}`,
      line: lines[index] ?? 1,
      said: `what is repeated stands in braces with its number, as in \`{${shortened(count?.text ?? '4')}{a}}\``,
    },
  ];
}
