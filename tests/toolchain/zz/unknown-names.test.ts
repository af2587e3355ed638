import { describe, expect, test } from 'vitest';
import { scanText, withoutSlang } from '../support.ts';
import { type Case, expectSaid, head, process } from './mistakes.ts';

describe('macros and names that are not known', () => {
  test.each<Case>([
    [
      'a macro with a slip',
      `\`define WIDTH 4\n${head}  wire [\`WIDHT-1:0] x = 0;\nendmodule\n`,
      3,
      '`WIDHT is not defined; perhaps `WIDTH is meant, which line 1 defines',
    ],
    [
      'a macro that is defined behind a condition that does not hold',
      `\`ifdef PROOF\n  \`define SIZE 4\n\`endif\n${head}  wire [\`SIZE-1:0] x = 0;\nendmodule\n`,
      5,
      '`SIZE is not defined: its definition in line 2 counts only where `ifdef PROOF of line 1 holds',
    ],
    [
      'an encrypted part',
      '\n`pragma protect begin_protected\n`pragma protect version="2.1"\n',
      2,
      'this part is encrypted, and the tools of its maker alone can read it: leave its file out, or write a module of your own in its place',
    ],
    [
      'a directive that changes nothing',
      `\`begin_keywords "1800-2009"\n${head}endmodule\n\`end_keywords\n`,
      1,
      '`begin_keywords is not read by Yosys: take it out, for it changes nothing of the circuit',
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

describe('what Yosys does not read, where there is no slang', () => {
  const loop = (text: string) =>
    `module m(input [3:0] a, output logic [3:0] b);\n  always_comb begin\n    b = 0;\n    for (int i = 0; i < 4; i++) begin\n      ${text}\n      b[i] = 1;\n    end\n  end\nendmodule\n`;
  const states = (text: string) =>
    `module m(input clk, output logic [1:0] b);\n  typedef enum logic [1:0] {A, B, C} state_t;\n  state_t s;\n  logic [3:0] mem [4];\n  ${text}\nendmodule\n`;
  const ENUM = 'a method of an enumeration, is not read by Yosys';

  test.each<Case>([
    [
      'break where no variable can be declared in front of the process',
      loop('if (a[i]) break;').replace('always', 'if (1) always'),
      5,
      '`break` is not read by Yosys: remember in a variable that the loop is done, and put what follows into an `if`',
    ],
    [
      'continue there',
      loop('if (a[i]) continue;').replace('always', 'if (1) always'),
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
  ])('%s', async (...one) => expectSaid(one, 'design.sv', withoutSlang));
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

test.each<[string, string, string]>([
  [
    'a signal that is declared nowhere',
    process('    coutn <= a;'),
    '`coutn` is declared nowhere, and is taken for a wire of one bit',
  ],
  [
    'a wire in a process',
    process('    c <= a[0];'),
    '`c` is a wire, and a block gives it its value: declare it as `reg`',
  ],
  [
    'a reg behind assign',
    `${head}  assign b = a;\nendmodule\n`,
    '`b` is a `reg`, and an `assign` gives it its value: declare it as `wire`',
  ],
])('what Yosys only warns of is as plain: %s', async (_, source, said) => {
  const { diagnostics } = await scanText(source);
  const warnings = diagnostics.filter(({ severity }) => severity === 'warning');
  expect(warnings.map(({ message }) => message)).toContain(said);
});
