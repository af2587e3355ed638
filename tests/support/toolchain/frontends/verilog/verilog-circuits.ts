/** A circuit by the statements of its module, and by what stands before the module. */
export type VerilogCircuit = string | { before: string; body: string };

/** Circuits as Icarus Verilog reads them, by what they have. Their ports: `circuitsTogether`. */
export const VERILOG_CIRCUITS: Readonly<Record<string, VerilogCircuit>> = {
  'a latch without an else': 'reg [7:0] q; always @* if (en) q = c; assign y = q;',
  'a latch with a reset': 'reg [7:0] q; always @* if (rst) q = 0; else if (en) q = c; assign y = q;',
  always_latch: 'logic [7:0] q; always_latch if (en) q <= c; assign y = q;',
  'a latch in a case without a default': `reg [7:0] q; always @* case (n[1:0]) 2'd0: q = c; 2'd1: q = d; 2'd2: q = c ^ d; endcase assign y = q;`,
  'latches for some bits only':
    'reg [7:0] q; always @* begin q[3:0] = c[3:0]; if (en) q[7:4] = d[7:4]; end assign y = q;',
  'a latch that feeds a register':
    'reg [7:0] q, r; always @* if (!en) q = c; always @(posedge clk) r <= q; assign y = {q, r};',
  'an internal tri-state bus': `wire [7:0] bus; assign bus = en ? c : 8'bz; assign bus = !en ? d : 8'bz; assign y = bus;`,
  'a tri-state bus in the hierarchy': {
    before: `module drv(inout [7:0] bus, input oe, input [7:0] v, output [7:0] seen); assign bus = oe ? v : 8'hzz; assign seen = bus; endmodule`,
    body: 'wire [7:0] bus; wire [7:0] s0, s1; drv u0(bus, en, c, s0); drv u1(.bus(bus), .oe(~en), .v(d), .seen(s1)); assign y = {s0, s1, bus};',
  },
  'wand and wor':
    'wand [7:0] w; assign w = c; assign w = d; wor [7:0] o; assign o = c; assign o = d; assign y = {w, o};',
  'gate primitives':
    'wire x, z, q, r, s; and g1(x, en, we, c[0]); nor g2(z, c[0], c[1]); xor (q, c[0], c[1], c[2]); not #1 n1(r, en); nand g3 [7:0] (y[15:8], c, d); buf (s, we); xnor (y[16], en, we); assign y[4:0] = {x, z, q, r, s}; assign y[7:5] = 0; assign y[31:17] = 0;',
  'an array of instances': {
    before: 'module fa(input a, b, ci, output s, co); assign {co, s} = a + b + ci; endmodule',
    body: 'wire [8:0] k; assign k[0] = en; wire [7:0] s; fa u [7:0] (.a(c), .b(d), .ci(k[7:0]), .s(s), .co(k[8:1])); assign y = {k[8], s};',
  },
  'wires with initialisers': `wire [7:0] w = c + d, v = w ^ 8'h0f; wire signed [7:0] s = c; wire [15:0] e = s; assign y = {e, w, v};`,
  'implicit nets': 'assign imp = en & we; assign y = {imp, imp};',
  defparam: {
    before:
      'module cnt_dp #(parameter W = 4, STEP = 1)(input clk, rst, output reg [W-1:0] q); always @(posedge clk) if (rst) q <= 0; else q <= q + STEP; endmodule',
    body: 'wire [6:0] q; wire [3:0] r; cnt_dp u(clk, rst, q); defparam u.W = 7, u.STEP = 3; cnt_dp u1(clk, rst, r); assign y = {q, r};',
  },
  'hierarchical parameters and nets': {
    before: `module hp #(parameter K = 8'h21)(input [7:0] i, output [7:0] o); localparam L = K * 2; wire [7:0] inner = i + L; assign o = inner ^ K; endmodule`,
    body: `wire [7:0] o; hp #(.K(8'h13)) u(c, o); assign y = {u.inner, o};`,
  },
  'an untyped parameter takes the sign of its override': {
    before: `module up #(parameter P = 4'd5)(input signed [7:0] i, output o, output [15:0] v); assign o = i < P; assign v = P; endmodule`,
    body: `wire [2:0] o; wire [15:0] v0, v1, v2; up u0(c, o[0], v0); up #(-1) u1(c, o[1], v1); up #(.P(8'shf0)) u2(c, o[2], v2); assign y = {v1[7:0], v2, o};`,
  },
  'a typed parameter cuts its override': {
    before:
      'module tp #(parameter signed [3:0] P = 0, parameter [2:0] Q = 0, parameter integer R = 0)(input signed [7:0] i, output [7:0] o); assign o = i + P + Q + R; endmodule',
    body: 'wire [7:0] o, p; tp #(12, 9, -3) u(c, o); tp #(.P(-9), .Q(-1)) v(d, p); assign y = {o, p};',
  },
  'localparam arithmetic': `localparam [7:0] X = 8'hff + 1; localparam Y = (8'hff + 1) >> 1; localparam Z = 8'hff + 8'h01; localparam [15:0] V = 8'hff + 8'h01; localparam S = -8'sd5 / 2; localparam T = -5 % 3; localparam integer U = 8'hff * 8'hff; localparam signed [3:0] M = 4'hf; assign y = {X[3:0], Y[8:4], Z[3:0], V[8:7], S[3:0], T[3:0], U[15:12]} + M + c;`,
  'real parameters':
    'localparam real F = 12.0e6; localparam integer DIV = F / 9600 + 0.5; localparam real G = 2.5; localparam [7:0] R = G; localparam integer H = $rtoi(7.9); localparam integer CE = $ceil(3.2); assign y = DIV + c + R + H + CE;',
  'parameters that are texts': {
    before:
      'module tx #(parameter MODE = "SLOW", parameter [31:0] ID = "abc")(input [7:0] i, output [31:0] o); generate if (MODE == "FAST") assign o = {i, ID[23:0]}; else assign o = {ID[7:0], i, ID[15:0]}; endgenerate endmodule',
    body: 'wire [31:0] o, p; tx u(c, o); tx #(.MODE("FAST"), .ID("wxyz")) v(d, p); assign y = o ^ p;',
  },
  'functions with constant arguments':
    'function integer log2(input integer v); begin log2 = 0; for (v = v - 1; v > 0; v = v >> 1) log2 = log2 + 1; end endfunction localparam W = log2(100); localparam D = log2(256); wire [W-1:0] w = c; assign y = {w, D[3:0]};',
  'a recursive function':
    'function automatic [31:0] fact(input [31:0] v); fact = v <= 1 ? 1 : v * fact(v - 1); endfunction localparam F = fact(6); function automatic integer fib(input integer k); if (k < 2) fib = k; else fib = fib(k - 1) + fib(k - 2); endfunction assign y = F + fib(10) + c;',
  'a function of a signal':
    'function [7:0] rev(input [7:0] v); integer i; for (i = 0; i < 8; i = i + 1) rev[i] = v[7 - i]; endfunction function signed [8:0] diff(input signed [7:0] p, q); diff = p - q; endfunction wire signed [15:0] s = diff(c, d); assign y = {s, rev(c), rev(rev(d))};',
  'a function that keeps what it began with': `function [7:0] clip(input [7:0] v); begin clip = v; if (v > 8'h80) clip = 8'h80; else if (v < 8'h10) begin clip = 8'h10; end end endfunction assign y = {clip(c), clip(d)};`,
  'a task with outputs': `reg [7:0] q, r; reg [8:0] s; task addsub(input [7:0] p, input [7:0] k, output [7:0] su, output [7:0] di); begin su = p + k; di = p - k; end endtask task acc; begin s = s + q; end endtask always @* begin addsub(c, d, q, r); s = 9'd1; acc; acc; end assign y = {s, q, r};`,
  'a task that assigns a register': `reg [7:0] q = 3; task step(input [7:0] by); q <= q + by; endtask always @(posedge clk) if (rst) q <= 0; else if (en) step(c); else step(8'd1); assign y = q;`,
  'return from a loop': `function automatic [3:0] lead(input [7:0] v); for (int i = 7; i >= 0; i--) if (v[i]) return 4'(i); return 4'd15; endfunction function automatic logic [7:0] f(logic [7:0] v); if (v == 0) return 8'hff; f = v >> 1; f[7] = ^v; endfunction assign y = {lead(c), f(d)};`,
  'a while loop that ends by a constant':
    'reg [7:0] s; integer i; always @* begin s = 0; i = 0; while (i < 8) begin s = s + (c[i] ? i : 0); i = i + 2; end repeat (3) s = {s[6:0], s[7]}; end assign y = s;',
  'a generate loop that refers to the block before':
    'genvar i; generate for (i = 0; i < 8; i = i + 1) begin : g wire s; if (i == 0) assign s = c[0]; else assign s = g[i-1].s ^ c[i]; assign y[i] = s; end endgenerate assign y[31:8] = g[3].s;',
  'generate with arithmetic of genvars':
    'genvar i, j; generate for (i = 0; i < 4; i = i + 1) for (j = i; j < 4; j = j + 1) begin : p localparam K = i * 4 + j; assign y[K] = c[i] & d[j]; if (i != j) begin assign y[j * 4 + i] = c[j] | d[i]; end end endgenerate assign y[31:16] = 0;',
  'generate case and if': {
    before:
      'module gc #(parameter K = 0)(input [7:0] i, output [7:0] o); generate case (K) 0: assign o = i; 1, 2: begin : b wire [7:0] t = i << K; assign o = t; end default: if (K > 5) assign o = ~i; else assign o = i >> K; endcase endgenerate endmodule',
    body: 'wire [7:0] o [0:4]; gc #(0) u0(c, o[0]); gc #(2) u1(c, o[1]); gc #(4) u2(c, o[2]); gc #(9) u3(d, o[3]); assign y = {o[0], o[1], o[2], o[3]};',
  },
  'a module that instantiates itself': {
    before:
      'module tree #(parameter N = 8)(input [4*N-1:0] i, output [7:0] o); generate if (N == 1) assign o = i; else begin wire [7:0] l, r; tree #(N / 2) lo(i[4*(N/2)-1:0], l); tree #(N - N / 2) hi(i[4*N-1:4*(N/2)], r); assign o = l + r; end endgenerate endmodule',
    body: 'wire [7:0] o, p; tree u(a, o); tree #(5) v(b[19:0], p); assign y = {o, p};',
  },
  'a loop with a step of its own':
    'genvar k; generate for (k = 1; k <= 16; k = k * 2) begin : st assign y[k] = c[k % 8] ^ d[(k >> 1) % 8]; end endgenerate assign y[0] = 0; assign y[3] = 0; assign y[7:5] = 0; assign y[15:9] = 0; assign y[31:17] = 0;',
  'an enum in a state machine':
    'typedef enum { IDLE, RUN, STOP } st_t; st_t st; reg [7:0] k; always_ff @(posedge clk or posedge rst) if (rst) begin st <= IDLE; k <= 0; end else case (st) IDLE: if (en) st <= RUN; RUN: begin k <= k + 1; if (we) st <= STOP; end STOP: begin st <= IDLE; k <= k ^ c; end endcase assign y = {st, k}; initial begin st = IDLE; k = 0; end',
  'a shift register of an array': `logic [7:0] s [0:3]; initial for (int i = 0; i < 4; i++) s[i] = 8'(i * 3); always_ff @(posedge clk) if (en) begin for (int i = 3; i > 0; i--) s[i] <= s[i-1]; s[0] <= c; end assign y = {s[0], s[1], s[2], s[3]};`,
  '2-state types':
    'byte s; shortint t; int i; bit [3:0] u; assign s = c; assign t = s; assign i = t * 3; assign u = n; longint l; assign l = i; assign y = l + u + (s < 0 ? 100 : 200);',
  'part selects with a variable base': `assign y = {a[n +: 4], a[{1'b1, n} -: 8], b[{m, 1'b0} +: 8]};`,
  'part selects partly out of range are read': 'wire [15:0] v = a[15:0]; assign y = {v[n +: 8], v[n -: 8]};',
  'part selects partly out of range are written':
    'reg [15:0] p, q; always @* begin p = a[15:0]; q = b[15:0]; p[n +: 8] = c; q[n -: 8] = d; end assign y = {p, q};',
  'ascending vectors': `reg [0:15] p, q; wire [0:15] v = b[15:0]; always @* begin p = a[15:0]; q = b[15:0]; p[n +: 8] = c; q[n -: 8] = d; end assign y = {p ^ {v[4:7], v[n[2:0] +: 4], v[m], v[2:3], 5'd0}, q};`,
  'vectors with negative bounds':
    'reg [7:-8] p; reg [-4:11] q; wire signed [4:0] k = c[4:0]; always @* begin p = a[15:0]; q = b[15:0]; p[k] = en; q[k +: 4] = d[3:0]; end assign y = {p, q} ^ p[-3 +: 5];',
  'bits at a signed index':
    'reg [7:0] p; wire signed [3:0] k = n; always @* begin p = c; p[k] = en; p[k - 2] = we; end assign y = p;',
  'a part select as the target of a register': `reg [31:0] q = 0; always @(posedge clk) if (rst) q <= 32'h12345678; else begin if (en) q[8 * n[1:0] +: 8] <= c; if (we) q[m * 3 +: 5] <= d[4:0]; end assign y = q;`,
  'concatenations as targets': `reg [7:0] p, q; reg k; reg [15:0] s; always @* begin {k, p} = c + d; {q[3:0], q[7:4]} = c; {s[3:0], s[n[2:0] + 4]} = 5'h1f; s[15:12] = 0; end always @(posedge clk) if (0) s <= 0; assign y = {k, p, q};`,
  'a carry of a sum': `wire [7:0] s, t; wire co, bo; assign {co, s} = c + d + en; assign {bo, t} = {1'b0, c} - d; assign y = {co, s, bo, t};`,
  'a memory with byte enables': `reg [31:0] mem [0:15]; integer i; initial for (i = 0; i < 16; i = i + 1) mem[i] = i * 32'h01010101; reg [31:0] q; always @(posedge clk) begin for (i = 0; i < 4; i = i + 1) if (c[i]) mem[n][8*i +: 8] <= a[8*i +: 8]; q <= mem[m]; end assign y = q;`,
  'a memory with two write ports in one block':
    'reg [7:0] mem [0:15]; integer i; initial for (i = 0; i < 16; i = i + 1) mem[i] = i; reg [7:0] q; always @(posedge clk) begin if (en) mem[n] <= c; if (we) mem[m] <= d; q <= mem[a[3:0]]; end assign y = q;',
  'a memory that reads the new data':
    'reg [7:0] mem [0:15]; integer i; initial for (i = 0; i < 16; i = i + 1) mem[i] = ~i; reg [3:0] ra; always @(posedge clk) begin if (we) mem[n] <= c; ra <= m; end assign y = mem[ra];',
  'a memory with blocking writes before the read':
    'reg [7:0] mem [0:15]; integer i; initial for (i = 0; i < 16; i = i + 1) mem[i] = i + 5; reg [7:0] q; always @(posedge clk) begin if (we) mem[n] = c; q <= mem[m]; end assign y = q;',
  'a memory with an asynchronous read':
    'reg [7:0] mem [0:15]; integer i; initial for (i = 0; i < 16; i = i + 1) mem[i] = i << 3; always @(posedge clk) if (we) mem[n] <= c; assign y = {mem[n], mem[m]};',
  'a memory of ten words at addresses beyond':
    'reg [7:0] mem [0:9]; integer i; initial for (i = 0; i < 10; i = i + 1) mem[i] = i * 7; reg [7:0] q; always @(posedge clk) begin if (we) mem[n] <= c; q <= mem[m % 10]; end assign y = q;',
  'a memory with a wider address':
    'reg [7:0] mem [0:15]; integer i; initial for (i = 0; i < 16; i = i + 1) mem[i] = i * 9; reg [7:0] q; always @(posedge clk) begin if (we) mem[c[5:0]] <= d; q <= mem[m]; end assign y = q;',
  'a memory of 256 words with a wider address':
    'reg [15:0] mem [0:255]; integer i; initial for (i = 0; i < 256; i = i + 1) mem[i] = i * 259; reg [15:0] q; always @(posedge clk) begin if (we) mem[{n[1:0], c}] <= a[15:0]; if (en) q <= mem[d]; end assign y = q;',
  'a memory that begins at another word':
    'reg [7:0] mem [16:31]; reg [7:0] dn [9:2]; integer i; initial begin for (i = 16; i < 32; i = i + 1) mem[i] = i; for (i = 2; i < 10; i = i + 1) dn[i] = i * 5; end reg [7:0] q, r; always @(posedge clk) begin if (we) mem[c[4:0]] <= d; if (en) dn[n] <= c; q <= mem[16 + m]; r <= dn[2 + m[2:0]]; end assign y = {q, r};',
  'a memory that a reset clears':
    'reg [7:0] mem [0:7]; integer i; always @(posedge clk or posedge rst) if (rst) for (i = 0; i < 8; i = i + 1) mem[i] <= i; else if (we) mem[n[2:0]] <= c; initial for (i = 0; i < 8; i = i + 1) mem[i] = 0; assign y = {mem[m[2:0]], mem[0], mem[7]};',
  'a memory of two dimensions':
    'reg [7:0] mem [0:3][0:3]; integer i, j; initial for (i = 0; i < 4; i = i + 1) for (j = 0; j < 4; j = j + 1) mem[i][j] = i * 16 + j; reg [7:0] q; always @(posedge clk) begin if (we) mem[n[1:0]][n[3:2]] <= c; q <= mem[m[1:0]][m[3:2]]; end assign y = q;',
  'a memory with an enabled read and a reset of its output': `reg [7:0] mem [0:255]; integer i; initial for (i = 0; i < 256; i = i + 1) mem[i] = i ^ 8'h3c; reg [7:0] q = 8'h77; always @(posedge clk) begin if (we) mem[c] <= d; if (rst) q <= 8'h5a; else if (en) q <= mem[d]; end assign y = q;`,
  'a memory at the falling edge':
    'reg [7:0] mem [0:255]; integer i; initial for (i = 0; i < 256; i = i + 1) mem[i] = i * 3; reg [7:0] q; always @(negedge clk) begin if (we) mem[c] <= a[7:0]; q <= mem[d]; end assign y = q;',
  'a memory with a port of two edges':
    'reg [7:0] mem [0:255]; integer i; initial for (i = 0; i < 256; i = i + 1) mem[i] = i * 3; reg [7:0] q; always @(posedge clk) if (we) mem[c] <= a[7:0]; always @(negedge clk) q <= mem[d]; assign y = q;',
  'a memory with parts written in several places':
    'reg [15:0] mem [0:15]; integer i; initial for (i = 0; i < 16; i = i + 1) mem[i] = i; reg [15:0] q; always @(posedge clk) begin if (en) mem[n][7:0] <= c; if (we) mem[n][15:8] <= d; if (en & we) mem[m] <= a[15:0]; q <= mem[n]; end assign y = q;',
  'a table in a case': `reg [7:0] q; always @(posedge clk) case (n) 0: q <= 8'h3f; 1: q <= 8'h06; 2: q <= 8'h5b; 3: q <= 8'h4f; 4: q <= 8'h66; 5: q <= 8'h6d; 6: q <= 8'h7d; 7: q <= 8'h07; 8: q <= 8'h7f; 9: q <= 8'h6f; default: q <= 0; endcase assign y = q;`,
  'a table that an initial block computes':
    'reg [15:0] rom [0:63]; integer i, t; initial begin t = 1; for (i = 0; i < 64; i = i + 1) begin rom[i] = t; t = (t * 75 + 74) % 65537; end end reg [15:0] q; always @(posedge clk) q <= rom[c[5:0]]; assign y = {q, rom[d[5:0]]};',
  casez: `reg [3:0] q; always @* casez (c) 8'b1???????: q = 7; 8'b01??????: q = 6; 8'b001?????: q = 5; 8'bzzzz1zzz: q = 3; 8'b????_?1?1: q = 9; default: q = 15; endcase assign y = q;`,
  casex: `reg [3:0] q; always @* casex (c) 8'b1xxxxxxx: q = 7; 8'b0x1xxxx0: q = 6; 8'bx0x0_xx11: q = 5; default: q = 1; endcase assign y = q;`,
  'case of one': `reg [3:0] q; always @* case (1'b1) c[0]: q = 1; c[1] & d[0]: q = 2; c > d: q = 3; default: q = 4; endcase assign y = q;`,
  'a case with signed labels': `wire signed [3:0] s = n; reg [3:0] q; always @* case (s) -1: q = 1; -8: q = 2; 4'sd3: q = 3; 7: q = 4; 4'd9: q = 6; default: q = 5; endcase assign y = q;`,
  'a case with wider labels': `reg [3:0] q; always @* case (n) 4'd1: q = 1; 8'h12: q = 2; 5'b10011: q = 3; 15: q = 4; -1: q = 8; default: q = 5; endcase assign y = q;`,
  'a case with repeated labels':
    'reg [3:0] q; always @* case (n) 1, 2: q = 1; 2, 3: q = 2; 1: q = 7; default: q = 5; endcase assign y = q;',
  'signed division': 'wire signed [7:0] p = c, q = d; assign y = {p / q, p % q, p >>> n[2:0], p * q};',
  'signed and unsigned': `wire signed [7:0] p = c; wire [7:0] q = d; wire signed [15:0] w = p; assign y = {p < q, p < $signed(q), p > -3, p > 8'd3, w + q, (en ? p : q) + 9'sd0, p[7:0] < -3, {p} > 8'sd1};`,
  'a sum that a ternary extends':
    'wire signed [7:0] p = c, q = d; wire signed [15:0] z = en ? p : q; wire [15:0] z2 = en ? p : d; assign y = {z, z2};',
  'differences and comparisons': `assign y = {c - d < 0, c - d > 100, (c - d) >> 1, $signed(c - d) < 0, 8'(c - d) < 8'd128, {1'b0, c} - {1'b0, d} > 9'h100};`,
  shifts: `assign y = {c << n, 8'h80 >> n, $signed(c) >>> n, c >>> n[2:0], 4'd1 << n[1:0]};`,
  negations:
    'wire [3:0] u = -n; wire [7:0] w = -n; wire signed [7:0] s = -$signed(n); wire [7:0] k = ~n; assign y = {u, w, s, k};',
  'system functions':
    'assign y = {$countones(c), $onehot(d), $onehot0(c), $bits(a) == 32, $clog2(37), $signed(n) < 0, $unsigned(-n) > 3};',
  'functions of arrays': `logic [7:0] t [2:5]; logic [3:0][6:1] p; assign y = {4'($size(t)), 4'($left(t)), 4'($right(t)), 4'($low(t)), 4'($high(p)), 4'($size(p, 2)), 4'($dimensions(p)), 4'($increment(t) + 3)} + c;`,
  'assignments with operators': `logic [7:0] q; logic signed [7:0] s; always_comb begin q = c; q += d; q <<= 1; q ^= 8'h3c; q -= n; q |= 8'h01; s = c; s >>>= 2; s *= 3; q %= 100; q++; --s; end assign y = {q, s};`,
  'increments within expressions': `int i, k; always_comb begin i = int'(n); k = i++ + 2; k = k * ++i; end assign y = {k[15:0], i[15:0]};`,
  'logic of words':
    'assign y = {c && d, c || d, !c, ^c, ~^d, &c, |d, ~&c, ~|d, c == d, c != d, en ? we ? c : d : ~c};',
  fills: `logic [7:0] p, q; assign p = '1; assign q = '0; assign y = {p ^ c, q | d, {4{en}}, {2{n[1:0], we}}, c == '1};`,
  'an asynchronous reset that is low': `wire rst_n = ~rst; reg [7:0] q = 0; always @(posedge clk or negedge rst_n) if (!rst_n) q <= 8'h33; else if (en) q <= q + c; assign y = q;`,
  'a gated reset':
    'reg clear = 0; reg [7:0] q = 1; wire r = rst | clear; always @(posedge clk) clear <= en & c[0]; always @(posedge clk or posedge r) if (r) q <= 0; else q <= q + 3; assign y = {clear, q};',
  'both edges':
    'reg [7:0] p = 0, q = 0; always @(negedge clk) p <= c ^ q; always @(posedge clk) q <= p + d; assign y = {p, q};',
  'a divided clock':
    'reg [1:0] div = 0; always @(posedge clk) div <= div + 1; wire slow = div[1]; reg [7:0] q = 0; always @(posedge slow) q <= q + 5; assign y = {div, q};',
  'an inverted clock':
    'wire nclk = ~clk; reg [7:0] q = 0; always @(posedge nclk) if (en) q <= q + c; assign y = q;',
  'initial values': `reg [7:0] p = 8'ha5, q, r; initial q = 8'h3c; initial begin r = 8'h01; r = r + 8'h10; r[7] = 1; end always @(posedge clk) begin if (en) p <= {p[6:0], p[7]}; if (we) q <= q + 1; r <= {r[0], r[7:1]}; end assign y = {p, q, r};`,
  'blocking assignments in a clocked block': `reg [7:0] t, q = 0, r = 0; always @(posedge clk) begin t = c + d; if (en) t = t ^ 8'hff; q <= t; r <= q; end assign y = {q, r};`,
  'a variable that lasts from clock to clock':
    'reg [7:0] q = 0; always @(posedge clk) begin : blk reg [7:0] t; if (rst) t = 0; else if (en) t = t + 3; q <= t; end assign y = q;',
  'registers in parts by two blocks':
    'reg [7:0] q = 0; always @(posedge clk) q[3:0] <= c[3:0]; always @(posedge clk) if (en) q[7:4] <= q[3:0]; assign y = q;',
  'the last assignment wins':
    'reg [7:0] q = 0; always @(posedge clk) begin q <= q + 1; if (en) q <= c; q[0] <= we; if (rst) q <= 0; end assign y = q;',
  'integers as registers':
    'integer k = 0; reg [7:0] q = 0; always @(posedge clk) if (rst || k == 9) k <= 0; else begin k <= k + 1; if (k > 4) q <= k * 3; end assign y = {k[7:0], q};',
  'a package': {
    before: `package pk; localparam W = 6; typedef logic [W-1:0] w_t; typedef enum logic [1:0] { X, Y, Z } e_t; function automatic w_t twice(w_t v); return v << 1; endfunction parameter w_t K = 6'h2a; endpackage`,
    body: 'import pk::*; w_t w; e_t e; always_comb begin w = twice(c[5:0]) ^ pk::K; case (n[1:0]) 0: e = X; 1: e = Y; default: e = pk::Z; endcase end assign y = {e, w};',
  },
  macros: `\`define ADD(x, y) ((x) + (y))
\`define PASTE(p, q) p\`\`q
\`define W 8
wire [\`W-1:0] sum_one = \`ADD(c, d); wire [\`W-1:0] z = \`PASTE(sum_, one) * 2;
\`ifdef NOT_DEFINED
assign y = 0;
\`else
assign y = {z, \`ADD(n, 4'd3)};
\`endif
`,
  'a FIFO': `reg [7:0] mem [0:7]; reg [3:0] w = 0, r = 0; wire full = w[2:0] == r[2:0] && w[3] != r[3]; wire empty = w == r; always @(posedge clk) if (rst) begin w <= 0; r <= 0; end else begin if (we && !full) begin mem[w[2:0]] <= c; w <= w + 1; end if (en && !empty) r <= r + 1; end assign y = {empty ? 8'd0 : mem[r[2:0]], full, empty, w - r};`,
  'a CRC': `function [7:0] crc8(input [7:0] cr, input [7:0] v); integer i; begin crc8 = cr ^ v; for (i = 0; i < 8; i = i + 1) crc8 = crc8[7] ? (crc8 << 1) ^ 8'h07 : crc8 << 1; end endfunction reg [7:0] q = 0; always @(posedge clk) if (rst) q <= 0; else if (en) q <= crc8(q, c); assign y = q;`,
  'binary to BCD': `reg [19:0] t; integer i; always @* begin t = {12'd0, c}; for (i = 0; i < 8; i = i + 1) begin if (t[11:8] >= 5) t[11:8] = t[11:8] + 3; if (t[15:12] >= 5) t[15:12] = t[15:12] + 3; if (t[19:16] >= 5) t[19:16] = t[19:16] + 3; t = t << 1; end end assign y = t[19:8];`,
  'a divider': `reg [15:0] rq = 0; reg [7:0] dv = 1; reg [3:0] k = 0; wire [8:0] sub = rq[15:7] - {1'b0, dv}; always @(posedge clk) if (k == 0) begin if (en) begin rq <= {8'd0, c}; dv <= d; k <= 8; end end else begin k <= k - 1; if (!sub[8]) rq <= {sub[7:0], rq[6:0], 1'b1}; else rq <= {rq[14:0], 1'b0}; end assign y = {k, rq};`,
  'a UART transmitter': `localparam DIV = 3; reg [9:0] sh = 10'h3ff; reg [3:0] bits = 0; reg [$clog2(DIV)-1:0] t = 0; wire busy = |bits; always @(posedge clk) if (rst) begin bits <= 0; sh <= ~0; t <= 0; end else if (!busy) begin if (en) begin sh <= {1'b1, c, 1'b0}; bits <= 10; t <= DIV - 1; end end else if (t == 0) begin t <= DIV - 1; sh <= {1'b1, sh[9:1]}; bits <= bits - 1'b1; end else t <= t - 1; assign y = {busy, sh[0], bits, t};`,
  'a round robin arbiter': `reg [3:0] last = 1; wire [3:0] req = n; wire [7:0] dbl = {req, req}; wire [7:0] gnt2 = dbl & ~(dbl - {4'd0, last}); wire [3:0] gnt = gnt2[3:0] | gnt2[7:4]; always @(posedge clk) if (|req) last <= {gnt[2:0], gnt[3]}; assign y = {gnt, last};`,
  'a pulse width': `reg [7:0] k = 0, top = 8'h40; reg o = 0; always @(posedge clk) begin if (we) top <= c; k <= k + 8'd13; o <= k < top; end assign y = {o, k};`,
  'a saturating sum': `wire signed [7:0] p = c, q = d; wire signed [8:0] s = p + q; wire signed [7:0] r = s > 127 ? 8'sd127 : s < -128 ? -8'sd128 : s[7:0]; assign y = {s, r};`,
  'a multiply and accumulate':
    'reg signed [23:0] acc = 0; wire signed [7:0] p = c, q = d; always @(posedge clk) if (rst) acc <= 0; else if (en) acc <= acc + p * q; assign y = acc >>> 4;',
  'a square root': `function automatic [7:0] root(input [15:0] v); reg [15:0] r, bit_; integer i; begin r = 0; root = 0; for (i = 7; i >= 0; i = i - 1) begin bit_ = (root | (16'd1 << i)); if (bit_ * bit_ <= v) root = bit_; end end endfunction assign y = root(a[15:0]);`,
  'a sorting network':
    'reg [3:0] v [0:3]; reg [3:0] t; integer i, j; always @* begin for (i = 0; i < 4; i = i + 1) v[i] = a[4*i +: 4]; for (i = 0; i < 3; i = i + 1) for (j = 0; j < 3 - i; j = j + 1) if (v[j] > v[j+1]) begin t = v[j]; v[j] = v[j+1]; v[j+1] = t; end end assign y = {v[3], v[2], v[1], v[0]};',
  'Gray code':
    'reg [7:0] k = 0; wire [7:0] g = k ^ (k >> 1); reg [7:0] bk; integer i; always @* begin bk[7] = g[7]; for (i = 6; i >= 0; i = i - 1) bk[i] = bk[i+1] ^ g[i]; end always @(posedge clk) if (en) k <= k + 1; assign y = {g, bk};',
  'a shift register with a tap': `reg [15:0] lfsr = 16'hace1; always @(posedge clk) if (rst) lfsr <= 16'hace1; else lfsr <= {lfsr[14:0], lfsr[15] ^ lfsr[13] ^ lfsr[12] ^ lfsr[10]}; assign y = {lfsr, lfsr[n]};`,
  'signed by a name': `typedef logic signed [7:0] s8; s8 p, q, r [0:1]; assign p = c; assign q = d; function automatic s8 half(s8 v); return v >>> 1; endfunction always_comb begin r[0] = half(p) + q; r[1] = p < q ? p : -q; r[n[0]][m[2:0]] = en; end assign y = {p < 0, q[7:4] > 3, r[0] < r[1], p * q, p[3:0] < 0, s8'(c + d) < 0, r[1]};`,
  'a signed enum':
    'typedef enum logic signed [3:0] { N = -2, Z = 0, P = 3 } e_t; e_t e; always_comb if (en) e = N; else if (we) e = P; else e = Z; wire signed [7:0] w = e; int i; assign i = e; assign y = {w, e < 0, i < 0, i[7:0] + c};',
  'an enum of int with negative values':
    'typedef enum int { L = -5, M0, M1, H = 100 } e_t; e_t e; always_comb case (n[1:0]) 0: e = L; 1: e = M0; 2: e = M1; default: e = H; endcase assign y = e + (e < M1 ? 1000 : 0);',
  'a function that changes a variable outside':
    'logic [7:0] k; function automatic [7:0] bump(input [7:0] by); k = k + by; return k; endfunction logic [7:0] p, q; always_comb begin k = c; p = bump(1) ^ bump(d); q = k; end assign y = {p, q};',
  'a function that reads a signal outside': `wire [7:0] w = c ^ d; function [7:0] f(input [7:0] v); f = v + w; endfunction assign y = f(8'd3);`,
  'a static variable in a function':
    'function automatic [7:0] f(input [7:0] v); logic [7:0] t; t = v; t[7:4] = t[3:0]; f = t; f[0] = 1; endfunction assign y = {f(c), f(d)};',
  'overlapping parts':
    'reg [7:0] q = 0; always @(posedge clk) begin q[7:2] <= c[5:0]; q[5:1] <= d[4:0]; if (en) q[n[2:0]] <= we; q[m[2:0]] <= ~we; end assign y = q;',
  'a swap':
    'reg [7:0] p = 1, q = 2; always @(posedge clk) if (en) {p, q} <= {q, p}; else begin p <= q + c; q <= p ^ d; end assign y = {p, q};',
  'an array assigned at once in a clocked block':
    'reg [7:0] t [0:3]; reg [7:0] q; integer i; initial for (i = 0; i < 4; i = i + 1) t[i] = 0; always @(posedge clk) begin t[0] = c; for (i = 1; i < 4; i = i + 1) if (d[i]) t[i] = t[i-1] + 1; q <= t[n[1:0]]; end assign y = q;',
  'fields in a concatenation': `typedef struct packed { logic [3:0] p; logic [7:0] q; } s_t; s_t s; logic [3:0] z; logic [7:0] w; always_comb begin w = 0; {s.q[3:0], z, s.p} = c + 12'(d) * 3; {s.q[7:4], w[n[2:0]]} = m; end assign y = {s, z, w};`,
  'a memory cell that counts':
    'reg [7:0] t [0:15]; integer i; initial for (i = 0; i < 16; i = i + 1) t[i] = 0; always @(posedge clk) if (rst) t[n] <= 0; else if (en) t[n] <= t[n] + c; assign y = t[m];',
  'blocks for bits':
    'logic [7:0] q, r; for (genvar i = 7; i >= 0; i--) begin always_comb q[i] = c[i] ^ (i % 3 == 0 ? d[7-i] : en); if (i & 1) assign r[i] = q[i-1]; else assign r[i] = ~q[i+1]; end assign y = {q, r};',
  'a memory of byte lanes': `logic [3:0][7:0] mem [0:255]; logic [31:0] q; initial for (int i = 0; i < 256; i++) mem[i] = i * 32'h01030507; always_ff @(posedge clk) begin for (int i = 0; i < 4; i++) if (n[i]) mem[c][i] <= a[8*i +: 8]; if (en) q <= mem[d]; end assign y = q;`,
  'byte lanes in generated blocks': `reg [31:0] mem [0:255]; reg [31:0] q; integer k; initial for (k = 0; k < 256; k = k + 1) mem[k] = k * 32'h10204081; genvar i; generate for (i = 0; i < 4; i = i + 1) begin : lane always @(posedge clk) if (we & n[i]) mem[c][8*i +: 8] <= a[8*i +: 8]; end endgenerate always @(posedge clk) q <= mem[d]; assign y = q;`,
  'a memory of half bytes':
    'reg [15:0] mem [0:63]; reg [15:0] q; integer i; initial for (i = 0; i < 64; i = i + 1) mem[i] = i * 1111; always @(posedge clk) begin for (i = 0; i < 4; i = i + 1) if (n[i]) mem[c[5:0]][4*i +: 4] <= a[4*i +: 4]; q <= mem[d[5:0]]; end assign y = q;',
  'a memory with enables for bits':
    'reg [7:0] mem [0:255]; reg [7:0] q; integer i; initial for (i = 0; i < 256; i = i + 1) mem[i] = i + 3; always @(posedge clk) begin for (i = 0; i < 8; i = i + 1) if (b[i]) mem[c][i] <= a[i]; q <= mem[d]; end assign y = q;',
  'a memory of one bit':
    'reg mem [0:1023]; reg q; integer i; initial for (i = 0; i < 1024; i = i + 1) mem[i] = ^i; always @(posedge clk) begin if (we) mem[{n[1:0], c}] <= en; q <= mem[{m[1:0], d}]; end assign y = q;',
  'a memory of 33 bits': `reg [32:0] mem [0:127]; reg [32:0] q; integer i; initial for (i = 0; i < 128; i = i + 1) mem[i] = {i[0], 32'h55aa1234 ^ (i << 13)}; always @(posedge clk) begin if (we) mem[c[6:0]] <= {en, a}; q <= mem[d[6:0]]; end assign y = q[32:1] ^ q[0];`,
  'a memory of 600 words':
    'reg [7:0] mem [0:599]; reg [7:0] q; integer i; initial for (i = 0; i < 600; i = i + 1) mem[i] = i ^ (i >> 4); always @(posedge clk) begin if (we) mem[{n[1:0], c}] <= a[7:0]; if ({m[1:0], d} < 600) q <= mem[{m[1:0], d}]; end assign y = q;',
  'a memory of 2048 words':
    'reg [3:0] mem [0:2047]; reg [3:0] q; integer i; initial for (i = 0; i < 2048; i = i + 1) mem[i] = i % 13; always @(posedge clk) begin if (we) mem[{n[2:0], c}] <= a[3:0]; q <= mem[{m[2:0], d}]; end assign y = q;',
  'a memory with one address for both':
    'reg [15:0] mem [0:255]; reg [15:0] q; integer i; initial for (i = 0; i < 256; i = i + 1) mem[i] = i * 77; always @(posedge clk) if (en) begin if (we) mem[c] <= a[15:0]; q <= mem[c]; end assign y = q;',
  'a memory that writes first':
    'reg [15:0] mem [0:255]; reg [15:0] q; integer i; initial for (i = 0; i < 256; i = i + 1) mem[i] = i * 77; always @(posedge clk) if (en) begin if (we) begin mem[c] <= a[15:0]; q <= a[15:0]; end else q <= mem[c]; end assign y = q;',
  'a memory that reads nothing while it writes':
    'reg [15:0] mem [0:255]; reg [15:0] q = 0; integer i; initial for (i = 0; i < 256; i = i + 1) mem[i] = i * 77; always @(posedge clk) if (we) mem[c] <= a[15:0]; else q <= mem[c]; assign y = q;',
  'a memory with two reads':
    'reg [15:0] mem [0:255]; reg [15:0] q, r; integer i; initial for (i = 0; i < 256; i = i + 1) mem[i] = i * 77; always @(posedge clk) begin if (we) mem[c] <= a[15:0]; q <= mem[d]; if (en) r <= mem[b[7:0]]; end assign y = {q, r};',
  'a memory with a registered output':
    'reg [15:0] mem [0:255]; reg [15:0] q = 0, r = 0; integer i; initial for (i = 0; i < 256; i = i + 1) mem[i] = i * 77; always @(posedge clk) begin if (we) mem[c] <= a[15:0]; q <= mem[d]; r <= q; end assign y = {q, r};',
  'a memory with part initial contents': `reg [7:0] mem [0:255]; reg [7:0] q; initial begin mem[3] = 8'h11; mem[200] = 8'h22; mem[255] = 8'hff; end always @(posedge clk) begin if (we) mem[c] <= a[7:0]; q <= mem[d]; end assign y = q;`,
  'a memory with a reset of its address':
    'reg [7:0] mem [0:255]; reg [7:0] ra = 0; integer i; initial for (i = 0; i < 256; i = i + 1) mem[i] = ~i; always @(posedge clk) begin if (we) mem[c] <= a[7:0]; if (rst) ra <= 0; else if (en) ra <= d; end assign y = mem[ra];',
  'a memory in two blocks with two clocks edges':
    'reg [7:0] mem [0:255]; reg [7:0] q; integer i; initial for (i = 0; i < 256; i = i + 1) mem[i] = ~i; always @(negedge clk) if (we) mem[c] <= a[7:0]; always @(posedge clk) q <= mem[d]; assign y = q;',
  'two memories that copy':
    'reg [7:0] p [0:15], q [0:15]; integer i; initial for (i = 0; i < 16; i = i + 1) begin p[i] = i; q[i] = ~i; end always @(posedge clk) begin if (en) q[n] <= p[m]; if (we) p[m] <= c; end assign y = {p[n], q[m]};',
  'a register without the reset of its block':
    'reg [7:0] p = 1, q = 2; always @(posedge clk or posedge rst) if (rst) p <= 0; else begin p <= p + 1; q <= q + c; end assign y = {p, q};',
  'an asynchronous reset with an initial value': `reg [7:0] p = 8'hff, q; initial q = 8'h81; always @(posedge clk or posedge rst) if (rst) begin p <= 8'h0f; q <= 8'hf0; end else if (en) begin p <= p + c; q <= {q[6:0], q[7]}; end assign y = {p, q};`,
  'a synchronous reset in a nested if': `reg [7:0] p = 8'hff; always @(posedge clk) if (en) begin if (rst) p <= 8'h3c; else if (we) p <= p + 1; end else if (c[0]) p <= d; assign y = p;`,
  'an asynchronous reset of an array': `reg [7:0] t [0:3]; integer i; initial for (i = 0; i < 4; i = i + 1) t[i] = i; always @(posedge clk or posedge rst) if (rst) for (i = 0; i < 4; i = i + 1) t[i] <= 8'hf0 + i; else if (we) t[n[1:0]] <= c; assign y = {t[0], t[1], t[2], t[3]};`,
  'a clock enable by a divider':
    'reg [2:0] k = 0; wire tick = k == 4; reg [7:0] q = 0; always @(posedge clk) begin k <= tick ? 0 : k + 1; if (tick) q <= q + c; end assign y = {k, q};',
  'a clock from a register, data from the other edge':
    'reg half = 0; reg [7:0] p = 0, q = 0; always @(posedge clk) half <= ~half; always @(negedge half) q <= q + p; always @(negedge clk) p <= c; assign y = {half, p, q};',
  'a ripple counter':
    'reg [3:0] k = 0; always @(posedge clk) k[0] <= ~k[0]; always @(negedge k[0]) k[1] <= ~k[1]; always @(negedge k[1]) k[2] <= ~k[2]; always @(negedge k[2]) k[3] <= ~k[3]; assign y = k;',
  'ports with the width of others': {
    before:
      'module pw(input signed [11:0] i, input [3:0] j, output [15:0] o, output signed [5:0] s); assign o = {i, j}; assign s = i; endmodule',
    body: 'wire signed [7:0] p = c; wire [11:0] cut; wire signed [9:0] w; pw u(.i(p), .j(d), .o(cut), .s(w)); wire [19:0] wide; wire [2:0] nar; pw v(.i(c), .j(n[1:0]), .o(wide), .s(nar)); assign y = {cut[11:4], w[9:4], nar, wide[14:0]};',
  },
  'ports without connections': {
    before: `module nc(input [7:0] i, input [7:0] k, output [7:0] o, output [7:0] z); assign o = i ^ 8'h0f; assign z = i; endmodule`,
    body: 'wire [7:0] o; nc u(.i(c), .k(), .o(o), .z()); assign y = o;',
  },
  'ports in the older form': {
    before:
      'module old(ck, i, o, s); parameter W = 4; input ck; input [W-1:0] i; output [W-1:0] o; output s; reg [W-1:0] o; reg signed [W:0] k; wire s = k[W]; initial begin o = 0; k = 0; end always @(posedge ck) begin o <= o + i; k <= k - i; end endmodule',
    body: 'wire [7:0] o; wire [3:0] p; wire s, t; old #(8) u(clk, c, o, s); old v(.ck(clk), .i(n), .o(p), .s(t)); assign y = {o, p, s, t};',
  },
  'an inout through two modules': {
    before: `module pin1(inout p, input o, input t, output i); assign p = t ? 1'bz : o; assign i = p; endmodule module pin4(inout [3:0] p, input [3:0] o, t, output [3:0] i); pin1 u[3:0] (.p(p), .o(o), .t(t), .i(i)); endmodule`,
    body: 'wire [3:0] bus; wire [3:0] i0, i1; pin4 u0(bus, c[3:0], n, i0); pin4 u1(bus, d[3:0], ~n, i1); assign y = {i0, i1};',
  },
  'names that differ in case': 'wire [7:0] V = c, v = d; wire [7:0] Clk = V - v; assign y = {V, v, Clk};',
  'a name in an inner block':
    'reg [7:0] t, r; always @* begin t = c; begin : inner reg [7:0] t; t = d; r = t; end t = t + 1; end assign y = {t, r};',
  'implied names of generated blocks':
    'generate if (1) begin wire [7:0] x = c; end if (1) begin wire [7:0] x = d; end endgenerate assign y = {genblk1.x, genblk2.x};',
  'parts of parameters': `localparam [15:0] P = 16'hb5c3; localparam signed [7:0] S = -3; localparam M = ~4'd3, N = ~3, K = -4'd1, L = 1 << 33 >> 32, H = 33'd1 << 33 >> 32; assign y = {P[7:4], P[n], P[m +: 2], S[7:6], S < 0, M > 12, N > 12, K == 15, L[1:0], H[1:0], {3{P[0]}}, |P[15:12]} ^ c;`,
  'texts as vectors': `reg [8*5:1] s = "hello"; wire [15:0] t = "AB" + 1; localparam P = "xyz"; assign y = {s[8*n[1:0] + 1 +: 8], t[7:0], P[8*m[0] +: 8], {"z"} - 8'd1};`,
  'a value of more than 64 bits': `wire [99:0] w = {a, b, a, 4'h5}; wire [99:0] v = w * 3 + {c, 90'd0}; wire [127:0] z = w << n; assign y = v[99:68] ^ v[40:9] ^ z[110:79];`,
  'a comparison of wide values': `wire [63:0] p = {a, b}, q = {b, a}; assign y = {p < q, p == q, $signed(p) < $signed(q), p > 64'hffff_ffff, p - q > 3};`,
  'a case of a concatenation': `reg [7:0] r; always @* case ({en, we, n[1:0]}) 4'b00_00: r = c; {2'b01, 2'd2}: r = d; 4'b1?00: r = 1; 4'hf, 4'he: r = 2; default: r = {n, m}; endcase assign y = r;`,
  'casez of values with z in functions': `function [2:0] prio(input [7:0] v); casez (v) 8'b???????1: prio = 0; 8'b??????10: prio = 1; 8'b?????100: prio = 2; 8'b????1000: prio = 3; default: prio = 7; endcase endfunction assign y = {prio(c), prio(d)};`,
  delays:
    'reg [7:0] q = 0; wire [7:0] w; assign #2 w = c + 1; always @(posedge clk) q <= #1 w; assign y = q;',
  'a wait state machine with outputs': `localparam S0 = 2'd0, S1 = 2'd1, S2 = 2'd2; reg [1:0] st = S0, nx; reg o; reg [7:0] k = 0; always @* begin nx = st; o = 0; case (st) S0: if (en) nx = S1; S1: begin o = 1; nx = we ? S2 : S0; end S2: begin o = c[0]; if (!en) nx = S0; end endcase end always @(posedge clk) begin st <= nx; if (o) k <= k + 1; end assign y = {st, o, k};`,
  'one-hot states': `reg [3:0] st = 4'b0001; always @(posedge clk) case (1'b1) st[0]: if (en) st <= 4'b0010; st[1]: st <= we ? 4'b0100 : 4'b1000; st[2]: st <= 4'b1000; st[3]: st <= 4'b0001; endcase assign y = st;`,
  'a counter up and down':
    'reg signed [7:0] k = 0; always @(posedge clk) if (rst) k <= 0; else if (en & ~we) k <= k + 1; else if (we & ~en) k <= k - 1; assign y = {k < 0, k, k == -1, k >= 2};',
  'a barrel shifter':
    'reg [31:0] s; integer i; always @* begin s = a; for (i = 0; i < 5; i = i + 1) if (c[i]) s = en ? (s << (1 << i)) | (s >> (32 - (1 << i))) : $signed(s) >>> (1 << i); end assign y = s;',
  'a filter':
    'reg signed [7:0] x [0:3]; integer i; reg signed [17:0] s; initial for (i = 0; i < 4; i = i + 1) x[i] = 0; localparam signed [7:0] H0 = -3, H1 = 25; always @(posedge clk) begin x[0] <= c; for (i = 1; i < 4; i = i + 1) x[i] <= x[i-1]; s <= H0 * x[0] + H1 * x[1] + H1 * x[2] + H0 * x[3]; end assign y = s >>> 2;',
  'a decoder with defaults': `reg [15:0] o; always @* begin o = 16'h0001; o[n] = 1; o[m -: 2] = 2'b10; if (en) o = o << 1; end assign y = o;`,
  'a shift by a signed amount': `wire signed [3:0] k = n; assign y = {c << k, 8'(c >> k), c >>> -k};`,
  'a replication of zero': `localparam Z = 0; wire [7:0] w = {{Z{1'b1}}, c}; assign y = {w, {(Z+2){n}}};`,
  'repeated statements with odd counts': `reg [7:0] s; localparam signed [3:0] K = -3; always @* begin s = c; repeat (K) s = s + 1; repeat (4'd15 + 4'd3) s = s * 3; repeat (3'd7) s = s + d; repeat (2) begin repeat (4'sd3) s = s ^ (s << 1); end end assign y = s;`,
  'a bus of two drivers in parts':
    'wire [7:0] w; assign w[3:0] = c[3:0]; assign w[7:4] = d[7:4]; assign y = w;',
};
