import { afterAll, describe, expect, test } from 'vitest';
import {
  freshToolchain,
  record,
  refusal,
  requestOf,
  slave,
  synthesised,
} from '../../../../support/toolchain/build/support.ts';

const { toolchain, dispose } = freshToolchain();
afterAll(dispose);

const ADDED = 'module sub(input [31:0] x, output [31:0] y); assign y = ~x; endmodule\n';
const COUNTS = '\n  assign wb_dat_r = c;';

/** The mistake of a body, the line of the first diagnostic, and words of each diagnostic. */
const REFUSED: [title: string, body: string, line: number, words: RegExp[], file?: string][] = [
  [
    'two blocks set one register',
    `  reg [31:0] c;\n  always @(posedge clk) if (wb_we) c <= wb_dat_w;\n  always @(posedge wb_stb) c <= c + 1;${COUNTS}`,
    6,
    [/^design\.c is driven by the block at a\.v:6 and the block at a\.v:7:/],
  ],
  [
    'two blocks of logic set the same signals',
    `  reg [31:0] c, d;
  always @* begin c = 0; d = 1; if (wb_we) begin c = wb_dat_w; d = c; end end
  always @* begin
    c = 1; d = 0;
    if (wb_stb) begin c = {2'b0, wb_adr}; d = ~c; end
  end
  assign wb_dat_r = c ^ d;`,
    6,
    [
      /^design\.c is driven by the logic at a\.v:6 and the logic at a\.v:9:/,
      /^design\.d is driven by the logic at a\.v:6 and the logic at a\.v:9:/,
    ],
  ],
  [
    'two expressions are assigned to one wire, and one of each two bits is constant',
    `  wire [31:0] c;\n  assign c = wb_dat_w & 32'h55555555;\n  assign c = wb_dat_w | 32'haaaaaaaa;${COUNTS}`,
    6,
    [/^design\.c is driven by an assignment and by another:/],
  ],
  [
    'a constant and a register',
    `  logic [31:0] c;\n  always_ff @(posedge clk) c <= wb_dat_w;\n  always_comb c = 5;${COUNTS}`,
    6,
    [/^core\.c is driven by an assignment and the block at a\.sv:6:/],
    'a.sv',
  ],
  [
    'the outputs of two instances on one wire',
    `  wire [31:0] q; sub a(.x(wb_dat_w), .y(q)); sub b(.x({2'b0, wb_adr}), .y(q));\n  assign wb_dat_r = q;`,
    5,
    [/by the output y of the instance a and the output y of the instance b:/],
  ],
  [
    'a register on the output of an instance that nothing reads',
    `  reg [31:0] c; wire [31:0] q; sub a(.x(wb_dat_w), .y(q)); assign q = c;\n  always @(posedge clk) if (wb_we) c <= wb_dat_w;${COUNTS}`,
    5,
    [/^design\.q is driven by the block at a\.v:6 and the output y of the instance a:/],
  ],
  [
    'a value for an input',
    '  assign wb_we = 1;\n  assign wb_dat_r = 1;',
    5,
    [/^the input wb_we is driven from outside, but design drives it too:/],
  ],
  [
    'two inputs assigned to one wire',
    `  wire [31:0] c;\n  assign c = wb_dat_w;\n  assign c = {2'b0, wb_adr};${COUNTS}`,
    6,
    [/^design\.c is driven by an assignment and by another:/],
  ],
  [
    'a block that waits for the edges of two signals',
    `  reg [31:0] c;\n  always @(posedge clk or posedge wb_stb) c <= c + 1;${COUNTS}`,
    6,
    [/^simple if-else pattern expected in modeling an asynchronous load on a flip-flop/],
  ],
  [
    'a block that waits for both edges',
    `  reg [31:0] c;\n  always @(posedge clk or negedge clk) c <= c + 1;${COUNTS}`,
    6,
    [/^simple if-else pattern expected in modeling an asynchronous load on a flip-flop/],
  ],
  [
    'a reset to a non-constant value',
    `  reg [31:0] c, d;\n  always @(posedge clk) d <= wb_dat_w;\n  always @(posedge clk or posedge wb_we) if (wb_we) c <= d; else c <= c + 1;${COUNTS}`,
    7,
    [/^design\.c: a register of the part can be set without its clock only to a constant,/],
  ],
  [
    'a reset by two signals',
    `  reg [31:0] c;\n  always @(posedge clk or posedge wb_we or negedge wb_cyc)\n    if (wb_we) c <= 0; else if (!wb_cyc) c <= 5; else c <= c + 1;${COUNTS}`,
    6,
    [/^design\.c: a register of the part can be set without its clock only to a constant,/],
  ],
  [
    'an initial value that is a signal',
    `  reg [31:0] c = wb_dat_w;\n  always @(posedge clk) c <= c + 1;${COUNTS}`,
    5,
    [/^reading net state during design initialization unsupported/],
  ],
  [
    'a memory that is written at two clocks',
    `  reg [31:0] m [0:1023]; reg [31:0] c;\n  always @(posedge clk) begin if (wb_we) m[wb_adr[9:0]] <= wb_dat_w; c <= m[wb_adr[9:0]]; end\n  always @(posedge wb_cyc) m[wb_adr[19:10]] <= 5;${COUNTS}`,
    5,
    [/^no RAM of the part fits the memory m: it has several write clocks,/],
  ],
  [
    'an output that is connected to a constant',
    "  sub a(.x(wb_dat_w), .y(32'd1));\n  assign wb_dat_r = 1;",
    5,
    [/^expression is not assignable/],
  ],
  [
    'a port that a module does not have',
    '  sub a(.x(wb_dat_w), .z(wb_dat_r));',
    5,
    [/^port 'z' does not exist in 'sub'/],
  ],
  [
    'more ports than a module has',
    '  sub a(wb_dat_w, wb_dat_r, wb_we);',
    5,
    [/^too many port connections given to instantiation of 'sub' \(3 given, expected 2\)/],
  ],
];

