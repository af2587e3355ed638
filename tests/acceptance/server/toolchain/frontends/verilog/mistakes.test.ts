import { describe, expect, test } from 'vitest';
import { createEmbeddedEngine } from '../../../../../../server/toolchain/engines/embedded/embedded-engine.ts';
import { piecesOf } from '../../../../../../server/toolchain/languages/verilog/outline-lexer.ts';
import { everyNth, SOAK } from '../../../../../support/soak.ts';
import { example } from '../../../../../support/toolchain/build/support.ts';
import {
  head,
  INTERFACE_BUS,
  MISTAKES,
  process,
} from '../../../../../support/toolchain/frontends/verilog/mistakes.ts';
import { slave } from '../../../../../support/toolchain/slave-source.ts';
import { scanText, storedRuns } from '../../../../../support/toolchain/support.ts';

/** As in a build, with its deadlines. */
const engine = createEmbeddedEngine(storedRuns);

test.each(everyNth(4, MISTAKES))('%s', async (_, source, line, said, advice = '', file = 'design.v') => {
  const { matched, diagnostics } = await scanText(source, file);
  expect(matched).toBeNull();
  expect(diagnostics[0]).toMatchObject({ severity: 'error', file, line });
  const message = diagnostics[0]?.message ?? '';
  expect(message.slice(0, said.length)).toBe(said);
  expect(message).toContain(advice);
});

test('nine of ten mistakes have advice', () => {
  const plain = MISTAKES.filter(
    ([, , , said, advice = '']) => advice === '' && /^expected|^use of/.test(said),
  );
  expect(plain.length).toBeLessThan(MISTAKES.length / 10);
});

test('gives each advice once, and none for a self-explanatory message', async () => {
  const { diagnostics } = await scanText(process('    b <= a + ;\n    b <= c * ;\n    b <= 1'));
  expect(diagnostics.map(({ line, message }) => [line, message])).toEqual([
    [3, 'expected expression: a value or a name is missing here'],
    [4, 'expected expression'],
    [5, "expected ';'"],
  ]);
});

test('does not suggest options of slang', async () => {
  const { diagnostics } = await scanText(`${head}initial begin #100 $finish; end\nendmodule\n`);
  expect(diagnostics.filter(({ message }) => message.includes('--'))).toEqual([]);
});

test('reports a recursive function that depends on a signal', async () => {
  const body =
    '  function automatic [3:0] f(input [3:0] x); f = f(x + 1); endfunction\n  always @* b = f(a);\n';
  const { diagnostics } = await scanText(`${head}${body}endmodule\n`);
  expect(diagnostics).toMatchObject([{ severity: 'error', code: 'design_invalid', file: 'design.v' }]);
  expect(diagnostics[0]?.message).toContain('or a function calls itself endlessly');
});

test.each(
  everyNth(2, [
    [
      'while',
      'module m(input [7:0] d, output reg [7:0] q);\n  always @* begin\n    q = d;\n    while (q[3])\n      q = q + 1;\n  end\nendmodule\n',
      4,
    ],
    [
      'for',
      'module m(input [31:0] a, output reg [3:0] b);\n  integer i;\n  always @* begin\n    b = 0;\n    for (i = 0; i < a; i = i + 1) b = b + 1;\n  end\nendmodule\n',
      5,
    ],
  ] as const),
)(
  'reports a loop with a signal-dependent end at its line: %s',
  async (_, source, line) => {
    const { diagnostics } = await scanText(source, 'design.v', {}, engine);
    expect(diagnostics[0]).toMatchObject({ severity: 'error', file: 'design.v', line });
    expect(diagnostics[0]?.message).toMatch(
      /^unroll limit of \d+ exhausted: a loop is unrolled, and this one/,
    );
  },
  120_000,
);

/** The soak goes as far as the limit of a memory. */
const WORDS = SOAK ? 65_536 : 4096;

