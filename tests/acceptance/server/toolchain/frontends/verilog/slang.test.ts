import { expect, test } from 'vitest';
import { provesDesign } from '../../../../../support/toolchain/frontends/same-circuit.ts';
import { slave } from '../../../../../support/toolchain/slave-source.ts';
import { scanText } from '../../../../../support/toolchain/support.ts';

const SUB = 'module sub(input a, output b); wire s = ~a; assign b = s; endmodule\n';
const BUS = `interface bus; logic [7:0] d; logic v; modport from(output d, v); endinterface
module part(bus.from o, input [7:0] x); assign o.d = x; assign o.v = |x; endmodule
`;

/** The text before it in the plain source, and before the module in the other one. */
test.each<[what: string, body: string, meant: string, beside?: string, head?: string]>([
  ['a signal of an instance', 'sub u(.a(wb_we)); assign wb_dat_r = u.s;', "{31'b0, ~wb_we}", '', SUB],
  [
    'a signal of an instance in a loop',
    'for (genvar i = 0; i < 2; i++) begin : g sub u(.a(wb_adr[i])); end assign wb_dat_r = g[1].u.s;',
    "{31'b0, ~wb_adr[1]}",
    '',
    SUB,
  ],
  [
    'a part of an array of interfaces at a port',
    'bus b[2](); part p(.o(b[0]), .x(wb_dat_w[7:0])); assign wb_dat_r = b[0].d;',
    'wb_dat_w[7:0]',
    '',
    BUS,
  ],
  [
    'a signal that an interface drives',
    'bus b(); assign b.d = wb_dat_w[7:0]; assign wb_dat_r = b.v;',
    "{31'b0, |wb_dat_w[7:0]}",
    '',
    'interface bus; logic [7:0] d; logic v; assign v = |d; endinterface\n',
  ],
  [
    'a port of an array of interfaces',
    'bus b[2](wb_dat_w[7:0]); assign wb_dat_r = b[0].d;',
    'wb_dat_w[7:0]',
    '',
    'interface bus(input logic [7:0] d); logic v; endinterface\n',
  ],
  [
    'members of a function’s result with a parameterised width',
    `localparam W = 8; typedef struct packed { logic [W-1:0] a, b; } t;
    function automatic t f(input [7:0] x); f.a = x; f.b = ~x; endfunction
    localparam t K = f(8'h5a); assign wb_dat_r = {f(wb_dat_w[7:0]), K};`,
    "{wb_dat_w[7:0], ~wb_dat_w[7:0], 16'h5aa5}",
  ],
  [
    'members with a parameterised width, assigned one by one for a constant',
    `localparam W = 8; typedef struct packed { logic [W-1:0] a, b; } t;
    function automatic t f(input [7:0] x); t v; v = '0; v.a = x; v.b = ~x; return v; endfunction
    localparam t K = f(8'h5a); assign wb_dat_r = {f(wb_dat_w[7:0]), K};`,
    "{wb_dat_w[7:0], ~wb_dat_w[7:0], 16'h5aa5}",
  ],
  [
    'break and continue in a block without declarations',
    `logic [3:0] n; if (1) always_comb begin n = 0;
      for (int i = 0; i < 8; i++) begin if (wb_adr[i]) continue; if (wb_dat_w[i]) break; n = n + 1; end end
    assign wb_dat_r = n;`,
    'count(wb_adr[7:0], wb_dat_w[7:0])',
    `function automatic [3:0] count(input [7:0] a, input [7:0] d); reg done; integer i;
      begin count = 0; done = 0;
        for (i = 0; i < 8; i = i + 1) if (!done && !a[i]) begin if (d[i]) done = 1; else count = count + 1; end end
    endfunction\n`,
  ],
  [
    'methods of enumerations',
    `typedef enum logic [1:0] {A = 2, B = 0, C = 1} t; t s; assign s = t'(wb_dat_w[1:0]);
    assign wb_dat_r = s == C ? s.first() : s == A ? s.last() : t'(wb_dat_w[3:2]);`,
    'wb_dat_w[1:0] == 1 ? 2 : wb_dat_w[1:0] == 2 ? 1 : wb_dat_w[3:2]',
  ],
  [
    'functions of an interface, and expressions in a modport',
    'bus b(); assign b.d = wb_dat_w[7:0]; reader r(.i(b), .q(wb_dat_r[7:0])); assign wb_dat_r[31:8] = 0;',
    "{24'b0, ~wb_dat_w[7:0]}",
    '',
    `interface bus; logic [7:0] d; function automatic logic [7:0] inverted(); return ~d; endfunction
      modport to(input .x(d), import inverted); endinterface
    module reader(bus.to i, output [7:0] q); assign q = i.inverted(); endmodule\n`,
  ],
  [
    'types that an instance sets',
    'wide #(.T(logic [11:0])) w(.a(wb_dat_w[11:0]), .q(wb_dat_r));',
    "{wb_dat_w[11:0] + 12'd1}",
    '',
    'module wide #(parameter type T = logic [3:0]) (input T a, output [31:0] q); T s; assign s = a + 1; assign q = s; endmodule\n',
  ],
  [
    'streaming, let and default arguments',
    `let twice(x) = x + x; function automatic [7:0] plus(input [7:0] x, input [7:0] y = 3); return x + y; endfunction
    logic [7:0] turned; assign turned = {<<{wb_dat_w[7:0]}}; assign wb_dat_r = {turned, 8'(twice(wb_dat_w[7:0])), plus(wb_dat_w[7:0])};`,
    `{wb_dat_w[0], wb_dat_w[1], wb_dat_w[2], wb_dat_w[3], wb_dat_w[4], wb_dat_w[5], wb_dat_w[6], wb_dat_w[7],
      wb_dat_w[6:0], 1'b0, wb_dat_w[7:0] + 8'd3}`,
  ],
  [
    'structures in structures with values in braces',
    `typedef struct packed { logic [3:0] x, y; } p_t; typedef struct packed { p_t a, b; logic v; } t;
    t s; always_comb s = '{a: '{x: 1, default: wb_dat_w[3:0]}, b: '{2, wb_dat_w[7:4]}, v: 1}; assign wb_dat_r = s;`,
    "{4'd1, wb_dat_w[3:0], 4'd2, wb_dat_w[7:4], 1'b1}",
  ],
  [
    'case with ranges',
    `logic [1:0] k; always_comb case (wb_dat_w[3:0]) inside [2:5]: k = 1; 7, [9:10]: k = 2; default: k = 0; endcase
    assign wb_dat_r = k;`,
    'wb_dat_w[3:0] >= 2 && wb_dat_w[3:0] <= 5 ? 1 : wb_dat_w[3:0] == 7 || wb_dat_w[3:0] == 9 || wb_dat_w[3:0] == 10 ? 2 : 0',
  ],
  [
    'a register with its value at the start',
    'logic [7:0] count = 5; let next = count + wb_dat_w[7:0]; always_ff @(posedge wb_clk) count <= next; assign wb_dat_r = count;',
    'count',
    'reg [7:0] count = 5; always @(posedge wb_clk) count <= count + wb_dat_w[7:0];',
  ],
])('reads constructs that Yosys alone does not: %s', async (_, body, meant, beside = '', head = '') => {
  const { source, matched, diagnostics } = await scanText(slave(`  ${body}`, head), 'design.sv');
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(matched?.module).toBe('slave');
  await provesDesign(source, ['slave', 'slave'], slave(`  ${beside} assign wb_dat_r = ${meant};`));
});

