import { editDistance } from '../../../text.ts';
import { nearest } from '../../languages/near-names.ts';
import { foreignCell } from '../../languages/vendor-cells.ts';

/** Marks the place of a mistake in the text around it. */
export const MARK = '‸';

export type Groups = Readonly<Record<string, string | undefined>>;

/**
 * Advice on a diagnostic of slang: its message, the text around its place with the mark, and the advice. `$<name>`
 * stands for a group of the two patterns. The group `here` is the real place of the mistake, if it is not the mark.
 */
type Hint = [
  message: RegExp,
  near: RegExp,
  advice: string | ((groups: Groups, text: string) => Advice | null),
];

/** The text, with a line when the mistake is elsewhere. */
type Advice = string | { words: string; line: number };

const ANY = /(?:)/;
const BRACES = '`{ }` puts bits together in Verilog';
const BLOCK = `${BRACES}; statements that belong together stand between \`begin\` and \`end\``;
const SIMULATION = 'is for simulation only: put it between `ifndef SYNTHESIS and `endif, or take it out';
const FOR = 'the three parts of a `for` are separated by `;`, as in `for (i = 0; i < 8; i = i + 1)`';
const PORTS = 'the ports of a module belong in `( )`, with a `,` between them and `);` after the last one';
const OUTSIDE = 'statements stand in an `always` or `initial` block';
const ONE_CLOCK =
  'a register has one clock; an asynchronous reset is a second edge that the first `if` tests as the edge says (`if (rst)` with posedge, `if (!rst)` with negedge), and it gives a constant';

/** Keywords that begin a declaration or statement. */
const WORDS =
  'module endmodule always assign initial input output inout reg wire logic integer parameter localparam function endfunction generate endgenerate begin case endcase default genvar interface package typedef'.split(
    ' ',
  );
const DIRECTIVES = 'define include ifdef ifndef elsif else endif undef timescale default_nettype'.split(' ');

/** The name that differs from `name` in at most `changes` letters. */
const similarName = (name: string, names: readonly string[], changes: number): string | undefined =>
  names.includes(name)
    ? undefined
    : names.find((one) => one.length > 2 && editDistance(name.toLowerCase(), one.toLowerCase()) <= changes);

