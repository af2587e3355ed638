import type { Edit } from './edits.ts';
import type { Piece } from './outline-lexer.ts';
import { leads, type SourcePieces, shortened } from './source-pieces.ts';

/** Words of Verilog that are looked for behind misspelt ones, and those of SystemVerilog that people use. */
const WORDS =
  'always assign begin case casex casez default else end endcase endfunction endgenerate endmodule endtask for function generate genvar if initial inout input integer localparam module negedge output parameter posedge reg repeat signed task while wire logic always_ff always_comb typedef enum struct packed'.split(
    ' ',
  );
const KNOWN = new Set(WORDS);

/** Pieces before the place of an error that are looked at: as many as a statement has before its first bracket closes. */
const LOOKED_BACK = 12;

/** Several pieces that are written otherwise in Verilog. */
const MARKS: readonly [is: string, written: string, said: string][] = [
  ['=<', '<=', '`=<` is written `<=` in Verilog'],
  ['=>', '<=', '`=>` is written `<=` in Verilog'],
  [':=', '=', '`:=` is written `=` or `<=` in Verilog'],
  ['/=', '!=', '`/=` is written `!=` in Verilog'],
  ['<>', '!=', '`<>` is written `!=` in Verilog'],
  ['--', '//', 'a comment begins with `//` in Verilog, not with `--`'],
  ['#', '//', 'a comment begins with `//` in Verilog, not with `#`'],
  ['/', '//', 'a comment begins with `//`, not with one `/`'],
];
const ASSIGNS = '`=` assigns; a comparison is written `==`';

/** Words of other languages → what Verilog has in their place, and what is to be said. */
const FOREIGN: ReadonlyMap<string, [written: string, said: string]> = new Map([
  ['then', ['', 'Verilog has no `then` behind the condition of an `if`']],
  ['elsif', ['else if', '`elsif` is written `else if` in Verilog']],
  ['elseif', ['else if', '`elseif` is written `else if` in Verilog']],
  ['elif', ['else if', '`elif` is written `else if` in Verilog']],
  ['downto', [':', '`downto` is written `:` in Verilog, as in `[7:0]`']],
  ['to', [':', '`to` is written `:` in Verilog, as in `[0:7]`']],
  ['and', ['&&', '`and` is an operator in VHDL; in Verilog that is `&&` or `&`']],
  ['or', ['||', '`or` is an operator in VHDL; in Verilog that is `||` or `|`']],
  ['not', ['!', '`not` is an operator in VHDL; in Verilog that is `!` or `~`']],
  ['xor', ['^', '`xor` is an operator in VHDL; in Verilog that is `^`']],
  ['mod', ['%', '`mod` is written `%` in Verilog']],
  ['when', ['', '`when` is VHDL; in Verilog that is `condition ? a : b`, or a branch `value:` of a `case`']],
  ['switch', ['case', '`switch` is written `case` in Verilog, with `endcase` at its end']],
  ['others', ['default', '`others` is written `default` in Verilog']],
]);

/** Behind `end` in VHDL. */
const ENDED = new Set([
  'if',
  'case',
  'process',
  'loop',
  'generate',
  'function',
  'module',
  'entity',
  'architecture',
]);

/** What stands otherwise in other languages, is misspelt, or is no name, around a piece that was not expected. */
export function otherWords(source: SourcePieces, index: number): Edit[] {
  return [
    ...foreignMarks(source, index),
    ...literals(source, index),
    ...foreignWords(source, index),
    ...misspelt(source, index),
  ];
}

const replacement = (
  { lines }: SourcePieces,
  at: number,
  [first, last]: readonly [Piece, Piece],
  text: string,
  said: string,
): Edit => ({ from: first.start, to: last.end, text, line: lines[at] ?? 1, said });

function foreignMarks(source: SourcePieces, index: number): Edit[] {
  const { pieces } = source;
  const found: Edit[] = [];
  const now = pieces[index];
  if (now?.text === '=' && pieces[index + 1]?.text !== '=')
    found.push(replacement(source, index, [now, now], '==', ASSIGNS));
  for (const at of [index - 1, index]) {
    const first = pieces[at];
    if (first?.kind !== 'mark') continue;
    for (const [is, written, said] of MARKS) {
      if (is.length === 1 && !leads(source, at)) continue;
      const last = pieces[at + is.length - 1];
      const whole = pieces.slice(at, at + is.length).map(({ text }) => text);
      if (last && whole.join('') === is && last.end - first.start === is.length)
        found.push(replacement(source, at, [first, last], written, said));
    }
  }
  return found;
}