/** `design` is a word of SystemVerilog. */
const named = (text: string, file: string) =>
  file.endsWith('.sv') ? text.replace('module design', 'module core') : text;

test.each(REFUSED)(
  '%s: rejected with the reason and its place',
  async (_what, body, line, words, file = 'a.v') => {
    const context = record();
    const error = await refusal(toolchain.build(requestOf(named(slave(body), file) + ADDED, file), context));
    expect(error.code).toBe('design_invalid');
    const errors = error.diagnostics.filter(({ severity }) => severity === 'error');
    expect(errors.map(({ message }) => message)).toEqual(words.map((word) => expect.stringMatching(word)));
    expect(errors[0]?.line).toBe(line);
    expect(errors[0]?.file).toBe(file);
    expect(error.message).toContain(errors[0]?.message);
    // No mapping, placing or routing takes place.
    expect(context.text()).not.toContain('Executing ABC');
  },
);

/** A slave whose registers have the bus as an interface. @param more is added to the module of the registers */
const withInterface = (more = '') => `interface wb_if;
  logic [31:0] adr, dat_w, dat_r;
  logic we, stb, cyc, ack;
endinterface
module regs (wb_if bus, input logic clk);
  logic [31:0] kept;
  always_ff @(posedge clk) if (bus.cyc && bus.stb && bus.we && bus.adr[4]) kept <= bus.dat_w;
  assign bus.dat_r = kept;
  assign bus.ack = bus.cyc & bus.stb;
${more}endmodule
module top (input logic clk, rst, input logic [4:0] wb_adr_i, input logic [31:0] wb_dat_i, output logic [31:0] wb_dat_o,
            input logic wb_we_i, wb_stb_i, wb_cyc_i, output logic wb_ack_o);
  wb_if bus ();
  assign bus.adr = {27'd0, wb_adr_i};
  assign bus.dat_w = wb_dat_i;
  assign bus.we = wb_we_i;
  assign bus.stb = wb_stb_i;
  assign bus.cyc = wb_cyc_i;
  assign wb_dat_o = bus.dat_r;
  assign wb_ack_o = bus.ack;
  regs r (.bus(bus), .clk(clk));
endmodule
`;

describe('valid multiple drivers', () => {
  test('loop variables, halves of a register, wired logic, and drivers that release a bus', async () => {
    const body = `  integer i;
  reg [31:0] a, b;
  always @(posedge clk) for (i = 0; i < 32; i = i + 1) a[i] <= wb_dat_w[31 - i];
  always @(posedge clk) for (i = 0; i < 16; i = i + 1) b[i] <= wb_dat_w[i];
  always @(posedge clk) b[31:16] <= wb_dat_w[15:0];
  wand [31:0] both;
  assign both = a;
  assign both = b;
  wire [31:0] bus;
  assign bus = wb_adr[0] ? both : 32'bz;
  assign bus = wb_adr[0] ? 32'bz : a + b;
  assign wb_dat_r = bus;`;
    const context = await synthesised(toolchain, requestOf(slave(body), 'a.v'));
    expect(context.lines.filter(({ line }) => /^error:|conflicting driver/.test(line))).toEqual([]);
  });

  test('a function and a task that several blocks call, also in a branch', async () => {
    const body = `  reg [7:0] a, b, c, d;
  function [7:0] reversed(input [7:0] x); integer i;
    for (i = 0; i < 8; i = i + 1) reversed[i] = x[7 - i];
  endfunction
  task doubled(input [7:0] x, output [7:0] y); y = x << 1; endtask
  always @(posedge clk) if (wb_we) a <= reversed(wb_dat_w[7:0]);
  always @(posedge clk) if (wb_adr[0]) b <= reversed(wb_dat_w[15:8]);
  always @* begin c = 0; if (a[0]) doubled(b, c); end
  always @* begin d = 0; if (b[0]) doubled(reversed(a), d); end
  assign wb_dat_r = {a, b, c, d};`;
    const context = await synthesised(toolchain, requestOf(slave(body), 'a.v'));
    expect(context.lines.filter(({ line }) => /^(?:error|warning):/.test(line))).toEqual([]);
  });

  test('temporary variables of a branch are no latches', async () => {
    const body = `  reg [7:0] q, t; integer i;
  always @* begin
    q = 0;
    if (wb_we) begin t = wb_dat_w[7:0] + 1; for (i = 0; i < 8; i = i + 1) q[i] = t[7 - i]; end
  end
  assign wb_dat_r = q;`;
    const context = await synthesised(toolchain, requestOf(slave(body), 'a.v'));
    expect(context.lines.filter(({ line }) => /^(?:error|warning):/.test(line))).toEqual([]);
  });

  test('constant bits of an interface that is a module’s port', async () => {
    const context = await synthesised(toolchain, requestOf(withInterface(), 'design.sv'));
    expect(context.text()).not.toContain('Driver-driver conflict');
    const twice = withInterface('  assign bus.we = kept[0];\n');
    expect((await refusal(toolchain.build(requestOf(twice, 'design.sv'), record()))).message).toMatch(
      /^design\.sv:7: top\.bus\.we is driven by an assignment and the block at design\.sv:7:/,
    );
  });
});
