import type { VerilogCircuit } from './verilog-circuits.ts';

/** Circuits that Icarus Verilog refuses, and Verilator simulates, by what they have. */
export const SYSTEMVERILOG_CIRCUITS: Readonly<Record<string, VerilogCircuit>> = {
  'a parameter that is an array': `localparam int T [4] = '{3, 5, 7, 11}; localparam logic [7:0] R [0:3] = '{8'h12, 8'h34, 8'h56, 8'h78}; assign y = T[n[1:0]] + {R[m[1:0]], 8'h0};`,
  'a parameter that is a packed array': `localparam [3:0][7:0] T = {8'd1, 8'd2, 8'd3, 8'd4}; localparam logic [0:3][7:0] U = {8'd1, 8'd2, 8'd3, 8'd4}; assign y = {T[n[1:0]], U[n[1:0]]};`,
  'a type parameter': {
    before: `module typ #(parameter type T = logic [3:0])(input T i, output logic [15:0] o); localparam W = $bits(T); assign o = {W, 8'(i + T'(1))}; endmodule`,
    body: 'wire [15:0] o, p; typ u(c[3:0], o); typ #(logic signed [6:0]) v(d[6:0], p); assign y = {o, p};',
  },
  'break and continue': `logic [7:0] s; int k; always_comb begin s = 0; k = 0; for (int i = 0; i < 8; i++) begin if (c[i]) continue; if (s > 8'd40) break; s += d[i] ? 8'd17 : 8'd5; k++; end end assign y = {k[7:0], s};`,
  'packed structures': `typedef struct packed { logic [3:0] hi; logic signed [7:0] v; logic f; } s_t; s_t s, t; always_comb begin s = '{hi: n, v: c, f: en}; t = '{default: '0, f: 1'b1}; t.hi = s.hi + 1; t.v = s.v >>> 1; end logic signed [15:0] e; assign e = t.v; assign y = {e[14:0], t, s.f};`,
  'a packed union': `typedef union packed { logic [31:0] w; logic [3:0][7:0] b; struct packed { logic [15:0] hi, lo; } h; } u_t; u_t u, v; assign u.w = a; always_comb begin v = u; v.b[1] = c; v.h.hi[3:0] = n; end assign y = v.w ^ {24'd0, u.b[n[1:0]]};`,
  'structures in structures and arrays': `typedef struct packed { logic [3:0] p; logic [3:0] q; } in_t; typedef struct packed { in_t [1:0] e; logic [7:0] z; } out_t; out_t o; always_comb begin o = {c, d, c ^ d}; o.e[n[0]].q = m; o.z[7 -: 2] = 2'b10; end assign y = o;`,
  'registers of a structure': `typedef struct packed { logic [7:0] count; logic [1:0] st; logic done; } r_t; r_t r, nx; always_comb begin nx = r; nx.done = 0; case (r.st) 0: if (en) nx.st = 1; 1: begin nx.count = r.count + c; nx.st = 2'd2; end 2: begin nx.done = 1; nx.st = 0; end default: nx = '0; endcase end always_ff @(posedge clk) if (rst) r <= '{count: 8'h11, default: '0}; else r <= nx; initial r = '0; assign y = r;`,
  'unpacked arrays of structures': `typedef struct packed { logic [7:0] v; logic ok; } e_t; e_t t [0:3]; always_ff @(posedge clk) if (rst) for (int i = 0; i < 4; i++) t[i] <= '0; else begin if (en) t[n[1:0]].v <= c; if (we) t[m[1:0]].ok <= ~t[m[1:0]].ok; end initial for (int i = 0; i < 4; i++) t[i] = '{v: 8'(i), ok: 1'b0}; assign y = {t[n[3:2]], t[2].v, t[0].ok};`,
  'packed arrays of two dimensions': `logic [3:0][7:0] p; logic [0:3][7:0] r; always_comb begin p = a; r = a; p[n[1:0]] = c; r[n[1:0]] = c; p[m[1:0]][3:0] = d[3:0]; r[m[1:0]][7 -: 4] = d[3:0]; end assign y = p ^ {r[0], r[1], r[2], r[3]} ^ {16'd0, p[2:1]};`,
  'packed arrays of three dimensions': `logic [1:0][3:0][3:0] q; always_ff @(posedge clk) if (rst) q <= '0; else begin q[n[0]][m[1:0]] <= c[3:0]; q[n[0]][3][d[1:0]] <= en; end initial q = 0; assign y = {q[1][2:1], q[n[3]], q[0][m[3:2]][1:0]};`,
  'arrays that are assigned as a whole': `logic [7:0] p [0:3], q [0:3]; always_comb begin p = '{c, d, 8'h5a, c ^ d}; q = p; q[n[1:0]] = 8'hff; if (en) q = '{default: c}; end assign y = {q[0], q[1], q[2], q[3]};`,
  foreach: `logic [3:0][7:0] p; logic [7:0] x, q [2]; always_comb begin p = a; x = 0; foreach (p[i]) x += p[i] * 8'(i + 1); foreach (q[j]) q[j] = x + 8'(j); foreach (p[i, j]) x[j] ^= p[i][j]; end assign y = {x, q[0], q[1]};`,
  'a memory of structures': `typedef struct packed { logic [7:0] tag; logic [15:0] v; logic ok; } line_t; line_t mem [16]; line_t q; initial for (int i = 0; i < 16; i++) mem[i] = '{tag: 8'(i), v: 16'(i * 257), ok: 1'b0}; always_ff @(posedge clk) begin if (we) mem[n] <= '{tag: c, v: a[15:0], ok: en}; q <= mem[m]; end assign y = q;`,
  'unique and priority':
    'logic [3:0] q, r; always_comb begin unique case (n[1:0]) 0: q = 4; 1: q = 5; 2: q = 7; 3: q = 9; endcase priority if (c[0]) r = 1; else if (c[1]) r = 2; else r = 3; unique0 case (m) 1: r = 8; 2: r = 9; endcase end assign y = {q, r};',
  'wildcard comparisons': `assign y = {c ==? 8'b1x0x_xxxx, c !=? 8'bxxxx_1100, c === 8'h5a, d !== 8'h11, en -> we, en <-> we};`,
  casts: `typedef logic signed [4:0] s5; assign y = {4'(c), signed'(n) < 0, s5'(c) < 0, 12'(signed'(c)), unsigned'(-8'sd1) > 8'd3, 3'(c + d), byte'(a) < 0};`,
  'powers and products': 'wire [3:0] p = n; assign y = {p ** 2, 2 ** m, c * d, c * 3} ;',
  'an interface with modports': {
    before: `interface bus_if #(parameter W = 8)(input logic clk); logic [W-1:0] d; logic v, r; modport src(output d, v, input r, clk); modport dst(input d, v, clk, output r); endinterface
    module src_m(bus_if.src b, input logic [7:0] i, input logic go); always_ff @(posedge b.clk) begin b.v <= go; if (go & b.r) b.d <= i; end initial begin b.v = 0; b.d = 0; end endmodule
    module dst_m(bus_if.dst b, output logic [7:0] o, input logic ok); assign b.r = ok; initial o = 0; always_ff @(posedge b.clk) if (b.v & ok) o <= o + b.d; endmodule`,
    body: 'bus_if #(8) i0(clk); wire [7:0] o; src_m s(i0, c, en); dst_m t(i0.dst, o, we); assign y = {o, i0.d, i0.v};',
  },
  'an array of interfaces': {
    before: `interface ch_if; logic [3:0] v; logic k; modport s(output v, input k); modport t(input v, output k); function automatic logic [3:0] inv(); return ~v; endfunction endinterface
    module chs(ch_if.s p, input [3:0] i); assign p.v = i ^ {4{p.k}}; endmodule
    module cht(ch_if.t p, input k, output [3:0] o); assign p.k = k; assign o = p.v + 4'd1; endmodule`,
    body: 'ch_if ch [1:0] (); chs s0(ch[0], n); chs s1(ch[1], m); wire [3:0] o [1:0]; cht t0(ch[0], en, o[0]); cht t1(ch[1], we, o[1]); assign y = {o[1], o[0], ch[0].inv()};',
  },
  'a signed structure': `typedef struct packed signed { logic [3:0] hi; logic [3:0] lo; } s_t; s_t s; assign s = c; wire signed [15:0] e = s; assign y = {e, s < 0, s.hi < 0, s > 8'sd3};`,
  'an enum with ranges': `typedef enum logic [3:0] { A[3] = 2, B, C[2:3] = 9 } e_t; e_t e; always_comb case (n) 0: e = A0; 1: e = A2; 2: e = B; 3: e = C2; default: e = C3; endcase logic [7:0] t [16]; always_comb begin t = '{default: 8'd3}; t[e] = c; end assign y = {e, t[m]};`,
  'default and named arguments': `function automatic [7:0] f(input [7:0] p, input [7:0] q = 8'd7, input r = 1); return r ? p - q : q - p; endfunction assign y = {f(c), f(.q(c), .p(d)), f(c, d, 0), f(c, .r(en))};`,
  'a function with outputs': `function automatic logic f(input [7:0] p, output logic [7:0] q); q = p ^ 8'h55; return ^p; endfunction logic [7:0] q; logic r; always_comb begin r = f(c, q); if (f(d, q)) r = ~r; end assign y = {q, r};`,
  'variables with initial values in a block': `logic [7:0] r; always_comb begin automatic logic [7:0] t = c; automatic int k; k = 3; for (int i = 0; i < 4; i++) begin automatic logic [7:0] u = t + 8'(i); t = u ^ d; end r = t + 8'(k); end assign y = r;`,
  'blocks for elements of an array': `logic [7:0] t [4]; for (genvar i = 0; i < 4; i++) begin : g always_ff @(posedge clk) if (rst) t[i] <= i; else if (n[1:0] == i) t[i] <= t[i] + c; end initial t = '{default: 0}; assign y = {t[0], t[1], t[2], t[3]};`,
  'a memory of structures with fields written': `typedef struct packed { logic [7:0] k; logic [7:0] v; } e_t; e_t mem [256]; e_t q; initial for (int i = 0; i < 256; i++) mem[i] = '{k: 8'(i), v: 8'(3 * i)}; always_ff @(posedge clk) begin if (en) mem[c].k <= a[7:0]; if (we) mem[c].v <= a[15:8]; q <= mem[d]; end assign y = q;`,
  'a table as a constant': `localparam logic [7:0] T [0:15] = '{8'h63, 8'h7c, 8'h77, 8'h7b, 8'hf2, 8'h6b, 8'h6f, 8'hc5, 8'h30, 8'h01, 8'h67, 8'h2b, 8'hfe, 8'hd7, 8'hab, 8'h76}; logic [7:0] q; always_ff @(posedge clk) q <= T[n]; assign y = {q, T[m]};`,
  'a table that a function makes': `typedef logic [15:0][7:0] t_t; function automatic t_t make(); for (int i = 0; i < 16; i++) make[i] = 8'(i * i + 3); endfunction localparam t_t T = make(); assign y = {T[n], T[m]};`,
  'an asynchronous reset of a structure': `typedef struct packed { logic [7:0] p; logic [3:0] q; } s_t; s_t s = '{8'd3, 4'd4}; always_ff @(posedge clk, posedge rst) if (rst) s <= '{default: '1}; else begin s.p <= s.p + c; if (en) s.q[n[1:0]] <= we; end assign y = s;`,
  'an initial array': `logic [7:0] t [4] = '{8'h11, 8'h22, 8'h33, 8'h44}; always_ff @(posedge clk) if (we) t[n[1:0]] <= c; assign y = {t[0], t[1], t[2], t[3]};`,
  'ports that are arrays and structures': {
    before: `package pp; typedef struct packed { logic [7:0] v; logic ok; } s_t; endpackage module ap(input logic [7:0] i [2], input pp::s_t s [2], output pp::s_t o, output logic [3:0][3:0] g); assign o = '{v: i[0] + s[1].v, ok: s[0].ok}; assign g = {i[1], i[0]}; endmodule`,
    body: `logic [7:0] i [2]; pp::s_t s [2], o; logic [3:0][3:0] g; assign i = '{c, d}; assign s[0] = a[8:0]; assign s[1] = '{v: n, ok: 1'b0}; ap u(.i(i), .s(s), .o(o), .g(g)); assign y = {o, g};`,
  },
  'a condition with side results':
    'logic [7:0] k; always_comb begin k = 0; if (en && c > 3 || we && !(d inside {[1:9]})) k = c; else if (!c) k = d; k += (c == d) ? 1 : (c > d) + 2; end assign y = k;',
  'division of constants': `localparam signed [7:0] P = -7; assign y = {P / 2, P % 2, 8'(c / 3), 8'(c % 10)} ; `,
};
