import { describe, expect, test } from 'vitest';
import { scanText } from '../support.ts';

/** The first error that is found in a source. */
async function errorIn(text: string, filename = 'design.v') {
  const { diagnostics } = await scanText(text, filename);
  return diagnostics.find(({ severity }) => severity === 'error');
}

const head = 'module m(input clk, input [3:0] a, output reg [3:0] b, output c);\n';
const process = (text: string) => `${head}  always @(posedge clk) begin\n${text}\n  end\nendmodule\n`;

type Case = [what: string, source: string, line: number, said: string];

async function expectSaid([, source, line, said]: Case, filename = 'design.v') {
  expect(await errorIn(source, filename)).toMatchObject({
    code: 'yosys_error',
    file: filename,
    line,
    message: said,
  });
}

const BRACES = '`{` and `}` put bits together in Verilog';
const BLOCK = `syntax error: ${BRACES}: statements that belong together stand between \`begin\` and \`end\``;

describe('brackets of another kind', () => {
  test.each<Case>([
    [
      'statements of an if',
      process("    if (a) {\n      b <= a;\n    } else {\n      b <= {a[0], 3'd0};\n    }"),
      3,
      BLOCK,
    ],
    [
      'all of a process',
      `${head}  always @(posedge clk) {\n    if (a) { b <= 1; }\n    b <= a;\n  }\nendmodule\n`,
      2,
      BLOCK,
    ],
    [
      'a branch of a case',
      process('    case (a)\n      0: { b <= 1; }\n      default: b <= 0;\n    endcase'),
      4,
      BLOCK,
    ],
    [
      'a case',
      process('    case (a) {\n      0: b <= 1;\n      1: { b <= 2; }\n    }'),
      3,
      `syntax error: ${BRACES}: a \`case\` has no bracket in front of its branches, and ends with \`endcase\``,
    ],
    [
      'a function',
      `${head}  function f(input x) {\n    f = x;\n  }\nendmodule\n`,
      2,
      `syntax error: ${BRACES}: a function begins behind the \`;\` of its inputs, and ends with \`endfunction\``,
    ],
    [
      'a module',
      'module m(input a, output b) {\n  assign b = a;\n}\n',
      1,
      `syntax error: ${BRACES}: a module begins behind the \`;\` of its ports, and ends with \`endmodule\``,
    ],
    [
      'a range',
      'module m(input (3:0) a, output b);\n  assign b = a[0];\nendmodule\n',
      1,
      'syntax error: a range has to stand in `[ ]`, as in `[7:0]`, not in `( )`',
    ],
    [
      'an index that is assigned to',
      process('    b(2) <= 1;'),
      3,
      'syntax error: an index has to stand in `[ ]`, as in `b[0]`: with `( )` `b` is taken for a task that is called',
    ],
    [
      'an index in braces',
      process('    b <= a{2};'),
      3,
      'syntax error: an index has to stand in `[ ]`, as in `a[0]`, not in `{ }`',
    ],
    [
      'an index that is read',
      `${head}  assign c = a(2);\nendmodule\n`,
      2,
      '`a` is no function that can be called here; if it is a vector or an array, its index has to stand in `[ ]`, not in `( )`',
    ],
    [
      'what is repeated',
      process('    b <= 4{a[0]};'),
      3,
      'syntax error: what is repeated stands in braces with its number, as in `{4{a}}`',
    ],
    [
      'several signals that are not closed',
      process('    {b, c <= 2;'),
      3,
      'syntax error: a `}` is probably missing in line 3, before `<`: the `{` of line 3 is not closed',
    ],
  ])('%s', async (...one) => expectSaid(one));

  test('braces that put bits together are not blamed', async () => {
    const source = process('    if (a) {b[0], b[1]} <= 2\n    else {b[0], b[1]} <= 1;');
    expect((await errorIn(source))?.message).toBe(
      'syntax error: a `;` is probably missing at the end of line 3, before `else`',
    );
  });
});

