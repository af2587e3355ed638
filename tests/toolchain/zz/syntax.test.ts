import { describe, test } from 'vitest';
import { expectSaid } from './mistakes.ts';
describe('what is said of a syntax error', () => {
  const head = 'module m(input clk, input a, output reg b, output c);\n';

  test.each([
    [
      'a semicolon above comments',
      `${head}  assign c = a // as it is\n  /* and\n  more */\n\n  always @(posedge clk) b <= a;\nendmodule\n`,
      2,
      'a `;` is probably missing at the end of line 2, before `always`',
    ],
    [
      'a name',
      `${head}  always @(posedge clk) begin\n    b <= a\n    b <= c;\n  end\nendmodule\n`,
      3,
      'a `;` is probably missing at the end of line 3, before `b`',
    ],
    [
      'a number',
      `${head}  always @* case (a)\n    1'd0: b = 1\n    1'd1: b = 0;\n  endcase\nendmodule\n`,
      3,
      "a `;` is probably missing at the end of line 3, before `1'd1`",
    ],
    [
      'two ends',
      `${head}  always @(posedge clk) begin\n    if (a) begin\n      b <= 1;\n  assign c = a;\nendmodule\n`,
      4,
      '`end end` is probably missing at the end of line 4, before `assign`: the `begin` of line 2 is not ended, nor what is in it',
    ],
    [
      'the end of the first of two modules',
      `${head}\nmodule n(input a); endmodule\n`,
      1,
      'an `endmodule` is probably missing at the end of line 1, before `module`: the `module` of line 1 has none',
    ],
    [
      'a colon in a case',
      `${head}  always @* case (a)\n    0: b = 1;\n    1 b = 0;\n  endcase\nendmodule\n`,
      4,
      'a `:` is probably missing in line 4, before `b`',
    ],
    [
      'an index that is not closed',
      `${head}  wire [3:0] d;\n  assign c = d[2;\nendmodule\n`,
      3,
      'a `]` is probably missing in line 3, before `;`: the `[` of line 3 is not closed',
    ],
    [
      'an assignment outside of always',
      `${head}  b <= a;\nendmodule\n`,
      2,
      'this assignment is in no `always` or `initial` block; a `begin` may be missing above it, or an `assign` before it',
    ],
    [
      'a semicolon between two statements of one line',
      `${head}  always @(posedge clk) begin b <= a b <= c; end\nendmodule\n`,
      2,
      'a `;` is probably missing in line 2, before `b`',
    ],
    [
      'a word with a slip',
      `${head}  alway @(posedge clk) b <= a;\nendmodule\n`,
      2,
      '`alway` is probably meant to be `always`',
    ],
    [
      'something between two names',
      `${head}  assign c = a b;\nendmodule\n`,
      2,
      'an operator, a `,` or a `;` is probably missing in line 2, between `a` and `b`',
    ],
    [
      'a semicolon before a macro',
      `\`define ONE wire x\n${head}  \`ONE\n  \`ONE;\nendmodule\n`,
      3,
      'a `;` is probably missing at the end of line 3, before ``ONE`',
    ],
    [
      'a begin',
      `${head}  always @(posedge clk)\n    b <= a;\n    if (a) b <= 0;\n  end\nendmodule\n`,
      2,
      'a `begin` is probably missing at the end of line 2, for more than one statement stands farther in behind it',
    ],
    [
      'an operator of another language',
      `${head}  always @(posedge clk) b =< a;\nendmodule\n`,
      2,
      '`=<` is written `<=` in Verilog',
    ],
    [
      'an endcase, by indentation',
      `${head}  always @(posedge clk) begin\n    case (a)\n      0: b <= 1;\n    b <= a + 1;\n  end\nendmodule\n`,
      4,
      'an `endcase` is probably missing at the end of line 4, before `b`: the `case` of line 3 has none',
    ],
    [
      'a semicolon before a label',
      `${head}  always @(posedge clk)\n    case (a)\n      0: b <= a\n      1: b <= 1;\n    endcase\nendmodule\n`,
      4,
      'a `;` is probably missing at the end of line 4, before `1`',
    ],
    [
      'an assignment for a comparison',
      `${head}  assign c = a = 0 ? clk : 1;\nendmodule\n`,
      2,
      '`=` assigns; a comparison is written `==`',
    ],
    [
      'a type that is not declared',
      `${head}  byte_t x, y;\nendmodule\n`,
      2,
      '`byte_t` is no type that is declared above; were it a module, its instance `x` would need its ports in brackets',
    ],
    [
      'what Yosys does not read',
      `${head}  always @* begin\n    foreach (a[i])\n      b = a;\n  end\nendmodule\n`,
      3,
      '`foreach` is not read by Yosys: use a `for` over the indices',
    ],
    [
      'a string without an end',
      `${head}  initial $display("x);\nendmodule\n`,
      2,
      'the string that begins in line 2 has no closing `"`',
    ],
    [
      'a comment without an end',
      `${head}  /* assign c = a;\nendmodule\n`,
      2,
      'the comment that begins with `/*` in line 2 has no `*/`',
    ],
  ])('%s', async (_, source, line, said) => {
    await expectSaid([_ as any, source as any, line as any, said as any]);
  });

});
