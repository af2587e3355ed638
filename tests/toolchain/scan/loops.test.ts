import { describe, expect, test } from 'vitest';
import { toolchainError } from '../../../server/errors/toolchain.ts';
import { loopsOf, withConditions } from '../../../server/toolchain/scan/loops.ts';
import { requireMatch } from '../../../server/toolchain/scan/scan.ts';
import type { ToolEngine } from '../../../server/toolchain/toolchain.ts';
import { plainYosys, scanText } from '../support.ts';

const passes = (text: string) => loopsOf(text).map((loop) => loop.passes);

describe('passes of loops are read from the text', () => {
  test.each([
    ['for (g = 0; g < 1024; g = g + 1) x;', [1024]],
    ['for (genvar g = 3; g <= 20; g += 4) x;', [5]],
    ['for (i = 31; i >= 0; i--) x;', [32]],
    ['for (i = 10; i > 0; i = i - 3) x;', [4]],
    ['for (i = 5; i < 5; i++) x;', [0]],
    ['for (i = 0; i < 5; i = i) x;', [Number.POSITIVE_INFINITY]],
    ['for (i = 0; i < 5; i = i - 1) x;', [Number.POSITIVE_INFINITY]],
    ['for (i = 0; i < (1 << 4) * 2 + 8 / 3 - 7 % 4; i = 1 + i) x;', [31]],
    ["for (i = 0; i < 16'h1_0 + 2 ** 3 - -1; i = i + 1) x;", [25]],
    [
      '`define N 7\nparameter W = 2, D = `N * W; localparam E = $clog2(D);\nfor (i = 0; i < E + D; i++) x;',
      [18],
    ],
    ['module a #(parameter A = 4, parameter B = A + 1) (input x);\nfor (i = 0; i < B; i++) x;', [5]],
  ])('%s', (text, expected) => expect(passes(text)).toEqual(expected));

  test('those within each other are multiplied, those behind are not', () => {
    const text = `for (i = 0; i < 10; i++) begin : a
      for (j = 0; j < 20; j++) for (k = 0; k < 3; k++) x;
      if (y) begin z; end
      for (j = 0; j < 2; j++) x;
    end
    for (j = 0; j < 7; j++) begin for (k = 0; k < 2; k++) x; end`;
    expect(passes(text)).toEqual([10, 200, 600, 20, 7, 14]);
    expect(loopsOf(text).map(({ line }) => line)).toEqual([1, 2, 2, 4, 6, 6]);
  });

  test('one whose bounds cannot be told is none', () => {
    for (const header of ['i = 0; i < n; i++', 'i = 1; i < 9; i = i * 2', 'i = 0; f(i); i++', 'i = 0; i < 9'])
      expect(passes(`for (${header}) x;`), header).toEqual([]);
  });

  test('text of any kind is read, in a time that grows with it', () => {
    for (const piece of ['for (', 'parameter ', 'begin ', 'end ', 'for (i = ((', '`define A `A\n', '; ) '])
      expect(passes(piece.repeat(20_000))).toEqual([]);
  });

  test('conditions are exchanged and nothing else is', () => {
    const text = 'for (g = 2; g < 1024; g = g + 1) a; for (i = 0; i < 9; i = i) b;';
    expect(withConditions(text, loopsOf(text), ({ condition }) => condition.once)).toBe(
      'for (g = 2; g == (2); g = g + 1) a; for (i = 0; 1 == 0; i = i) b;',
    );
  });
});

/** A tool for which whatever has a loop of so many passes takes too long. */
const slow: ToolEngine = {
  ...plainYosys,
  run: (run) =>
    Object.values(run.files).some((text) => /< (?:1048576|65536)\b/.test(String(text)))
      ? Promise.reject(toolchainError('tool_deadline'))
      : plainYosys.run(run),
};

const slave = (body: string) => `module slave(input wb_clk, input wb_rst, input wb_cyc, input wb_stb,
  input wb_we, input [21:0] wb_adr, input [31:0] wb_dat_w, output [31:0] wb_dat_r, output wb_ack);
${body}
  assign wb_ack = wb_stb;
endmodule
`;

describe('a loop that takes long to elaborate', () => {
  const refusal = async (body: string) => {
    const scan = await scanText(slave(body), 'design.v', {}, slow);
    expect(scan.matched).toBeNull();
    expect(() => requireMatch(scan)).toThrow(expect.objectContaining({ code: 'design_invalid' }));
    return scan.diagnostics;
  };

  test.each([
    [
      'of instances',
      '  genvar g;\n  generate for (g = 0; g < 1048576; g = g + 1) begin : stage wire w = wb_stb; end endgenerate\n  assign wb_dat_r = 0;',
      4,
    ],
    [
      'in an always block',
      '  integer i; reg [31:0] x;\n  always @(posedge wb_clk)\n    for (i = 0; i < 1048576; i = i + 1) x = x ^ i;\n  assign wb_dat_r = x;',
      5,
    ],
  ])('is refused with its line: %s', async (_, body, line) => {
    expect(await refusal(body)).toEqual([
      {
        severity: 'error',
        code: 'design_invalid',
        message: 'this loop has 1,048,576 passes; the bench elaborates 262,144',
        file: 'design.v',
        line,
      },
    ]);
  });

  test('does not hide a memory that cannot fit', async () => {
    const { diagnostics } = await scanText(
      slave(`  reg [31:0] mem [0:65535]; integer i;
  always @(posedge wb_clk)
    if (wb_rst) for (i = 0; i < 65536; i = i + 1) mem[i] <= 0;
    else if (wb_we) mem[wb_adr[15:0]] <= wb_dat_w;
  assign wb_dat_r = mem[wb_adr[15:0]];`),
      'design.v',
      {},
      slow,
    );
    expect(diagnostics).toEqual([expect.objectContaining({ code: 'build_too_large', line: 3, net: 'mem' })]);
  });

  test('is no reason where it is not in use, or has passes that the bench takes on', async () => {
    for (const body of [
      '  genvar g; if (0) for (g = 0; g < 1048576; g = g + 1) begin : s wire w; end\n  assign wb_dat_r = 0;',
      '  genvar g; for (g = 0; g < 65536; g = g + 1) begin : s wire w; end\n  assign wb_dat_r = 0;',
    ])
      await expect(scanText(slave(body), 'design.v', {}, slow)).rejects.toMatchObject({
        code: 'tool_deadline',
      });
  });
});