const IF = 'syntax error: the condition of an `if` has to stand in brackets, as in `if (a == 1)`';

describe('heads of statements and modules', () => {
  test.each<Case>([
    ['an if with a begin', process('    if a == 1 begin\n      b <= 1;\n    end'), 3, IF],
    ['an if of Python', process('    if a:\n      b <= 1;'), 3, IF],
    ['an else if', process('    if (a) b <= 1;\n    else if b\n      b <= 2;'), 4, IF],
    [
      'a case',
      process('    case a\n      0: b <= 1;\n    endcase'),
      3,
      'syntax error: what a `case` looks at has to stand in brackets, as in `case (state)`',
    ],
    [
      'events',
      `${head}  always @posedge clk b <= a;\nendmodule\n`,
      2,
      'syntax error: the events behind `@` have to stand in brackets, as in `@(posedge clk)`',
    ],
    [
      'no @',
      `${head}  always (posedge clk) b <= a;\nendmodule\n`,
      2,
      'syntax error: an `@` is missing behind `always` in line 2: write `always @(…)`',
    ],
    [
      'a for with commas',
      `${head}  integer i;\n  always @(posedge clk)\n    for (i = 0, i < 4, i = i + 1) b[i] <= a[i];\nendmodule\n`,
      4,
      'syntax error: the three parts of the `for` in line 4 are parted by `;`, not by `,`',
    ],
    [
      'a for with one comma',
      `${head}  integer i;\n  always @(posedge clk)\n    for (i = 0; i < 4, i = i + 1) b[i] <= a[i];\nendmodule\n`,
      4,
      'syntax error: the three parts of the `for` in line 4 are parted by `;`, not by `,`',
    ],
    [
      'a for of two parts',
      `${head}  integer i;\n  always @(posedge clk)\n    for (i = 0; i < 4) b[i] <= a[i];\nendmodule\n`,
      4,
      'syntax error: the `for` in line 4 has two parts, and needs three, as in `for (i = 0; i < 8; i = i + 1)`',
    ],
    [
      'a for with a semicolon at its end',
      `${head}  integer i;\n  always @(posedge clk)\n    for (i = 0; i < 4; i = i + 1;) b[i] <= a[i];\nendmodule\n`,
      4,
      'syntax error: the last `;` in the brackets of the `for` in line 4 is one too many',
    ],
    [
      'ports without a bracket',
      'module m\n  input clk,\n  output b\n);\n  assign b = clk;\nendmodule\n',
      1,
      'syntax error: a `(` is missing behind `module m`: its ports have to stand in brackets, with a `,` between them and `);` behind the last one',
    ],
    [
      'ports in braces',
      'module m {\n  input clk,\n  output b\n};\n  assign b = clk;\nendmodule\n',
      1,
      'syntax error: the ports of `module m` have to stand in `( )`, not in `{ }`',
    ],
    [
      'ports with semicolons',
      'module m (input clk; input a; output b;);\n  assign b = clk;\nendmodule\n',
      1,
      'syntax error: within the brackets of `module` the ports are parted by `,`, not by `;`, and none stands behind the last one',
    ],
    [
      'a module without a name',
      '// a gate\nmodule\n(input a, output b);\n  assign b = a;\nendmodule\n',
      2,
      'syntax error: this module has no name: write one behind `module`, as in `module top (`',
    ],
    [
      'a module with a name of two words',
      'module my slave (input a, output b);\n  assign b = a;\nendmodule\n',
      1,
      'syntax error: the name of a module is one word: write `my_slave`, for example, in place of `my slave`',
    ],
    [
      'an assign with the arrow of registers',
      `${head}  assign c <= a;\nendmodule\n`,
      2,
      'syntax error: behind `assign` a value is given with `=`; `<=` is for registers, in an `always` block',
    ],
    [
      'a semicolon behind an if',
      process('    if (a == 3);\n      b <= 1;\n    else\n      b <= 0;'),
      3,
      'syntax error: the `;` behind the condition of the `if` in line 3 ends it, so that nothing belongs to it: take the `;` out',
    ],
    [
      'a semicolon behind an always',
      `${head}  always @(posedge clk);\n  begin\n    b <= a;\n  end\nendmodule\n`,
      2,
      'syntax error: the `;` behind the head of the `always` in line 2 ends it, so that nothing belongs to it: take the `;` out',
    ],
    [
      'two statements before an else',
      process('    if (a == 3)\n      b <= 1;\n      b <= 2;\n    else\n      b <= 0;'),
      6,
      'syntax error: the `else` in line 6 has no `if`: the one in line 3 ends with the first statement behind it; put `begin` and `end` around those that belong to it',
    ],
    [
      'a case within a case, as in C',
      process('    case (a)\n      case 0: b <= 1;\n      default: b <= 0;\n    endcase'),
      4,
      'syntax error: a branch of a `case` begins with its value alone, as in `3: a <= b;`, without the word `case`',
    ],
    [
      'an instance without a name',
      `module n(input x, output y); assign y = x; endmodule\n${head}  n (.x(a[0]), .y(c));\nendmodule\n`,
      3,
      'syntax error: this instance of `n` has no name: write one between `n` and `(`, as in `n u0 (`',
    ],
    [
      'an instance in a process',
      `module n(input x, output y); assign y = x; endmodule\n${process('    n u(.x(a[0]), .y(c));')}`,
      4,
      'syntax error: an instance of a module, as `n u` is, stands outside of `always` and `initial` blocks and of functions',
    ],
  ])('%s', async (...one) => expectSaid(one));
});

