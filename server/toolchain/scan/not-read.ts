import type { SourcePieces } from './source-pieces.ts';
import type { Certain } from './unclosed.ts';

/** Pieces around the place of an error in which a word is looked for that Yosys does not read. */
const BEFORE = 8;
const BEHIND = 3;

const SIMULATION = 'is for simulation only: put it between `ifndef SYNTHESIS and `endif, or take it out';
const CHECKS = 'is for verification only: put it between `ifndef SYNTHESIS and `endif, or take it out';
const SPELT_OUT = 'is not read by Yosys: write it out with';

/** Words of SystemVerilog and Verilog that the embedded Yosys does not read, each with what is to be said of it. */
const WORDS: Readonly<Record<string, string>> = {
  alias: 'is not read by Yosys: connect the two nets with `assign`',
  assert: CHECKS,
  assume: CHECKS,
  bind: 'is not read by Yosys: put the instance into the module',
  chandle: SIMULATION,
  checker: CHECKS,
  class: 'is not read by Yosys, for nothing can be built of it: use modules, or keep it in the testbench',
  clocking: 'is for simulation only: take the clocking block out',
  config: 'is not read by Yosys: give the modules different names, and take it out',
  cover: CHECKS,
  covergroup: CHECKS,
  deassign: SIMULATION,
  disable: 'is not read by Yosys: put what is not to be done into an `else`',
  do: 'loops are not read by Yosys: use a `for` with a constant number of passes',
  event: SIMULATION,
  extern: 'is not read by Yosys: the module itself is enough, in any file of the project',
  final: SIMULATION,
  force: SIMULATION,
  foreach: 'is not read by Yosys: use a `for` over the indices',
  forever: SIMULATION,
  fork: SIMULATION,
  iff: 'is not read by Yosys: put the condition into the block, as an `if`',
  inside: 'is not read by Yosys: compare with each value, as in `a == 1 || a == 2`',
  let: 'is not read by Yosys: use a function or a macro',
  nettype: 'is not read by Yosys: use `wire` or `logic`',
  primitive: 'is not read by Yosys: describe the table with a `case` in a module',
  program: 'blocks are for simulation only: keep it in the testbench',
  property: CHECKS,
  real: SIMULATION,
  realtime: SIMULATION,
  ref: 'arguments are not read by Yosys: use `input`, `output` or `inout`',
  release: SIMULATION,
  return: 'with a value is not read by Yosys: assign the value to the name of the function',
  sequence: CHECKS,
  string: 'is not read by Yosys as the type of a variable: a parameter may have text',
  tagged: 'unions are not read by Yosys: use `union packed`',
  time: SIMULATION,
  timeprecision: 'is not read by Yosys: use `timescale, or take it out',
  timeunit: 'is not read by Yosys: use `timescale, or take it out',
  tri0: 'is not read by Yosys: use `wire`',
  tri1: 'is not read by Yosys: use `wire`',
  triand: `${SPELT_OUT} \`&\``,
  trior: `${SPELT_OUT} \`|\``,
  trireg: 'is not read by Yosys: use `wire`',
  nmos: 'switches are not read by Yosys: use gates or `assign`',
  pmos: 'switches are not read by Yosys: use gates or `assign`',
  cmos: 'switches are not read by Yosys: use gates or `assign`',
  tran: 'switches are not read by Yosys: use gates or `assign`',
  uwire: 'is not read by Yosys: use `wire`',
  wait: SIMULATION,
};

const EXPRESSIONS =
  'ports with expressions, as in `.a(b)`, are not read by Yosys: name the signals alone, in a `modport` as well';

