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
const BRACES = '`{ }` concatenates bits in Verilog';
const BLOCK = `${BRACES}; statements are grouped with \`begin\` and \`end\``;
const SIMULATION = 'is for simulation only: put it between `ifndef SYNTHESIS and `endif, or remove it';
const FOR = 'the three parts of a `for` are separated by `;`, as in `for (i = 0; i < 8; i = i + 1)`';
const PORTS = 'the ports of a module belong in `( )`, with a `,` between them and `);` after the last one';
const OUTSIDE = 'statements belong in an `always` or `initial` block';
const ONE_CLOCK =
  'a register has one clock; an asynchronous reset is a second edge. Test it in the first `if` with the same polarity (`if (rst)` for posedge, `if (!rst)` for negedge), and assign a constant there';

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
    return `${name} is a parameter: write it without the back-tick`;
  const line = macros.get(name);
  if (line !== undefined)
    return `its definition in line ${line} applies only below that line, and only if the \`ifdef around it is true`;
  const near = similarName(name, [...macros.keys()], 2) ?? similarName(name, DIRECTIVES, 2);
  return near
    ? `did you mean \`${near}?`
    : 'define it before its first use, or include the header that defines it';
}

function unknownName({ name = '' }: Groups, text: string): string {
  const isMacro = DIRECTIVES.includes(name) || macrosIn(text).has(name);
  if (isMacro) return `write it with a back-tick: \`${name}`;
  const near = nearest(name, text.match(/[A-Za-z_]\w+/g) ?? []);
  return near ? `did you mean \`${near}\`?` : 'declare it, or correct its name';
}

function unknownModule({ name = '' }: Groups): string {
  const near = similarName(name, WORDS, 1);
  if (/^els?e?_?if$/i.test(name)) return 'write `else if`, as two words';
  if (near) return `did you mean \`${near}\`?`;
  const cell = foreignCell(name);
  if (cell?.kind === 'gate')
    return `it is a standard cell of ${cell.process}, so the source is a netlist: upload the sources that it was made from`;
  if (cell)
    return `it is a cell of ${cell.maker} FPGAs, which this part does not have: write a module of that name`;
  return 'upload its file too, as a project of several files, or correct its name';
}

/** Advice for a macro whose definition ends with a semicolon. */
const semicolonIn = ({ name = '' }: Groups, text: string): Advice | null => {
  const line = macrosIn(text).get(name);
  if (line === undefined || !/;[ \t]*$/.test(text.split('\n')[line - 1] ?? '')) return null;
  return { words: `the \`;\` of this definition is inserted wherever \`${name} is used: remove it`, line };
};

/** Advice for a call of a subroutine with an `inout` argument. */
const inoutArgument = ({ name = '' }: Groups, text: string): string | null =>
  new RegExp(`\\b(?:function|task)\\b[^;(]*\\b${name}\\s*\\([^;)]*\\binout\\b`).test(text)
    ? `\`${name}\` has an \`inout\` argument, which slang does not support: use an \`input\` and return the new value, as in \`x = ${name}(x)\``
    : null;

const tickOf = (name: string, text: string): string | null =>
  macrosIn(text).has(name) ? `a macro begins with a back-tick: \`${name}, not '${name}` : null;