test('a loop for a constant table may have one pass per word', async () => {
  const { matched } = await scanText(
    slave(`  reg [7:0] words [0:${WORDS - 1}]; integer i; reg [7:0] r;
  initial for (i = 0; i < ${WORDS}; i = i + 1) words[i] = i;
  always @(posedge wb_clk) r <= words[wb_adr[17:2]];
  assign wb_dat_r = r;`),
  );
  expect(matched?.module).toBe('slave');
});

describe('warns about', () => {
  const REGISTER = '  reg [7:0] r, s;\n  always @(posedge wb_clk) s <= wb_dat_w;\n  assign wb_dat_r = r;\n';
  const warnings = async (text: string, file?: string) => {
    const { matched, diagnostics } = await scanText(text, file);
    expect(matched?.module).toBe('slave');
    return diagnostics.map(({ severity, line, message }) => `${severity} ${line}: ${message}`);
  };

  test('a process that waits for a clock without an edge', async () => {
    const process = '  always @(wb_clk)\n    if (wb_rst) r <= 0; else if (s <= 3) r <= s;';
    expect(await warnings(slave(REGISTER + process))).toContain(
      'warning 6: non-edge sensitivity on a signal will be synthesized as @* sensitivity: this becomes combinational logic; write `always @(posedge wb_clk)` for registers',
    );
  });

  test.each([
    ['has an edge', '  always @(posedge wb_clk) r <= s;'],
    ['waits for no clock', '  always @(wb_we or s) r = wb_we ? s : 0;'],
    ['waits for several', '  always @(wb_clk or s) r = s;'],
  ])('no process that %s', async (_, process) => {
    expect(await warnings(slave(REGISTER + process))).toEqual([]);
  });

  test('a `wait` inside a process', async () => {
    expect(
      await warnings(slave(`${REGISTER}  always @(posedge wb_clk) begin wait (s); r <= s; end`)),
    ).toEqual([
      'warning 6: wait statement will not be synthesized: `wait` is for simulation only: test for the event with an `if` at each clock, and store it in a register',
    ]);
  });

  test('no delay', async () => {
    const process = '  always @(posedge wb_clk) begin\n    r <= #1 s;\n  end\n';
    expect(await warnings(slave(REGISTER + process))).toEqual([]);
  });

  test('an input that the design drives itself, though nothing reads it', async () => {
    const body = slave(`  sub i (.q(done));
  assign wb_dat_r = {31'd0, read};
  assign led[1] = ^wb_adr;`).replace('input wb_clk', 'input [3:0] led, input done, input read, input wb_clk');
    const why = 'is driven from outside, but slave drives it too: make it an `output`, or assign to';
    expect(await warnings(`${body}module sub(output q); assign q = 1; endmodule\n`)).toEqual([
      `warning 5: the input led ${why} a signal of another name`,
      `warning 3: the input done ${why} a signal of another name`,
    ]);
  });

  test('no input that is only read', async () => {
    const body = '  wire [21:0] adr = wb_adr;\n  assign wb_dat_r = {adr, wb_dat_w[9:0]};';
    expect(await warnings(slave(body))).toEqual([]);
  });

  test('an out-of-range index of an interface signal', async () => {
    const part = `module part (regs_if.part b);
  always_ff @(posedge b.clk) if (b.we) b.q[7:4] <= b.d[11:8];
endmodule\n`;
    expect(
      await warnings(
        slave(
          "  regs_if b (); part u (.b(b)); assign b.clk = wb_clk, b.we = wb_we, b.d = wb_dat_w[7:0];\n  assign wb_dat_r = {24'd0, b.q};",
          INTERFACE_BUS + part,
        ),
        'design.sv',
      ),
    ).toEqual(["warning 7: cannot select range of [11:8] from 'logic[7:0]'"]);
  });
});