/** Several pieces in a row, parted by spaces, and what is to be said of them. */
const ROWS: readonly [pieces: string, said: string][] = [
  [
    "' {",
    "`'{…}` is read where all of an array or of a packed structure that its module declares gets a value, one for each word or member: use `{…}` for vectors, and give the words of an array their values one by one",
  ],
  ['{ < <', 'streaming with `{<<{…}}` is not read by Yosys: list the bits, or use a `for`'],
  ['{ > >', 'streaming with `{>>{…}}` is not read by Yosys: list the bits, or use a `for`'],
  ['= = ?', '`==?` is not read by Yosys: use `casez`, or compare the bits that matter'],
  ['! = ?', '`!=?` is not read by Yosys: use `casez`, or compare the bits that matter'],
  ['- >', '`->` is not read by Yosys: triggers of events are for simulation, and `a -> b` is `!a || b`'],
  ['[ ]', 'arrays without bounds are for simulation only: give the bounds'],
  ['[ $', 'queues are for simulation only: use an array with bounds'],
  ['struct {', 'a `struct` that is not `packed` is not read by Yosys: write `struct packed`'],
  ['union {', 'a `union` that is not `packed` is not read by Yosys: write `union packed`'],
  ['input .', EXPRESSIONS],
  ['output .', EXPRESSIONS],
  [
    'input struct',
    'a `struct` in a list of ports is not read by Yosys: give it a name with `typedef` in front of the module',
  ],
  [
    'output struct',
    'a `struct` in a list of ports is not read by Yosys: give it a name with `typedef` in front of the module',
  ],
  [') [', 'an index behind `)` is not read by Yosys: give the value a name of its own, and index that'],
  ['} [', 'an index behind `}` is not read by Yosys: give the value a name of its own, and index that'],
  ["void ' (", "`void'(…)` is not read by Yosys: call the function in an assignment"],
  [
    'automatic logic',
    '`automatic` variables within a block are not read by Yosys: declare them without the word',
  ],
  [
    'automatic int',
    '`automatic` variables within a block are not read by Yosys: declare them without the word',
  ],
  ['static int', '`static` variables within a block are not read by Yosys: declare them in the module'],
  ['static logic', '`static` variables within a block are not read by Yosys: declare them in the module'],
];

const TYPE =
  'is read where it stands alone with a type that needs no other parameter, and no instance sets it: give a width as a parameter, and use `logic [W-1:0]`';
const TEXT = 'is not read by Yosys: leave `string` out, for a parameter may have text';

/** The same, of pieces that mean nothing else whatever stands around them: no other mistake is as likely. */
const CERTAIN: readonly [pieces: string, said: string][] = [
  ['parameter type', `\`parameter type\` ${TYPE}`],
  ['localparam type', `\`localparam type\` ${TYPE}`],
  ['parameter string', `\`parameter string\` ${TEXT}`],
  ['localparam string', `\`localparam string\` ${TEXT}`],
];

/** What Yosys does not read. */
export interface NotRead extends Certain {
  /** Nothing else is as likely: it would be taken for the call of a task, and the error come behind it. */
  sure?: boolean;
}

/** Whether a message says that Yosys does not read something, which another reader may. */
export const isLimitOfYosys = (message: string): boolean =>
  /\b(?:not read by Yosys|is read where|Yosys makes a wire|Yosys connects no|Yosys leaves|Yosys keeps only|Yosys takes nothing)\b/.test(
    message,
  );

/** Words that are never names: no task of that name is called. */
const STATEMENTS = /^(?:force|release|deassign|fork|forever)$/;

/** Behind these a statement begins. */
const BEGINS = /^(?:[;:)]|begin|end|else)$/;

/** Tokens of Yosys for which more may be meant than stands there. */
const EVENT = "'@'";

/**
 * What Yosys does not read of the language at the place of an error, with a hint.
 * @param index of the piece that was not expected; null where it is not known, and all of its line counts
 * @param unexpected as Yosys names it
 */
export function notRead(
  source: SourcePieces,
  line: number,
  index: number | null,
  unexpected: string,
): NotRead | null {
  const { pieces, lines } = source;
  const from = index === null ? lines.indexOf(line) : Math.max(0, index - BEFORE);
  const to = index === null ? lines.lastIndexOf(line) : Math.min(pieces.length - 1, index + BEHIND);
  if (from < 0) return null;
  const start = index === null ? from : statementStart(source, from, index);
  for (let at = start; at <= to; at++) {
    const { kind, text } = pieces[at] ?? { kind: 'mark', text: '' };
    const here = lines[at] ?? line;
    for (const [row, said] of CERTAIN)
      if (isRow(source, at, row.split(' '))) return { line: here, said, sure: true };
    if (kind === 'word' && text === 'import') return { line: here, said: importSaid(source, at) };
    if (kind === 'word' && Object.hasOwn(WORDS, text)) {
      const before = pieces[at - 1];
      const begins = before?.kind === 'directive' || BEGINS.test(before?.text ?? '');
      const sure = begins && (pieces[at + 1]?.text === '(' || STATEMENTS.test(text));
      return { line: here, said: `\`${text}\` ${WORDS[text]}`, sure };
    }
    for (const [row, said] of ROWS)
      if (isRow(source, at, row.split(' ')) && !(row === '[ ]' && isValue(source, at)))
        return { line: here, said };
  }
  if (/^TOK_(?:TASK|FUNCTION)$/.test(unexpected) && insideInterface(source, index))
    return {
      line,
      said: 'tasks and functions in an `interface` are not read by Yosys: put them into the modules that use them',
      sure: true,
    };
  if (unexpected === EVENT && insideBlock(source, index))
    return {
      line,
      said: 'only a simulation can wait for an event within a block: put what comes behind the event into an `always @(…)` of its own, with a register that says how far it has come',
    };
  return interfacesPort(source, index) ?? arrayPort(source, index);
}