/** Numbers in the form of C and VHDL, and names that are none. */
function literals(source: SourcePieces, index: number): Edit[] {
  const { pieces, lines } = source;
  const found: Edit[] = [];
  for (const at of [index - 2, index - 1, index]) {
    const [one, next, third] = [pieces[at], pieces[at + 1], pieces[at + 2]];
    if (!one || lines[at] === undefined) continue;
    if (/^0[xX][\da-fA-F_]+$/.test(one.text))
      found.push(
        replacement(
          source,
          at,
          [one, one],
          `'h${one.text.slice(2)}`,
          `\`${shortened(one.text)}\` is written \`'h${shortened(one.text.slice(2))}\` in Verilog`,
        ),
      );
    else if (/^\d+[A-Za-z_]\w*$/.test(one.text))
      found.push(
        replacement(
          source,
          at,
          [one, one],
          `_${one.text}`,
          `\`${shortened(one.text)}\` is no name: names begin with a letter or \`_\``,
        ),
      );
    if (/^[xXbBoO]$/.test(one.text) && next?.text.startsWith('"') && next.start === one.end) {
      const digits = next.text.replaceAll('"', '');
      const base = /x/i.test(one.text) ? 'h' : one.text.toLowerCase();
      found.push(
        replacement(
          source,
          at,
          [one, next],
          `'${base}${digits}`,
          `\`${shortened(one.text + next.text)}\` is VHDL; in Verilog that is \`${digits.length * (base === 'h' ? 4 : base === 'o' ? 3 : 1)}'${base}${shortened(digits)}\``,
        ),
      );
    }
    if (one.text === "'" && next && third?.text === "'" && /^[01xz]$/i.test(next.text))
      found.push(
        replacement(
          source,
          at,
          [one, third],
          `1'b${next.text}`,
          `\`'${next.text}'\` is VHDL; in Verilog that is \`1'b${next.text}\``,
        ),
      );
  }
  const [left, dash, right] = [pieces[index - 1], pieces[index], pieces[index + 1]];
  if (
    dash?.text === '-' &&
    left?.kind === 'word' &&
    right?.kind === 'word' &&
    left.end === dash.start &&
    right.start === dash.end
  )
    found.push(
      replacement(
        source,
        index,
        [dash, dash],
        '_',
        `\`${shortened(`${left.text}-${right.text}`)}\` is no name: a \`-\` cannot be in one`,
      ),
    );
  return found;
}

/** Indices of pieces from one back to where its statement begins. */
function* backFrom({ pieces }: SourcePieces, index: number): Generator<number> {
  for (let at = index; at >= 0 && at > index - LOOKED_BACK; at--) {
    yield at;
    if (pieces[at]?.text === ';' && at < index) return;
  }
}

function foreignWords(source: SourcePieces, index: number): Edit[] {
  const { pieces } = source;
  const found: Edit[] = [];
  for (const at of backFrom(source, pieces[index]?.text === 'end' ? index + 1 : index)) {
    const word = pieces[at];
    if (word?.kind !== 'word') continue;
    const before = pieces[at - 1];
    if (before?.text === 'end' && ENDED.has(word.text)) {
      const own = /^(?:case|generate|function|module)$/.test(word.text) ? `end${word.text}` : 'end';
      const [written, shown] = [own, `\`end ${word.text}\``];
      found.push(
        replacement(source, at, [before, word], written, `${shown} is written \`${own}\` in Verilog`),
      );
    }
    const foreign = FOREIGN.get(word.text);
    if (foreign) found.push(replacement(source, at, [word, word], ...foreign));
  }
  return found;
}

/** Words that are one slip away from one of the language. */
function misspelt(source: SourcePieces, index: number): Edit[] {
  const { pieces } = source;
  const found: Edit[] = [];
  for (const at of backFrom(source, index)) {
    const word = pieces[at];
    if (word?.kind !== 'word' || KNOWN.has(word.text) || word.text.length < 2 || word.text.length > 20)
      continue;
    for (const meant of WORDS)
      if (isSlip(word.text.toLowerCase(), meant))
        found.push(
          replacement(
            source,
            at,
            [word, word],
            meant,
            `\`${word.text}\` is probably meant to be \`${meant}\``,
          ),
        );
  }
  return found;
}

/** Whether one word is the other but for one letter more, less or other, or two that changed places. */
function isSlip(word: string, meant: string): boolean {
  if (word === meant) return true; // in capitals
  const [short, long] = word.length < meant.length ? [word, meant] : [meant, word];
  if (long.length - short.length > 1) return false;
  let from = 0;
  while (from < short.length && short[from] === long[from]) from++;
  const rest = (text: string, skipped: number) => text.slice(from + skipped);
  if (short.length < long.length) return rest(short, 0) === rest(long, 1);
  if (rest(short, 1) === rest(long, 1)) return meant.length > 3;
  return short[from] === long[from + 1] && short[from + 1] === long[from] && rest(short, 2) === rest(long, 2);
}
