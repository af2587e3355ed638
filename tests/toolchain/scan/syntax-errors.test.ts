import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { inWords, syntaxErrorOf } from '../../../server/toolchain/diagnostics/syntax-words.ts';
import { type Piece, piecesOf } from '../../../server/toolchain/scan/outline-lexer.ts';
import { example, freshToolchain, record, requestOf } from '../pipeline/support.ts';
import { scanText } from '../support.ts';

const SOAK = process.env['WISHBENCH_SOAK'] === '1';
const { toolchain, dispose } = freshToolchain();
afterAll(dispose);

const lineOf = (text: string, offset: number) => text.slice(0, offset).split('\n').length;

/** The first error that is found in a source. */
async function errorIn(text: string, filename = 'design.v') {
  const { diagnostics } = await scanText(text, filename);
  return diagnostics.find(({ severity }) => severity === 'error');
}

/** What has to be said where a piece of a source is left out; null where nothing is asked for. */
function expected(text: string, pieces: readonly Piece[], at: number): RegExp | null {
  const { text: piece } = pieces[at] as Piece;
  const line = (index: number) => lineOf(text, pieces[index]?.start ?? text.length);
  switch (piece) {
    case ';':
      // The last of its line, behind a statement: not one of three in a `for`, and no empty statement.
      if (line(at) === line(at + 1) || /^[:;]$/.test(pieces[at - 1]?.text ?? '')) return null;
      return new RegExp(`: a \`;\` is probably missing at the end of line ${line(at - 1)}, before `);
    case ')':
      return /: a `\)` is probably missing (?:in|at the end of) line \d+, before `.+`: the `\(` of line \d+ is not closed$/;
    case 'end':
    case 'endcase':
    case 'endmodule':
      return new RegExp(
        `: an \`${piece}\` is probably missing at the end of (?:line \\d+, before \`.+\`|the file, behind line \\d+): the \`\\w+\` of line \\d+ has none$`,
      );
    default:
      return null;
  }
}

const SOURCES = ['gpio.v', 'timer.v', 'echo.v', 'uart.v'].map(example);
/** Every place of the examples at which something can be left out. */
const LEFT_OUT = SOURCES.flatMap((text) => {
  const pieces = piecesOf(text);
  return pieces.flatMap(({ start, end, text: piece }, at) => {
    const said = expected(text, pieces, at);
    return said
      ? [{ piece, line: lineOf(text, start), said, source: text.slice(0, start) + text.slice(end) }]
      : [];
  });
});

test('what is left out of a source is named, with the line', async () => {
  expect(LEFT_OUT.length).toBeGreaterThan(150);
  const some = SOAK ? LEFT_OUT : fc.sample(fc.constantFrom(...LEFT_OUT), 25);
  const otherwise: string[] = [];
  for (const { piece, line, said, source } of some) {
    const { message = 'no error' } = (await errorIn(source)) ?? {};
    if (!said.test(message) || /TOK_|OP_/.test(message))
      otherwise.push(`${piece} of line ${line}: ${message}`);
  }
  expect(otherwise).toEqual([]);
}, 600_000);

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
    expect(await errorIn(source)).toMatchObject({
      code: 'yosys_error',
      file: 'design.v',
      line,
      message: `syntax error: ${said}`,
    });
  });

  test.each([
    [
      'lines that are those of others',
      `\`line 100 "other.v" 0\n${head}  assign c = a\n  always @(posedge clk) b <= a;\nendmodule\n`,
      /^syntax error, unexpected `always`$/,
    ],
  ])('nothing is guessed: %s', async (_, source, said) => {
    const error = await errorIn(source);
    expect(error?.message).toMatch(said);
    expect(error?.message).not.toMatch(/missing/);
  });

  test('the message of Yosys is in the log', async () => {
    const context = record();
    const { diagnostics } = await toolchain.scan(
      requestOf(`${head}  assign c = a\n  always @(posedge clk) b <= a;\nendmodule\n`, 'm.v'),
      context,
    );
    expect(diagnostics).toHaveLength(1);
    expect(context.text().split('\n')).toEqual([
      'yosys: m.v:3: syntax error, unexpected TOK_ALWAYS',
      'error: m.v:2: syntax error: a `;` is probably missing at the end of line 2, before `always`',
    ]);
  }, 60_000);
});

test.each([
  [
    "syntax error, unexpected ',', expecting ',' or ';'",
    'syntax error, unexpected `,`, expecting `,` or `;`',
  ],
  ['syntax error, unexpected TOK_CONSTVAL', 'syntax error, unexpected a number'],
  [
    'syntax error, unexpected ATTR_BEGIN, expecting TOK_ID',
    'syntax error, unexpected `(*`, expecting a name',
  ],
  [
    "syntax error, unexpected end of file, expecting TOK_ALWAYS_FF or '[' or OP_LE",
    'syntax error, unexpected end of file, expecting `always_ff`, `[` or `<=`',
  ],
])('%s', (message, words) => {
  const error = syntaxErrorOf(message);
  expect(error && inWords(error)).toBe(words);
});

test('any other message is none', () => {
  expect(syntaxErrorOf('wire/reg/logic packed dimension must be of the form [<expr>:<expr>]')).toBeNull();
});