describe('what stands outside of modules', () => {
  test.each<Case>([
    [
      'a fragment',
      'reg a;\nalways @(posedge clk) a <= 1;\n',
      1,
      'syntax error: `reg` stands outside of any module: a `module` is missing above, or this is a part that another file includes',
    ],
    [
      'behind an end',
      `${head}endmodule\n  always @(posedge clk) b <= 1;\nendmodule\n`,
      3,
      'syntax error: `always` stands outside of any module: the `endmodule` above is one too many, or a `module` is missing',
    ],
    [
      'behind a module with a slip',
      head.replace('module', 'modul') + '  assign c = 1;\nendmodule\n',
      1,
      'syntax error: `modul` is probably meant to be `module`',
    ],
  ])('%s', async (...one) => expectSaid(one));

  test('an acknowledge output that a condition leaves out is named', async () => {
    const source =
      'module m(input clk,\n`ifdef BUS\n  input wb_cyc, wb_stb, output wb_ack,\n`endif\n  output reg b);\n  always @(posedge clk) b <= ~b;\nendmodule\n';
    expect(await errorIn(source)).toMatchObject({
      code: 'design_no_slave',
      line: 3,
      module: 'm',
      message:
        'module m: its output wb_ack is left out by `ifdef BUS, and that name is not defined there; define it at the top of the file',
    });
    expect((await errorIn(`\`define BUS\n${source}`))?.message).not.toContain('left out');
  });
});