describe('an acknowledge output that a condition omits', () => {
  const source =
    'module m(input clk,\n`ifdef BUS\n  input wb_cyc, wb_stb, output wb_ack,\n`endif\n  output reg b);\n  always @(posedge clk) b <= ~b;\nendmodule\n';
  const first = async (text: string) => (await scanText(text)).diagnostics[0];

  test('is reported', async () => {
    expect(await first(source)).toMatchObject({
      code: 'design_no_slave',
      line: 3,
      module: 'm',
      message:
        'module m: `ifdef BUS excludes its output wb_ack, because that name is not defined; define it at the top of the file',
    });
  });

  test.each([
    ['the macro is defined', `\`define BUS\n${source}`],
    ['the macro is for formal verification', source.replace('BUS', 'FORMAL')],
    [
      'the bus is of another kind',
      source.replace('output reg b', 'input s_awvalid, output s_awready, output reg b'),
    ],
  ])('is not reported if %s', async (_, text) => {
    expect((await first(text))?.message).not.toContain('left out');
  });
});

test('a value that is only displayed is none', async () => {
  const body =
    '  sub u(.a(wb_we), .b());\n  always @(posedge wb_clk) $display("%b", u.s);\n  assign wb_dat_r = 0;';
  const source = slave(body, 'module sub(input a, output b); wire s = ~a; assign b = s; endmodule\n');
  const { matched, diagnostics } = await scanText(source);
  expect(diagnostics).toEqual([]);
  expect(matched?.module).toBe('slave');
});

test('treats an undeclared name as an error, not as an implicit wire', async () => {
  const { matched, diagnostics } = await scanText(
    slave('  reg [7:0] r;\n  always @(posedge wb_clk) coutn <= r;\n  assign wb_dat_r = r;'),
  );
  expect(matched).toBeNull();
  expect(diagnostics[0]).toMatchObject({ severity: 'error', code: 'slang_error', line: 4 });
});

test('Yosys’s reader takes a design that slang refuses, with a wire that only a port declares', async () => {
  const { matched, diagnostics } = await scanText(
    slave(
      `  reg [31:0] r; reg seen;
  sub u(.a(wb_we), .b(written));
  always @(posedge wb_clk or posedge wb_stb) begin
    if (wb_stb) r <= 0; else if (written) r <= wb_dat_w;
    seen <= 1'b1;
  end
  assign wb_dat_r = r ^ seen;`,
      'module sub(input a, output b); assign b = ~a; endmodule\n',
    ),
  );
  expect(diagnostics).toMatchObject([
    {
      ...{ severity: 'warning', code: 'yosys_fallback', line: expect.any(Number) },
      message: expect.stringMatching(/because slang refuses it \(.{10,}\): it may get signs/),
    },
    { severity: 'warning', code: 'yosys_warning', net: 'written' },
  ]);
  expect(matched?.module).toBe('slave');
});

const lineOf = (text: string, offset: number) => text.slice(0, offset).split('\n').length;

/** Every place of the examples where something can be left out, with the lines where the diagnostic may be. */
const EXCLUDED = ['gpio.v', 'timer.v', 'echo.v', 'uart.v'].map(example).flatMap((text) => {
  const pieces = piecesOf(text);
  return pieces.flatMap(({ start, end, text: piece }, at) => {
    const line = (n: number) => lineOf(text, pieces[n]?.start ?? text.length);
    const isLast = line(at) !== line(at + 1);
    const isStatement = piece === ';' && isLast && !/^[:;]$/.test(pieces[at - 1]?.text ?? '');
    if (!isStatement && !/^(?:\)|end|endcase|endmodule)$/.test(piece)) return [];
    return [{ piece, line: line(at), source: text.slice(0, start) + text.slice(end) }];
  });
});

test('reports a missing token at its line, or at the line of the unclosed construct', async () => {
  expect(EXCLUDED.length).toBeGreaterThan(150);
  const otherwise: string[] = [];
  for (const { piece, line, source } of everyNth(15, EXCLUDED)) {
    const [first] = (await scanText(source)).diagnostics;
    const isTold =
      piece === ';' ? first?.line === line : first !== undefined && (first.line ?? 0) >= line - 1;
    if (!isTold) otherwise.push(`${piece} of line ${line}: ${first?.line}: ${first?.message}`);
  }
  expect(otherwise).toEqual([]);
}, 600_000);