test.each<[what: string, text: string, line: number, said: string]>([
  [
    'a member that a structure does not have',
    slave(
      "  typedef struct packed { logic [3:0] a; } t; t s;\n  let low = wb_dat_w[3:0];\n  assign s = '{a: low};\n  assign wb_dat_r = s.b;",
    ),
    6,
    "no member named 'b' in 't'",
  ],
  [
    'streaming in a context without a width',
    slave('  assign wb_dat_r = {<<{wb_dat_w}} ^ wb_adr;'),
    3,
    'streaming operator can only be used in an assignment or bit-stream cast argument',
  ],
])('reports the error: %s', async (_, text, line, said) => {
  const { diagnostics, outcome } = await scanText(text, 'design.sv');
  expect(outcome.kind).toBe('invalid');
  expect(diagnostics[0]).toMatchObject({ severity: 'error', code: 'slang_error', file: 'design.sv', line });
  expect(diagnostics[0]?.message).toContain(said);
});

test('reads a slave within a board that has none of its ports on its own', async () => {
  const board = `module board(input clk, output led); wire [31:0] r; assign led = ^r;
  slave i(.wb_clk(clk), .wb_rst('0), .wb_cyc('1), .wb_stb('1), .wb_we('0), .wb_adr('0), .wb_dat_w('0), .wb_dat_r(r), .wb_ack());
endmodule\n`;
  const text = slave('  let twice(x) = x + x; assign wb_dat_r = twice(wb_dat_w);');
  const { matched, source } = await scanText(`${text}${board}`, 'design.sv');
  expect(matched).toMatchObject({ module: 'slave', file: 'design.sv', line: 1 });
  await provesDesign(source, ['slave', 'slave'], slave('  assign wb_dat_r = wb_dat_w << 1;'));
});

test('a name longer than the line limit does not hide the errors', async () => {
  const { diagnostics } = await scanText(`\\${'a'.repeat(20_000)} module m(input a); endmodule\n`);
  expect(diagnostics[0]).toMatchObject({ severity: 'error', code: 'slang_error', line: 1 });
  expect(diagnostics[0]?.message.length).toBeLessThan(1100);
});

test('one unreadable diagnostic does not discard the others', async () => {
  const { diagnostics } = await scanText(`${'"'.repeat(5999)}\nmodule m(input a); endmodule\n`);
  expect(diagnostics[0]).toMatchObject({ severity: 'error', code: 'slang_error', line: 1 });
  expect(diagnostics.some(({ message }) => message.includes('--std'))).toBe(false);
});

test('reports the first errors when there are more than it reads', async () => {
  const { diagnostics } = await scanText(`${'endmodule '.repeat(1001)}\n`);
  expect(diagnostics[0]).toMatchObject({ severity: 'error', code: 'slang_error', line: 1, column: 1 });
});

test('a repeat is read beside names that are words of SystemVerilog', async () => {
  const body = `  wire bit = wb_stb; reg [31:0] last;
  always @(posedge wb_clk) begin last = wb_dat_w; repeat (3) last = {last[30:0], bit}; end
  assign wb_dat_r = last;`;
  const { matched, diagnostics } = await scanText(slave(body), 'slave.v');
  expect(diagnostics).toEqual([]);
  expect(matched?.module).toBe('slave');
});