describe('macros and names that are not known', () => {
  test.each<Case>([
    [
      'a macro with a slip',
      `\`define WIDTH 4\n${head}  wire [\`WIDHT-1:0] x = 0;\nendmodule\n`,
      3,
      '`WIDHT is not defined; perhaps `WIDTH is meant, which line 1 defines',
    ],
    [
      'a macro that is defined nowhere',
      `${head}  wire [\`SIZE-1:0] x = 0;\nendmodule\n`,
      2,
      '`SIZE is not defined: define it above its first use, or include the header that does',
    ],
    [
      'a macro that is defined below',
      `${head}  wire [\`SIZE-1:0] x = 0;\nendmodule\n\`define SIZE 4\n`,
      2,
      '`SIZE is not defined here: its definition in line 4 has to stand above its first use',
    ],
    [
      'a parameter with a back-tick',
      'module m #(parameter W = 2) (input a, output b);\n  wire [`W-1:0] x = 0;\nendmodule\n',
      2,
      '`W is no macro: a parameter has that name, and is written without the back-tick',
    ],
    [
      'a directive with a slip',
      `\`inculde "x.v"\n${head}endmodule\n`,
      1,
      '`inculde is no directive; perhaps `include is meant',
    ],
    [
      'a directive without its back-tick',
      `define W 4\n${head}endmodule\n`,
      1,
      'syntax error: `define` has to begin with a back-tick: ``define`',
    ],
    [
      'a macro with another tick',
      `\`define WIDTH 4\n${head}  wire ['WIDTH-1:0] x = 0;\nendmodule\n`,
      3,
      "syntax error: `'WIDTH` is the macro ``WIDTH`: it has to begin with a back-tick, not with `'`",
    ],
    [
      'one that looks like a number',
      `\`define DEPTH 4\n${head}  wire ['DEPTH-1:0] x = 0;\nendmodule\n`,
      3,
      "`'DEPTH` is the macro ``DEPTH`: it has to begin with a back-tick, not with `'`",
    ],
    [
      'a macro without a back-tick',
      `\`define WIDTH 4\n${head}  wire [WIDTH-1:0] x = 0;\nendmodule\n`,
      3,
      'the bounds of `x` are no constants: `WIDTH` is a macro, and has to be written with a back-tick: ``WIDTH`',
    ],
    [
      'a semicolon in a definition',
      `\`define WIDTH 4; // bits\n${head}  wire [\`WIDTH-1:0] x = 0;\nendmodule\n`,
      1,
      'syntax error: the `;` in the definition of ``WIDTH` in line 1 is put in wherever the macro is used, as in line 3: take it out',
    ],
    [
      'a macro without its arguments',
      `\`define MAX(a, b) ((a) > (b) ? (a) : (b))\n${head}  wire [\`MAX-1:0] x = 0;\nendmodule\n`,
      3,
      'the macro `MAX takes 2 arguments in brackets by its definition in line 1, and is given none here',
    ],
    [
      'a macro with too few of them',
      `\`define MAX(a, b) ((a) > (b) ? (a) : (b))\n${head}  wire [\`MAX(3)-1:0] x = 0;\nendmodule\n`,
      3,
      'the macro `MAX takes 2 arguments in brackets by its definition in line 1, and is given 1 here',
    ],
    [
      'a default with slips',
      process('    case (a)\n      0: b <= 1;\n      dafualt: b <= 0;\n    endcase'),
      5,
      '`dafualt` is declared nowhere; perhaps `default` is meant',
    ],
    [
      'a parameter with a slip',
      'module m #(parameter WIDTH = 2) (input a, output b);\n  wire [7:WIDHT] x = 0;\nendmodule\n',
      2,
      'the bounds of `x` are no constants: `WIDHT` is declared nowhere; perhaps `WIDTH` is meant',
    ],
    [
      'a signal as a bound',
      `${head}  wire [a-1:0] x = 0;\nendmodule\n`,
      2,
      'the bounds of `x` are no constants: use numbers and parameters alone, for a signal has no value yet',
    ],
    [
      'a function with a slip',
      `${head}  function parity(input [3:0] x); parity = ^x; endfunction\n  assign c = partiy(a);\nendmodule\n`,
      3,
      'there is no function `partiy`; perhaps `parity` is meant',
    ],
    [
      'a digit that is too large',
      process("    b <= 4'd1F;"),
      3,
      "`4'd1F` is no number: `F` is no decimal digit",
    ],
    [
      'quotes of a word processor',
      process('    b <= 4’b0;'),
      3,
      "syntax error: the character ’ (U+2019) can stand in comments and strings only: write `'`",
    ],
    [
      'parameters that the design refuses',
      'module m #(parameter W = 3) (input a, output b);\n  generate if (W > 2) $error("too wide"); endgenerate\nendmodule\n',
      2,
      'the design itself refuses to be built with these parameters: too wide.',
    ],
  ])('%s', async (...one) => expectSaid(one));
});

