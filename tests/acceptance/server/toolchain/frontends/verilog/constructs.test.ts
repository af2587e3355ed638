import { expect, test } from 'vitest';
import { provesSame } from '../../../../../support/toolchain/frontends/same-circuit.ts';

/** What it is, statements that assign `wb_dat_r`, its meaning, and what stands before either module. */
type Construct = [what: string, body: string, meant: string, head?: string, beside?: string];

/** Modules for all of them. */
const COMMON = `module sub(input a, output b); wire s = ~a; assign b = s; endmodule
module copy(input [7:0] a, output [7:0] y); assign y = a; endmodule
module inner(input a); reg [7:0] st = 0; always @(posedge a) st <= st + 1; endmodule
module turned(input [7:0] a, output [31:0] q); assign q = {24'd0, ~a}; endmodule
`;
const INNER = 'inner u(.a(wb_we));';
const STATE = 'reg [7:0] st = 0; always @(posedge wb_we) st <= st + 1;';

/** Case labels with their values. */
const LABELS: [label: string, value: number][] = [
  ["A + 1'b1", 4],
  ["4'd8 + 4'd9", 17],
  ['A << 1', 6],
  ["1'b1 << 3", 8],
  ["~4'd0", 31],
  ['-A', 29],
  ["(A + 2'd1)", 4],
  ['A', 3],
  ["{A, 1'b1}", 7],
];