/** `import` of a package that is nowhere: what is imported of others has been written out, see imports.ts. */
const importSaid = ({ pieces }: SourcePieces, at: number): string => {
  const name = pieces[at + 1]?.kind === 'word' ? (pieces[at + 1]?.text ?? 'p') : 'p';
  return pieces[at + 1]?.kind === 'other'
    ? '`import` of functions of other languages is for simulation only'
    : `the package \`${name.slice(0, 40)}\` is in nothing that was sent: send its file along, as a project`;
};

/** Behind the last `;` before a piece, but not before `from`. */
function statementStart({ pieces }: SourcePieces, from: number, index: number): number {
  for (let at = index - 1; at >= from; at--) {
    const text = pieces[at]?.text;
    if (text === ';' && at < index - 1) return at + 1;
  }
  return from;
}

const isRow = ({ pieces }: SourcePieces, at: number, row: readonly string[]): boolean =>
  row.every((text, n) => pieces[at + n]?.text === text);

/** Whether a piece stands in a statement behind its `=`: it declares nothing there. */
function isValue({ pieces }: SourcePieces, index: number): boolean {
  for (let at = index - 1; at >= 0 && !/^(?:;|begin|module)$/.test(pieces[at]?.text ?? ''); at--)
    if (pieces[at]?.text === '=') return true;
  return false;
}

const insideInterface = ({ pieces }: SourcePieces, index: number | null): boolean =>
  index !== null &&
  pieces.slice(0, index).findLast(({ text }) => /^(?:end)?(?:interface|module)$/.test(text))?.text ===
    'interface';

/** Whether a piece is behind a `begin`, or another statement of a process. */
function insideBlock({ pieces }: SourcePieces, index: number | null): boolean {
  const before = pieces[(index ?? 0) - 1]?.text ?? '';
  return before === '' || /^(?:begin|;|:|\)|else|end|=)$/.test(before);
}

/** `(wb_if.slave a[2]`: ports that are arrays of interfaces; the place of the error is any of these pieces. */
function interfacesPort({ pieces, lines }: SourcePieces, index: number | null): Certain | null {
  for (let at = Math.max(1, (index ?? 0) - 4); index !== null && at <= index; at++) {
    const [before, of, dot, modport, name, bracket] = pieces.slice(at - 1, at + 5);
    const isPort = /^[(,]$/.test(before?.text ?? '') && dot?.text === '.' && bracket?.text === '[';
    if (isPort && [of, modport, name].every((piece) => piece?.kind === 'word'))
      return {
        line: lines[at] ?? 1,
        said: 'a port that is an array of interfaces is not read by Yosys: make a port of each of them',
      };
  }
  return null;
}

/** Ports with a range behind their name. */
function arrayPort({ pieces, lines }: SourcePieces, index: number | null): Certain | null {
  if (index === null || pieces[index]?.text !== '[' || pieces[index - 1]?.kind !== 'word') return null;
  for (let at = index - 2; at > 0 && at > index - 20; at--) {
    const text = pieces[at]?.text ?? '';
    if (/^(?:input|output|inout)$/.test(text))
      return {
        line: lines[index] ?? 1,
        said: 'a port that is an array is not read by Yosys: make one vector of it',
      };
    if (/^(?:parameter|localparam)$/.test(text))
      return {
        line: lines[index] ?? 1,
        said: "a parameter that is an array is read where its bounds are numbers, `'{…}` has a value for each of its words, no instance sets it, and one word at a time is read: make one vector of it",
      };
    if (text === ';') return null;
  }
  return null;
}