// biome-ignore format: a table, one hint a line; the first that fits counts
export const HINTS: readonly Hint[] = [
  // Brackets
  [/^expected ';'/, /\bmodule\s+\w+\s*‸\s*\{/, `${PORTS}; ${BRACES}`],
  [/^expected ';'/, /\bmodule\s+\w+\s*‸\s*(?:input|output|inout)\b/, PORTS],
  [/^expected ';'/, /\bmodule\s+(?<first>\w+)‸\s+(?<second>\w+)/, 'the name of a module is one word, such as `$<first>_$<second>`'],
  [/^expected ';'/, /\bfunction\b[^;]*‸\s*\{/, `a function body begins after the \`;\` of its header and ends with \`endfunction\`; ${BRACES}`],
  [/^expected ';'/, /\bmodule\b[^;]*\)‸\s*\{/, `a module body begins after the \`;\` of its ports and ends with \`endmodule\`; ${BRACES}`],
  [/^expected ';'/, /\d‸\s*\{/, 'a replication needs outer braces, as in `{4{a}}`'],
  [/^expected ';'/, /(?<name>\w+)‸\s*\{/, 'an index belongs in `[ ]`, as in `$<name>[0]`, not in `{ }`'],
  [/not callable/, /(?<name>\w+)\s*‸\(/, 'if `$<name>` is a vector or an array, its index belongs in `[ ]`, as in `$<name>[0]`'],
  [/^associative array literal/, /\bcase[xz]?\s*\([^)]*\)\s*‸\{/, `a \`case\` has no brace before its branches and ends with \`endcase\`; ${BRACES}`],
  [/^expression is not allowed as a statement|^expected statement/, /(?:\)|\belse|:)\s*‸\{/, BLOCK],
  [/^expected expression/, /\)\s*(?<here>\{)\s*‸/, BLOCK],
  [/^expression is not allowed as a statement/, /‸\{[^}]*;/, 'a `}` is missing: the `{` here is not closed'],
  [/^expression is not allowed as a statement/, /==/, 'a comparison is not a statement: assign a register with `<=`'],
  [/^expected identifier/, /‸\s*\(\s*\w+\s*:/, 'a range belongs in `[ ]`, as in `[7:0]`'],
  [/^expected '\('/, /\bend\s+if‸/, 'a block ends with `end`, without `if`'],
  [/^expected '\('/, /\bcase[xz]?\s*‸/, 'the value of a `case` needs parentheses, as in `case (state)`'],
  [/^expected '\('/, /\b(?<word>if|while|for|repeat)\s*‸/, 'the condition of `$<word>` needs parentheses, as in `if (a == 1)`'],
  // Heads
  [/^expected (?:identifier|statement)/, /@\s*‸(?:pos|neg)edge/, 'the events after `@` need parentheses, as in `@(posedge clk)`'],
  [/^expected expression/, /\balways\w*\s*\(\s*‸(?:pos|neg)edge/, 'an `@` is missing after `always`: write `always @(posedge clk)`'],
  [/^for loop initializer/, ANY, FOR],
  [/^expected ';'/, /\bfor\s*\([^;]*;[^;]*‸\s*[,)]/, FOR],
  [/^expected '\)'/, /\bfor\s*\([^()]*‸\s*;/, 'remove the last `;` in the parentheses of the `for`'],
  [/^expected '\)'/, /\bmodule\b[^;]*\([^;]*‸\s*;/, PORTS],
  [/^use of undeclared identifier/, /\b(?:input|output|inout)\b[^,;()]*‸\w+\s*\n\s*(?:input|output|inout)\b/, 'a `,` is missing after this port'],
  [/^expected identifier/, /\bmodule\s*‸/, 'a module needs a name, as in `module top (`'],
  [/^expected (?:identifier|a declaration name)/, /\b(?:input|output|inout|reg|wire)\b[^;,()]*‸\s*(?<word>(?!input|output|inout|reg|wire|logic)[a-z]+)\b/, '`$<word>` is a SystemVerilog keyword: choose another name, or rename the file to .v'],
  [/^expected continuous assignment/, ANY, '`assign` uses `=`; `<=` is for registers, in an `always` block'],
  [/^can't use port declaration/, ANY, 'its direction is already in the port list'],
  [/assignment pattern/, /\bdefault\s*:\s*‸'\{/, "a pattern behind `default:` needs the name of its type, as in `default: row_t'{a, b}`"],
  [/^port .* has no I\/O member declaration/, ANY, 'declare it as an input or an output'],
  [/^instance name is required/, /\w\s*‸?\(\s*\w+\s*=/, 'parameters belong in `#( )`, as in `part #(.WIDTH(8)) u0 (`'],
  [/^instance name is required/, ANY, 'write a name between the module and `(`, as in `part u0 (`'],
  [/^invalid reference to .*looks like a module/, ANY, 'an instance of a module belongs outside `always` and `initial` blocks and functions'],
  [/^interface port on kept module boundary/, ANY, 'name the modport of the slave, as in `wb_if.slave bus`'],
  [/^slang cannot read this construct/, /\.‸\w+\s*\(/, 'a modport that renames signals cannot be the bus of the slave: use the names of the interface in it'],
  [/^duplicate definition of/, ANY, 'remove one of the two'],
  // Statements
  [/^lvalue of procedural assign/, /(?<here>\n)\s*assign\s+‸|‸/, 'an `assign` belongs outside `always` blocks: an `end` may be missing above, or remove the word `assign`'],
  [/^expected statement/, /\bif\s*\((?:[^()]|\([^()]*\))*\)\s*(?<here>;)[^;]*;\s*‸else\b/, 'the `;` after the condition of this `if` ends it: remove it'],
  [/^expected statement/, /\bend\s*(?<here>;)\s*‸else\b/, 'remove the `;` between `end` and `else`'],
  [/^expected statement/, /‸else\b/, 'this `else` has no `if`: an `if` covers one statement, so put `begin` and `end` around several'],
  [/has empty body/, ANY, 'the `;` after the condition ends the statement: remove it'],
  [/^expected case item/, /‸case\b/, 'a branch of a `case` begins with just its value, as in `3: a <= b;`'],
  [/^expected ':'/, /(?<here>\n)\s*\w+\s*<=[^\n]*‸/, 'an `endcase` is missing above, or a `:` after the value of a branch'],
  [/^expected ','/, /\n\s*[\w']+‸\s+\w+\s*<?=/, 'a `:` is missing after the value of this branch'],
  [/^expected (?:a declaration name|member)/, /\)\s*(?<here>;)\s*begin\s+\w+\s*‸/, 'the `;` after the head of `always` ends it: remove it'],
  [/^expected (?:a declaration name|member)/, /‸#|#\s*‸/, 'a comment begins with `//`'],
  [/^expected a declaration name/, /\w\s*‸<?=/, `${OUTSIDE}; a \`begin\` may be missing above, or an \`assign\` before it`],
  [/^reference to non-constant variable/, /\balways\b[^\n;]*\)(?<here>)\s*\n[^;]*;\s*if\s*\([^\n]*‸/, 'a `begin` is missing at the end of this line: more than one statement follows'],
  [/^reference to non-constant variable/, /\bif\s*\([^\n]*‸/, `${OUTSIDE}: a \`begin\` may be missing above. Outside a block, an \`if\` selects what is built and needs a constant`],
  [/^reference to non-constant variable/, /\[[^\]\n]*‸/, 'use only numbers and parameters: the circuit is built before any signal has a value'],
  [/^assignment expressions/, ANY, '`=` assigns; a comparison is written `==`'],
  [/^unexpected 'end\w*' delimiter/, ANY, 'it ends nothing: remove it, or add the `begin` that may be missing above'],
  // Expressions
  [/^expected expression/, /=‸</, '`=<` is written `<=`'],
  [/^expected expression/, /(?<op>&&|\|\|)‸=/, '`$<op>=` is not an operator: write `a = a $<op> b`'],
  [/^expected (?:expression|\w+ digit)/, /'(?<head>\w*)‸'?(?<tail>\w*)|‸'(?<tail2>\w+)/, ({ head = '', tail2, tail = '' }, text) => tickOf(tail2 ?? head + tail, text)],
  [/^expected \w+ digit/, /'[dD]‸|'[dD]\w*‸/, 'a decimal number has the digits 0 to 9; a hexadecimal one is written with `\'h`, as in `8\'h1f`'],
  [/^expected expression/, /[(,=+\-*/&|^]\s*‸\[/, 'the name of a signal is missing before `[`, as in `data[2:0]`'],
  [/^expected expression/, /(?<here>(?:<=|[-+*/&|^=<>?:(,]))\s*\n\s*‸/, 'a value or a name is missing at the end of this line'],
  [/^expected expression/, /‸(?:\[\s*\]|[;)\]]|=\s)/, 'a value or a name is missing here'],
  [/^expected ';'/, /\b[1-9]\d*‸[bdhoBDHO][\da-fA-FxzXZ_]/, 'a tick is missing after the size of this number, as in `4\'b1010`'],
  [/^expected ';'/, /\b0‸[xXbB]/, 'a hexadecimal number is written `8\'h1f`, a binary one `8\'b101`'],
  [/^expected ';'/, /‸\s+(?:and|or|not|xor)\b/, 'the operators are `&`, `|`, `~` and `^`, and `&&`, `||` and `!` for conditions'],
  [/^expected ';'/, /\w‸[ \t]+\w/, 'an operator, a `,` or a `;` is missing between the two'],
  [/^UTF-8 sequence/, /‸[‘’´]/, 'this quote is allowed only in comments and strings: write `\'`'],
  [/^UTF-8 sequence/, ANY, 'this character is allowed only in comments and strings'],
  // Macros and names
  [/^expected/, /‸`(?<name>\w+)/, semicolonIn],
  [/^unknown macro or compiler directive '`(?<name>\w+)'/, ANY, unknownMacro],
  [/arguments .*function-like macro$/, /`(?<name>\w+)[^`]*‸/, ({ name = '' }, text) => `it needs the arguments of its definition in line ${macrosIn(text).get(name) ?? '?'}`],
  [/^use of undeclared identifier '(?<name>\w+)'/, /‸\w+\s*:/, ({ name = '' }) => (similarName(name, ['default'], 3) ? 'did you mean `default`?' : null)],
  [/^use of undeclared identifier/, /\b(?<word>force|release)\s+‸/, `\`$<word>\` ${SIMULATION}`],
  [/^use of undeclared identifier/, /\bgenerate\s+for\s*\(\s*‸(?<name>\w+)/, 'declare it before the loop: `genvar $<name>;`'],
  [/^use of undeclared identifier 'then'/, ANY, 'remove `then`: Verilog has none after the condition of an `if`'],
  [/^use of undeclared identifier '(?<name>\w+)'/, /\n\s*‸\w+\s+\w+\s*[,;=]/, (groups, text) => unknownName(groups, text).replace('declare it, or', 'no type of this name is declared above; declare it with `typedef`, or')],
  [/^use of undeclared identifier '(?<name>\w+)'(?!.*did you mean)/, ANY, unknownName],
  [/^could not resolve hierarchical path name/, ANY, 'nothing has that name there: declare it, or correct its name'],
  [/^unknown (?:module|package|interface) '(?<name>\w+)'/, ANY, unknownModule],
  [/^member not allowed at compilation unit scope/, /‸(?<name>[a-z]+)\b/, ({ name = '' }) => similarName(name, WORDS, 1) ? `did you mean \`${similarName(name, WORDS, 1)}\`?` : 'it is outside any module: an `endmodule` above is too early, a `module` is missing, or another file includes this one'],
  [/^cannot assign to a net within a procedural context/, /\b(?:always|initial)\b[\s\S]*‸/, 'a block can assign only a `reg`: declare it as one (an output as `output reg`), or use `assign`'],
  // Simulation
  [/^slang cannot read/, /(?<here>\bfork)\b[^;]*‸/, `\`fork\` ${SIMULATION}`],
  [/^unsupported language feature|^slang cannot read/, /‸(?<word>force|release|fork|forever|deassign|wait|new)\b/, `\`$<word>\` ${SIMULATION}`],
  [/^unsupported language feature/, /‸do\b/, '`do` is not supported: write a `for` or a `while`'],
  [/^slang cannot read/, /(?<here>\b(?<word>tri[01]|trireg)\b)[\s\S]*‸/, 'a net cannot be a `$<word>`: declare it as a `wire`, and give the value without a driver with an `if` or `?:`'],
  [/^unsupported language feature/, /‸disable\b/, '`disable` of a block is not supported: put the rest into an `else`'],
  [/^slang cannot read|^value of type 'real'/, /(?<here>\b(?:real|realtime|string)\s+\w)/, '`real` numbers are for constants and simulation only: use integers as fixed-point numbers'],
  [/^unsynthesizable timing control/, ANY, 'only a simulation can wait for an event inside a block: use a separate `always @(…)`, with a register for the current step'],
  [/^wait statement/, ANY, '`wait` is for simulation only: test for the event with an `if` at each clock, and store it in a register'],
  [/^unsupported system task '(?<task>\$\w+)'/, ANY, `$<task> ${SIMULATION}`],
  [/^unsupported system task '(?:next|prev)'/, ANY, 'add 1, or give the successor of each value in a `case`'],
  [/^unsupported system task|^expression of type .* with dynamic size/, ANY, `data of variable size ${SIMULATION}`],
  [/^unknown built-in method 'size'/, ANY, 'use `$size(…)` or a parameter'],
  [/^\$(?:error|fatal) encountered/, ANY, 'the design itself rejects these parameters'],
  // What slang does not implement
  [/^unsupported assignment target/, /\{\s*(?:<<|>>)[^;]*‸/, 'a stream on the left has only constant indices: write `x[i +: 2] = {<<{value}}`'],
  [/^unsupported assignment target/, /‸[^;=]*(?<op>\+|-)\k<op>/, 'write `x[i] = x[i] $<op> 1`'],
  [/^unsupported language feature/, /\b(?<name>\w+)\s*\([^;()]*‸/, inoutArgument],
  [/^slang cannot read/, /\binside\s*\{[^{}]*‸/, 'the values of `inside` are constants: compare a signal with `==`, as in `x == a || x inside {[3:9]}`'],
  [/^slang cannot read.*label/, /\n[ \t]*(?<here>\w+[ \t]*\([^;\n]*\)[ \t]*:)/, 'assign its value to a variable before the `case`'],
  // Registers
  [/^reading net state during design initialization/, ANY, 'the initial value of a register is a constant, not a signal: assign the signal in an `always` block, or use `assign`'],
  [/^simple if-else pattern|^polarity of condition|^mixing of implicit and edge/, ANY, ONE_CLOCK],
  [/^non-edge sensitivity/, /@\s*‸?\(\s*‸?(?<clock>\w*cl(?:oc)?k\w*)\s*\)/i, 'this becomes combinational logic; write `always @(posedge $<clock>)` for registers'],
  [/^non-blocking assignment to variable '(?<name>\w+)' is not supported after/, /‸[^;]*(?<op>\+|-)\k<op>/, '`$<op>$<op>` assigns at once, as `=` does: write `$<name> <= $<name> $<op> 1`'],
  [/blocking assignment to variable '(?<name>\w+)' is not supported after/, ANY, 'assign `$<name>` only with `<=`, or only with `=`'],
  // Limits
  [/^unroll limit/, ANY, 'a loop is unrolled, and this one has too many passes or ends on a signal: run it to a constant with an `if` inside, or count clocks in a register'],
  [/^constant evaluation exceeded maximum depth|^recursive call/, ANY, 'the function calls itself endlessly: end the recursion with a condition'],
  [/^constant evaluation exceeded maximum number/, ANY, 'the function takes too many steps: shorten its loops, or use a table in a file ($readmemh)'],
  [/^loop generation|^generate loop|^loop generate/, ANY, 'run the loop to a constant, and change its variable in each pass, as in `i = i + 1`'],
  [/hierarchy depth|infinite.*recursion|recursive/, ANY, 'a module instantiates itself, directly or through others: end the recursion with a `generate` condition around the instance'],
];