const CONSTRUCTS: Construct[] = [
  ['a signal of another module', `${INNER} assign wb_dat_r = u.st;`, 'st', '', STATE],
  ['bits of one', `${INNER} assign wb_dat_r = {u.st[3:0], u.st[3]};`, '{st[3:0], st[3]}', '', STATE],
  [
    'one in a process',
    `${INNER} reg [7:0] q; always @* q = u.st; assign wb_dat_r = q == 3 ? u.st : ~u.st;`,
    'st == 3 ? st : ~st',
    '',
    STATE,
  ],
  ['one at a port', `${INNER} turned v(.a(u.st), .q(wb_dat_r));`, "{24'd0, ~st}", '', STATE],
  [
    'one of a block',
    'generate if (1) begin : g inner u(.a(wb_we)); end endgenerate assign wb_dat_r = g.u.st;',
    'st',
    '',
    STATE,
  ],
  [
    'one of an instance in a loop',
    'for (genvar i = 0; i < 2; i++) begin : g sub u(.a(wb_adr[i])); end assign wb_dat_r = g[1].u.s;',
    "{31'b0, ~wb_adr[1]}",
  ],
  [
    'signed operands at ports',
    `wire [3:0] n = wb_dat_w[3:0]; copy u(.a($signed(n)), .y(wb_dat_r[7:0]));
    copy v(.a($signed({n})), .y(wb_dat_r[15:8])); assign wb_dat_r[31:16] = 0;`,
    "{16'b0, {2{{4{wb_dat_w[3]}}, wb_dat_w[3:0]}}}",
  ],
  [
    'bits of vectors that are signed by a name',
    'localparam sample_t K = -1; sample_t x; assign x = wb_dat_w; bits b(x, wb_dat_r[15:8]); assign wb_dat_r[7:0] = x[0] + K[3:0] + 1, wb_dat_r[31:16] = x >>> 1;',
    "{{9{wb_dat_w[7]}}, wb_dat_w[7:1], 4'd0, wb_dat_w[5:2], 8'd16 + wb_dat_w[0]}",
    `typedef logic signed [7:0] sample_t;
module bits #(parameter type T = logic signed [7:0])(input T x, output logic [7:0] y); assign y = x[2 +: 4]; endmodule\n`,
  ],
  [
    'a part of an array of interfaces at a port',
    'bus_a b[2](); part_a p(.o(b[0]), .x(wb_dat_w[7:0])); assign wb_dat_r = b[0].d;',
    'wb_dat_w[7:0]',
    `interface bus_a; logic [7:0] d; logic v; modport from(output d, v); endinterface
module part_a(bus_a.from o, input [7:0] x); assign o.d = x; assign o.v = |x; endmodule\n`,
  ],
  [
    'a signal that an interface drives',
    'bus_b b(); assign b.d = wb_dat_w[7:0]; assign wb_dat_r = b.v;',
    "{31'b0, |wb_dat_w[7:0]}",
    'interface bus_b; logic [7:0] d; logic v; assign v = |d; endinterface\n',
  ],
  [
    'a port of an array of interfaces',
    'bus_c b[2](wb_dat_w[7:0]); assign wb_dat_r = b[0].d;',
    'wb_dat_w[7:0]',
    'interface bus_c(input logic [7:0] d); logic v; endinterface\n',
  ],
  [
    'functions of an interface, and expressions in a modport',
    'bus_d b(); assign b.d = wb_dat_w[7:0]; reader r(.i(b), .q(wb_dat_r[7:0])); assign wb_dat_r[31:8] = 0;',
    "{24'b0, ~wb_dat_w[7:0]}",
    `interface bus_d; logic [7:0] d; function automatic logic [7:0] inverted(); return ~d; endfunction
  modport to(input .x(d), import inverted); endinterface
module reader(bus_d.to i, output [7:0] q); assign q = i.inverted(); endmodule\n`,
  ],
  [
    'members of a function’s result with a parameterised width',
    `localparam W = 8; typedef struct packed { logic [W-1:0] a, b; } t;
    function automatic t f(input [7:0] x); f.a = x; f.b = ~x; endfunction
    function automatic t g(input [7:0] x); t v; v = '0; v.a = x; v.b = ~x; return v; endfunction
    localparam t K = g(8'h5a); assign wb_dat_r = {f(wb_dat_w[7:0]), K};`,
    "{wb_dat_w[7:0], ~wb_dat_w[7:0], 16'h5aa5}",
  ],
  [
    'methods of enumerations',
    `typedef enum logic [1:0] {A = 2, B = 0, C = 1} t; t s; assign s = t'(wb_dat_w[1:0]);
    assign wb_dat_r = s == C ? s.first() : s == A ? s.last() : t'(wb_dat_w[3:2]);`,
    'wb_dat_w[1:0] == 1 ? 2 : wb_dat_w[1:0] == 2 ? 1 : wb_dat_w[3:2]',
  ],
  [
    'a parameter of the type that another one is',
    'typed t(.a(wb_dat_w[7:0]), .q(wb_dat_r[7:0]), .s(wb_dat_r[8])); assign wb_dat_r[31:9] = 0;',
    "{23'd0, $signed(wb_dat_w[7:0]) < -3, wb_dat_w[7:0] - 8'd3}",
    `module typed #(parameter type t = logic signed [7:0], localparam t LOW = -3) (input t a, output t q, output logic s);
  assign q = a + LOW, s = a < LOW;
endmodule\n`,
  ],
  [
    'streaming, let and default arguments',
    `let twice(x) = x + x; function automatic [7:0] plus(input [7:0] x, input [7:0] y = 3); return x + y; endfunction
    logic [7:0] mirrored; assign mirrored = {<<{wb_dat_w[7:0]}}; assign wb_dat_r = {mirrored, 8'(twice(wb_dat_w[7:0])), plus(wb_dat_w[7:0])};`,
    `{wb_dat_w[0], wb_dat_w[1], wb_dat_w[2], wb_dat_w[3], wb_dat_w[4], wb_dat_w[5], wb_dat_w[6], wb_dat_w[7],
      wb_dat_w[6:0], 1'b0, wb_dat_w[7:0] + 8'd3}`,
  ],
  [
    'case labels of the width of the comparison',
    `localparam [1:0] A = 3; reg [${LABELS.length - 1}:0] y; assign wb_dat_r = y;
    ${LABELS.map(([label], at) => `always @* case (wb_dat_w[4:0]) ${label}: y[${at}] = 1; default: y[${at}] = 0; endcase`).join('\n')}`,
    `{${LABELS.map(([, value]) => `wb_dat_w[4:0] == ${value}`)
      .reverse()
      .join(', ')}}`,
  ],
  [
    'an argument of the width of its parameter',
    `localparam [1:0] A = 3; function [4:0] f(input [4:0] q); f = q; endfunction
    assign wb_dat_r = f(A + 1'b1) + f(wb_dat_w[1:0] + A);`,
    '4 + sum',
    '',
    "wire [4:0] sum = wb_dat_w[1:0] + 5'd3;",
  ],
  ['a directive for the edition', 'assign wb_dat_r = 6;', '6', '`begin_keywords "1800-2009"\n'],
  ['a register behind assign', 'reg [31:0] r; assign r = wb_dat_w; assign wb_dat_r = r;', 'wb_dat_w'],
  [
    'a parameter that is a text',
    'parameter string PARITY = "NONE"; assign wb_dat_r = PARITY == "NONE";',
    '1',
  ],
  [
    'an array of constants, counting down, with an index that has a carry of its own',
    "localparam int unsigned A [3:0] = '{4, 3, 2, 1}; assign wb_dat_r = A[wb_adr[1:0] + wb_adr[3:2]];",
    "i01 + 32'd1",
    '',
    'wire [1:0] i01 = wb_adr[1:0] + wb_adr[3:2];',
  ],
  [
    'one of numbers with a sign',
    "localparam byte A [1:2] = '{-5, 7}; assign wb_dat_r[15:0] = A[wb_adr[0] ? 1 : 2] + $signed(wb_adr[15:0]), wb_dat_r[31:16] = 0;",
    "{16'd0, wb_adr[0] ? wb_adr[15:0] - 16'd5 : wb_adr[15:0] + 16'd7}",
  ],
  [
    'one of two dimensions',
    "localparam logic [7:0] A [2][3:1] = '{'{1, 2, 3}, '{4, 5, 6}}; assign wb_dat_r = A[wb_adr[0]][wb_adr[1] ? 1 : 3];",
    'wb_adr[0] ? wb_adr[1] ? 6 : 4 : wb_adr[1] ? 3 : 1',
  ],
  [
    'ones with values for all and at their places',
    "localparam logic [3:0] A [8] = '{default: 4'd5}; localparam int B [2] = '{1: 3, default: 2}; assign wb_dat_r = A[wb_adr[2:0]] + B[wb_adr[0]];",
    'wb_adr[0] ? 8 : 7',
  ],
  [
    'one with bit and part selects',
    `localparam logic [7:0] A [2] = '{8'h12, 8'h34}; wire [2:0] i = wb_adr[2:0];
    assign wb_dat_r = {A[i[0]][7:4], A[i[0]][i[2:1]], A[i[0]][2 +: 2], A[1][3:0]};`,
    "wb_adr[0] ? {4'd3, wb_adr[2:1] == 2, 2'd1, 4'd4} : {4'd1, wb_adr[2:1] == 1, 2'd0, 4'd4}",
  ],
  [
    'one of an enumeration',
    "typedef enum logic [1:0] {X = 2, Y = 1} t; localparam t A [2] = '{Y, X}; assign wb_dat_r = A[wb_adr[0]] == X;",
    'wb_adr[0]',
  ],
  [
    'ones in a package and in the head of a module',
    `import constants::*; wire [7:0] q;
    for (genvar g = 0; g < 2; g++) begin : l if (A[g] == 2) begin : two part_v #(.N(2)) u(.i(wb_adr[0]), .q(q[3:0])); end end
    assign wb_dat_r = q[3:0] + A[wb_adr[1]] + B;`,
    'wb_adr[1] ? 5 : 4',
    `package constants; localparam N = 2; localparam logic [7:0] A [N] = '{1, 2}; localparam logic [7:0] B = A[1]; endpackage
module part_v #(parameter N = 2, parameter logic [3:0] V [N] = '{default: 4'd1}, parameter int W = 4) (input i, output [W-1:0] q);
  assign q = V[i];
endmodule\n`,
  ],
  [
    'packages that re-export others',
    "import regs::*; word_t r = 0; always_ff @(posedge wb_clk) r <= wb_we ? RESET : word_t'(wb_dat_w); assign wb_dat_r = r;",
    'r',
    `package base; typedef logic [15:0] word_t; endpackage
package regs; import base::*; export base::*; localparam word_t RESET = 5; endpackage\n`,
    'reg [15:0] r = 0; always @(posedge wb_clk) r <= wb_we ? 5 : wb_dat_w;',
  ],
];