describe('what Yosys does not read', () => {
  const loop = (text: string) =>
    `module m(input [3:0] a, output logic [3:0] b);\n  always_comb begin\n    b = 0;\n    for (int i = 0; i < 4; i++) begin\n      ${text}\n      b[i] = 1;\n    end\n  end\nendmodule\n`;
  const states = (text: string) =>
    `module m(input clk, output logic [1:0] b);\n  typedef enum logic [1:0] {A, B, C} state_t;\n  state_t s;\n  logic [3:0] mem [4];\n  ${text}\nendmodule\n`;
  const ENUM = 'a method of an enumeration, is not read by Yosys';

  test.each<Case>([
    [
      'break',
      loop('if (a[i]) break;'),
      5,
      '`break` is not read by Yosys: remember in a variable that the loop is done, and put what follows into an `if`',
    ],
    [
      'continue',
      loop('if (a[i]) continue;'),
      5,
      '`continue` is not read by Yosys: put the rest of the loop into an `if`',
    ],
    [
      'the next value of an enumeration',
      states('always_ff @(posedge clk) s <= s.next();'),
      5,
      `\`s.next()\`, ${ENUM}: add 1, or say in a \`case\` what follows each value`,
    ],
    [
      'the first one',
      states('always_ff @(posedge clk) s <= s.first();'),
      5,
      `\`s.first()\`, ${ENUM}: name the value`,
    ],
    [
      'the size of an array',
      states('assign b = mem.size();'),
      5,
      '`mem.size()`, a method of an array, is not read by Yosys: use a parameter for its size',
    ],
    [
      'expressions in a modport',
      'interface bus;\n  logic a;\n  modport s(input .x(a));\nendinterface\n',
      3,
      'syntax error: ports with expressions, as in `.a(b)`, are not read by Yosys: name the signals alone, in a `modport` as well',
    ],
    [
      'a task in an interface',
      'interface bus;\n  logic a;\n  task set(); a = 1; endtask\nendinterface\n',
      3,
      'syntax error: tasks and functions in an `interface` are not read by Yosys: put them into the modules that use them',
    ],
    [
      'disable',
      'module m(input a, output logic b);\n  always_comb begin : x\n    if (a) disable x;\n    b = 1;\n  end\nendmodule\n',
      3,
      'syntax error: `disable` is not read by Yosys: put what is not to be done into an `else`',
    ],
    [
      'a loop that ends by a signal',
      'module m(input [3:0] a, output logic [3:0] b);\n  integer i;\n  always @* for (i = 0; i < a; i = i + 1) b[i] = 1;\nendmodule\n',
      3,
      'this loop ends by a signal, and circuits are built before it has a value: let it run to a constant, with an `if` in it',
    ],
    [
      'a variable with a value in a block',
      'module m(input [3:0] a, output logic [3:0] b);\n  always_comb begin\n    logic [3:0] t = a;\n    b = t;\n  end\nendmodule\n',
      3,
      'a variable of a block cannot be given a value where it is declared: give it one in a statement of its own',
    ],
  ])('%s', async (...one) => expectSaid(one, 'design.sv'));
});

test.each<Case>([
  [
    'behind an operator',
    process('    b <= a + ;'),
    3,
    'syntax error: a value or a name is probably missing in line 3, between `+` and `;`',
  ],
  [
    'behind an arrow',
    process('    b <= ;'),
    3,
    'syntax error: a value or a name is probably missing in line 3, between `<=` and `;`',
  ],
  [
    'of an index',
    process('    b <= a[];'),
    3,
    'syntax error: a value or a name is probably missing in line 3, between `[` and `]`',
  ],
])('a value that is missing: %s', async (...one) => expectSaid(one));