/** Line of the definition by macro. */
const macrosIn = (text: string): ReadonlyMap<string, number> =>
  new Map(
    [...text.matchAll(/^[ \t]*`define[ \t]+(\w+)/gm)].map(({ 0: found, 1: name = '', index }) => [
      name,
      text.slice(0, index + found.length).split('\n').length,
    ]),
  );

function unknownMacro({ name = '' }: Groups, text: string): string {
  const macros = macrosIn(text);
  if (new RegExp(`\\b(?:parameter|localparam)\\b[^;)]*\\b${name}\\b\\s*=`).test(text))
    return `a parameter has the name ${name}: write it without the back-tick`;
  const line = macros.get(name);
  if (line !== undefined)
    return `its definition in line ${line} counts below it only, and where the \`ifdef around it holds`;
  const near = similarName(name, [...macros.keys()], 2) ?? similarName(name, DIRECTIVES, 2);
  return near
    ? `perhaps \`${near} is meant`
    : 'define it above its first use, or include the header that does';
}

function unknownName({ name = '' }: Groups, text: string): string {
  const isMacro = DIRECTIVES.includes(name) || macrosIn(text).has(name);
  if (isMacro) return `write it with a back-tick: \`${name}`;
  const near = nearest(name, text.match(/[A-Za-z_]\w+/g) ?? []);
  return near ? `perhaps \`${near}\` is meant` : 'declare it, or correct its name';
}

function unknownModule({ name = '' }: Groups): string {
  const near = similarName(name, WORDS, 1);
  if (/^els?e?_?if$/i.test(name)) return 'write `else if`, as two words';
  if (near) return `perhaps \`${near}\` is meant`;
  const cell = foreignCell(name);
  if (cell?.kind === 'gate')
    return `it is a gate of ${cell.process}, and the source a netlist for that chip: upload the sources that it was made of`;
  if (cell)
    return `it is a cell of ${cell.maker}, which this part does not have: write a module of that name`;
  return 'upload its file too, as a project of several files, or correct its name';
}

/** Advice for a macro whose definition ends with a semicolon. */
const semicolonIn = ({ name = '' }: Groups, text: string): Advice | null => {
  const line = macrosIn(text).get(name);
  if (line === undefined || !/;[ \t]*$/.test(text.split('\n')[line - 1] ?? '')) return null;
  return { words: `the \`;\` of this definition is put in wherever \`${name} is used: take it out`, line };
};

const tickOf = (name: string, text: string): string | null =>
  macrosIn(text).has(name) ? `a macro begins with a back-tick: \`${name}, not '${name}` : null;

// biome-ignore format: a table, one hint a line; the first that fits counts
export const HINTS: readonly Hint[] = [
  // Brackets
  [/^expected ';'/, /\bmodule\s+\w+\s*‸\s*\{/, `${PORTS}; ${BRACES}`],
  [/^expected ';'/, /\bmodule\s+\w+\s*‸\s*(?:input|output|inout)\b/, PORTS],
  [/^expected ';'/, /\bmodule\s+(?<first>\w+)‸\s+(?<second>\w+)/, 'the name of a module is one word, such as `$<first>_$<second>`'],
  [/^expected ';'/, /\bfunction\b[^;]*‸\s*\{/, `a function begins after the \`;\` of its inputs and ends with \`endfunction\`; ${BRACES}`],
  [/^expected ';'/, /\bmodule\b[^;]*\)‸\s*\{/, `a module begins after the \`;\` of its ports and ends with \`endmodule\`; ${BRACES}`],
  [/^expected ';'/, /\d‸\s*\{/, 'a repetition needs braces and its number, as in `{4{a}}`'],
  [/^expected ';'/, /(?<name>\w+)‸\s*\{/, 'an index belongs in `[ ]`, as in `$<name>[0]`, not in `{ }`'],
  [/not callable/, /(?<name>\w+)\s*‸\(/, 'if `$<name>` is a vector or an array, its index belongs in `[ ]`, as in `$<name>[0]`'],
  [/^associative array literal/, /\bcase[xz]?\s*\([^)]*\)\s*‸\{/, `a \`case\` has no bracket in front of its branches and ends with \`endcase\`; ${BRACES}`],
  [/^expression is not allowed as a statement|^expected statement/, /(?:\)|\belse|:)\s*‸\{/, BLOCK],
  [/^expected expression/, /\)\s*(?<here>\{)\s*‸/, BLOCK],
  [/^expression is not allowed as a statement/, /‸\{[^}]*;/, 'a `}` is missing: the `{` here is not closed'],
  [/^expression is not allowed as a statement/, /==/, 'a comparison is no statement: `<=` gives a register its value'],
  [/^expected identifier/, /‸\s*\(\s*\w+\s*:/, 'a range belongs in `[ ]`, as in `[7:0]`'],
  [/^expected '\('/, /\bend\s+if‸/, 'a block ends with `end`, without `if`'],
  [/^expected '\('/, /\bcase[xz]?\s*‸/, 'the value of a `case` needs brackets, as in `case (state)`'],
  [/^expected '\('/, /\b(?<word>if|while|for|repeat)\s*‸/, 'the condition of `$<word>` needs brackets, as in `if (a == 1)`'],
  // Heads
  [/^expected (?:identifier|statement)/, /@\s*‸(?:pos|neg)edge/, 'the events after `@` need brackets, as in `@(posedge clk)`'],
  [/^expected expression/, /\balways\w*\s*\(\s*‸(?:pos|neg)edge/, 'an `@` is missing after `always`: write `always @(posedge clk)`'],
  [/^for loop initializer/, ANY, FOR],
  [/^expected ';'/, /\bfor\s*\([^;]*;[^;]*‸\s*[,)]/, FOR],
  [/^expected '\)'/, /\bfor\s*\([^()]*‸\s*;/, 'the last `;` in the brackets of the `for` is one too many'],
  [/^expected '\)'/, /\bmodule\b[^;]*\([^;]*‸\s*;/, PORTS],
  [/^use of undeclared identifier/, /\b(?:input|output|inout)\b[^,;()]*‸\w+\s*\n\s*(?:input|output|inout)\b/, 'a `,` is missing after this port'],
  [/^expected identifier/, /\bmodule\s*‸/, 'a module has a name, as in `module top (`'],
  [/^expected (?:identifier|a declaration name)/, /\b(?:input|output|inout|reg|wire)\b[^;,()]*‸\s*(?<word>(?!input|output|inout|reg|wire|logic)[a-z]+)\b/, '`$<word>` is a word of SystemVerilog: choose another name, or let the file end with .v'],
  [/^expected continuous assignment/, ANY, 'after `assign` a value is given with `=`; `<=` is for registers, in an `always` block'],
  [/^can't use port declaration/, ANY, 'its direction is in the list of ports already'],
  [/^port .* has no I\/O member declaration/, ANY, 'declare it as an input or an output'],
  [/^instance name is required/, /\w\s*‸?\(\s*\w+\s*=/, 'parameters belong in `#( )`, as in `part #(.WIDTH(8)) u0 (`'],
  [/^instance name is required/, ANY, 'write a name between the module and `(`, as in `part u0 (`'],
  [/^invalid reference to .*looks like a module/, ANY, 'an instance of a module belongs outside of `always` and `initial` blocks and of functions'],
  [/unconnected interface port/, ANY, 'the bench connects plain ports: put the module and an instance of the interface into a top module that has them'],
  [/^duplicate definition of/, ANY, 'remove one of the two'],
  // Statements
  [/^lvalue of procedural assign/, /(?<here>\n)\s*assign\s+‸|‸/, 'an `assign` belongs outside of `always` blocks: an `end` may be missing above, or the word `assign` is one too many'],
  [/^expected statement/, /\bif\s*\((?:[^()]|\([^()]*\))*\)\s*(?<here>;)[^;]*;\s*‸else\b/, 'the `;` after the condition of this `if` ends it: take it out'],
  [/^expected statement/, /\bend\s*(?<here>;)\s*‸else\b/, 'no `;` stands between `end` and `else`'],
  [/^expected statement/, /‸else\b/, 'this `else` has no `if`, which ends with the first statement after it: put `begin` and `end` around those that belong to it'],
  [/has empty body/, ANY, 'the `;` after the condition ends it: take it out'],
  [/^expected case item/, /‸case\b/, 'a branch of a `case` begins with its value only, as in `3: a <= b;`'],
  [/^expected ':'/, /(?<here>\n)\s*\w+\s*<=[^\n]*‸/, 'an `endcase` is missing above, or a `:` after the value of a branch'],
  [/^expected ','/, /\n\s*[\w']+‸\s+\w+\s*<?=/, 'a `:` is missing after the value of this branch'],
  [/^expected (?:a declaration name|member)/, /\)\s*(?<here>;)\s*begin\s+\w+\s*‸/, 'the `;` after the head of `always` ends it: take it out'],
  [/^expected (?:a declaration name|member)/, /‸#|#\s*‸/, 'a comment begins with `//`'],
  [/^expected a declaration name/, /\w\s*‸<?=/, `${OUTSIDE}; a \`begin\` may be missing above, or an \`assign\` in front`],
  [/^reference to non-constant variable/, /\balways\b[^\n;]*\)(?<here>)\s*\n[^;]*;\s*if\s*\([^\n]*‸/, 'a `begin` is missing at the end of this line, because more than one statement follows'],
  [/^reference to non-constant variable/, /\bif\s*\([^\n]*‸/, `${OUTSIDE}: a \`begin\` may be missing above; elsewhere an \`if\` chooses what is built`],
  [/^reference to non-constant variable/, /\[[^\]\n]*‸/, 'use numbers and parameters only: circuits are built before a signal has a value'],
  [/^assignment expressions/, ANY, '`=` assigns; a comparison is written `==`'],
  [/^unexpected 'end\w*' delimiter/, ANY, 'it is one too many, or what it ends has no beginning: a `begin` may be missing above'],
  // Expressions
  [/^expected expression/, /=‸</, '`=<` is written `<=`'],
  [/^expected expression/, /(?<op>&&|\|\|)‸=/, '`$<op>=` is no operator: write `a = a $<op> b`'],
  [/^expected (?:expression|\w+ digit)/, /'(?<head>\w*)‸'?(?<tail>\w*)|‸'(?<tail2>\w+)/, ({ head = '', tail2, tail = '' }, text) => tickOf(tail2 ?? head + tail, text)],
  [/^expected \w+ digit/, /'[dD]‸|'[dD]\w*‸/, 'a decimal number has the digits 0 to 9; a hexadecimal one is written with `\'h`, as in `8\'h1f`'],
  [/^expected expression/, /[(,=+\-*/&|^]\s*‸\[/, 'a name is missing before `[`: write the signal that these bits are of, as in `data[2:0]`'],
  [/^expected expression/, /(?<here>(?:<=|[-+*/&|^=<>?:(,]))\s*\n\s*‸/, 'a value or a name is missing at the end of this line'],
  [/^expected expression/, /‸(?:\[\s*\]|[;)\]]|=\s)/, 'a value or a name is missing here'],
  [/^expected ';'/, /\b[1-9]\d*‸[bdhoBDHO][\da-fA-FxzXZ_]/, 'after the size of a number comes a tick, as in `4\'b1010`'],
  [/^expected ';'/, /\b0‸[xXbB]/, 'a hexadecimal number is written `8\'h1f`, a binary one `8\'b101`'],
  [/^expected ';'/, /‸\s+(?:and|or|not|xor)\b/, 'the operators are `&`, `|`, `~` and `^`, and `&&`, `||` and `!` for conditions'],
  [/^expected ';'/, /\w‸[ \t]+\w/, 'an operator, a `,` or a `;` is missing between the two'],
  [/^UTF-8 sequence/, /‸[‘’´]/, 'such a quote is allowed in comments and strings only: write `\'`'],
  [/^UTF-8 sequence/, ANY, 'such a character is allowed in comments and strings only'],
  // Macros and names
  [/^expected/, /‸`(?<name>\w+)/, semicolonIn],
  [/^unknown macro or compiler directive '`(?<name>\w+)'/, ANY, unknownMacro],
  [/arguments .*function-like macro$/, /`(?<name>\w+)[^`]*‸/, ({ name = '' }, text) => `give it the arguments of its definition in line ${macrosIn(text).get(name) ?? '?'}`],
  [/^use of undeclared identifier '(?<name>\w+)'/, /‸\w+\s*:/, ({ name = '' }) => (similarName(name, ['default'], 3) ? 'perhaps `default` is meant' : null)],
  [/^use of undeclared identifier/, /\b(?<word>force|release)\s+‸/, `\`$<word>\` ${SIMULATION}`],
  [/^use of undeclared identifier/, /\bgenerate\s+for\s*\(\s*‸(?<name>\w+)/, 'declare it in front of the loop: `genvar $<name>;`'],
  [/^use of undeclared identifier 'then'/, ANY, 'an `if` has no `then` after its condition'],
  [/^use of undeclared identifier '(?<name>\w+)'/, /\n\s*‸\w+\s+\w+\s*[,;=]/, (groups, text) => unknownName(groups, text).replace('declare it, or', 'it is no type that is declared above; declare it with `typedef`, or')],
  [/^use of undeclared identifier '(?<name>\w+)'(?!.*did you mean)/, ANY, unknownName],
  [/^could not resolve hierarchical path name/, ANY, 'nothing of that name is there: declare it, or correct its name'],
  [/^unknown (?:module|package|interface) '(?<name>\w+)'/, ANY, unknownModule],
  [/^member not allowed at compilation unit scope/, /‸(?<name>[a-z]+)\b/, ({ name = '' }) => similarName(name, WORDS, 1) ? `perhaps \`${similarName(name, WORDS, 1)}\` is meant` : 'it stands outside of any module: an `endmodule` above is one too many, a `module` is missing, or another file includes this one'],
  [/^cannot assign to a net within a procedural context/, /\b(?:always|initial)\b[\s\S]*‸/, 'a block gives values to a `reg` only: declare it so (an output as `output reg`), or use `assign`'],
  // Simulation
  [/^slang cannot read/, /(?<here>\bfork)\b[^;]*‸/, `\`fork\` ${SIMULATION}`],
  [/^unsupported language feature|^slang cannot read/, /‸(?<word>force|release|fork|forever|deassign|wait|new)\b/, `\`$<word>\` ${SIMULATION}`],
  [/^unsupported language feature/, /‸disable\b/, '`disable` of a block is not read: put the rest into an `else`'],
  [/^slang cannot read|^value of type 'real'/, /(?<here>\b(?:real|realtime|string)\s+\w)/, '`real` numbers are for constants and simulation only: use integers, with a fixed number of bits after the point'],
  [/^unsynthesizable timing control/, ANY, 'only a simulation can wait for an event within a block: use an `always @(…)` of its own, with a register that says how far it has come'],
  [/^wait statement/, ANY, '`wait` is for simulation only: store the event in a register, with an `if` at each clock'],
  [/^unsupported system task '(?<task>\$\w+)'/, ANY, `$<task> ${SIMULATION}`],
  [/^unsupported system task '(?:next|prev)'/, ANY, 'add 1, or say in a `case` what follows each value'],
  [/^unsupported system task|^expression of type .* with dynamic size/, ANY, `what grows while it runs ${SIMULATION}`],
  [/^unknown built-in method 'size'/, ANY, 'use `$size(…)` or a parameter'],
  [/^\$(?:error|fatal) encountered/, ANY, 'the design itself refuses to be built with these parameters'],
  // Registers
  [/^reading net state during design initialization/, ANY, 'a register begins with a number or a parameter, and not with a signal: give it that within an `always` block, or use `assign`'],
  [/^simple if-else pattern|^polarity of condition|^mixing of implicit and edge/, ANY, ONE_CLOCK],
  [/^non-edge sensitivity/, /@\s*‸?\(\s*‸?(?<clock>\w*cl(?:oc)?k\w*)\s*\)/i, 'it becomes gates without a clock; write `always @(posedge $<clock>)` for registers'],
  // Limits
  [/^unroll limit/, ANY, 'a loop is built as so many copies, and this one has too many or ends by a signal: let it run to a constant, with an `if` in it, or count clocks in a register'],
  [/^constant evaluation exceeded maximum depth|^recursive call/, ANY, 'the function calls itself without end: let a condition end it'],
  [/^constant evaluation exceeded maximum number/, ANY, 'the function takes too many steps: let its loops end sooner, or use a table in a file ($readmemh)'],
  [/^loop generation|^generate loop|^loop generate/, ANY, 'let the loop run to a constant and change its variable at each pass, as in `i = i + 1`'],
  [/hierarchy depth|infinite.*recursion|recursive/, ANY, 'a module has itself as a part, directly or through others: let a condition of a `generate` end that'],
];