const INPUTS = 'input wb_clk, input wb_we, input [21:0] wb_adr, input [31:0] wb_dat_w';

/** Both forms of some constructs, a module for each and one around them. */
function textsOf(constructs: readonly Construct[]): [made: string, meant: string] {
  const around = (name: string) => `module ${name}(${INPUTS}, output [${32 * constructs.length - 1}:0] q);
${constructs.map((_, at) => `  ${name}_${at} u${at}(wb_clk, wb_we, wb_adr, wb_dat_w, q[${32 * at} +: 32]);`).join('\n')}
endmodule\n`;
  const module = (name: string, body: string) =>
    `module ${name}(${INPUTS}, output [31:0] wb_dat_r);\n${body}\nendmodule\n`;
  const made = constructs.map(([, body, , head = ''], at) => head + module(`made_${at}`, body));
  const meant = constructs.map(([, , value, , beside = ''], at) =>
    module(`meant_${at}`, `${beside} assign wb_dat_r = ${value};`),
  );
  return [COMMON + made.join('') + around('made'), meant.join('') + around('meant')];
}

/** Those that are refused or have another meaning, with the reason. All are proved at once: that is where the time goes. */
async function wrong(constructs: readonly Construct[]): Promise<string[]> {
  try {
    await provesSame(...textsOf(constructs));
    return [];
  } catch (error) {
    if (constructs.length === 1) return [`${constructs[0]?.[0]}: ${error}`];
    const half = constructs.length >> 1;
    return [...(await wrong(constructs.slice(0, half))), ...(await wrong(constructs.slice(half)))];
  }
}

test('constructs have the values that the language specifies', async () => {
  expect(await wrong(CONSTRUCTS)).toEqual([]);
});
