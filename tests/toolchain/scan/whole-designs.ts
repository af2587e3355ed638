import fc from 'fast-check';

/** A generated design: the files of a project, of which the top module is `design`. */
export interface WholeDesign {
  files: { path: string; text: string }[];
}

/** A statement or declaration of a module, with names that end in `k`; `n` is a small number. */
type Item = (k: number, n: number) => string;

/** What Verilog 2005 has. */
const PLAIN: Item[] = [
  (k, n) => `parameter P${k} = ${n} + 1; localparam [7:0] L${k} = P${k} * 3 - 1;`,
  (k, n) =>
    `localparam signed [7:0] S${k} = -${n}; wire signed [15:0] s${k} = S${k} >>> 1; wire sn${k} = s${k} < 0;`,
  (k, n) =>
    `genvar g${k}; generate for (g${k} = 0; g${k} <= ${n}; g${k} = g${k} + 1) begin : b${k} wire [g${k}:0] x = wb_dat_w[g${k}:0]; end endgenerate`,
  (k, n) =>
    `genvar h${k}; generate for (h${k} = ${n}; h${k} >= 0; h${k} = h${k} - 1) if (h${k} % 2) begin : odd wire y; end else begin : even wire z; end endgenerate`,
  (k, n) =>
    `generate case (${n}) 0, 1: wire c${k} = 0; 2: begin : two${k} wire c = 1; end default: wire d${k}; endcase endgenerate`,
  (k, n) =>
    `function integer log${k}(input integer v); integer i; begin log${k} = 0; for (i = v; i > 0; i = i >> 1) log${k} = log${k} + 1; end endfunction wire [log${k}(${n + 9}):0] w${k};`,
  (k, n) =>
    `function [7:0] f${k}; input [7:0] a; reg [3:0] t; begin t = a; f${k} = 0; while (t != 0) begin f${k} = f${k} + t[0]; t = t >> 1; end end endfunction wire [7:0] r${k} = f${k}(${n});`,
  (k, n) =>
    `function automatic integer fact${k}(input integer v); fact${k} = v < 2 ? 1 : v * fact${k}(v - 1); endfunction localparam F${k} = fact${k}(${n});`,
  (k, n) =>
    `function rep${k}(input v); begin rep${k} = v; repeat (${n}) rep${k} = ~rep${k}; end endfunction localparam R${k} = rep${k}(1);`,
  (k) =>
    `reg [31:0] m${k} [0:15]; reg [31:0] q${k}; always @(posedge wb_clk) begin if (wb_we) m${k}[wb_adr[5:2]] <= wb_dat_w; q${k} <= m${k}[wb_adr[5:2]]; end`,
  (k, n) =>
    `reg [7:0] i${k} [0:63]; integer j${k}; initial for (j${k} = 0; j${k} < 64; j${k} = j${k} + 1) begin i${k}[j${k}] = j${k} * ${n}; end`,
  (k, n) =>
    `reg [3:0] z${k} = ${n}; integer u${k}; always @* for (u${k} = 0; u${k} < 4; u${k} = u${k} + 1) z${k}[u${k}] = wb_dat_w[u${k} + ${n}];`,
  (k, n) =>
    `always @(posedge wb_clk) if (wb_we) begin : n${k} reg [3:0] t; t = ${n}; t = t - 3; end else if (wb_stb) ; else ;`,
  (k, n) =>
    `reg [1:0] st${k}; always @(posedge wb_clk or posedge wb_rst) if (wb_rst) st${k} <= 0; else (* full_case *) case (st${k}) 2'b0?, 2'd${n % 4}: st${k} <= st${k} + 1; default: begin st${k} <= 0; end endcase`,
  (k, n) => `wire \\odd+name[${k}] = wb_we; wire o${k} = \\odd+name[${k}] ^ ${n};`,
  (k, n) => `(* keep, note = "begin ( endmodule ${n}" *) wire a${k} = "end;" == ${n};`,
  (k, n) =>
    `\`ifdef SYNTHESIS\nwire y${k} = ${n};\n\`elsif NEVER\nbegin begin ((\n\`else\nthis is not read (\n\`endif`,
  (k, n) => `\`ifndef NEVER wire v${k} = ${n}; \`else endmodule \`endif`,
  (k, n) =>
    `\`define ADD${k}(a, b) ((a) + (b))\nwire [7:0] ad${k} = \`ADD${k}(\`ADD${k}(${n}, 2), {1'b0, wb_adr[3:0]});`,
  (k, n) =>
    `\`define DECLARE${k}(name) \\\n  wire name; \\\n  assign name = wb_stb\n\`DECLARE${k}(mac${k}); wire [\`TOP_WIDTH-1:0] tw${k} = ${n};`,
  (k, n) =>
    `// synthesis translate_off\ninitial begin $display("(", ${n});\n// synthesis translate_on\nwire ts${k};`,
  (k, n) =>
    `wire [31:0] ch${k} = wb_adr[0] ? ${n} : wb_adr[1] ? wb_dat_w[7 -: 4] : {2{wb_dat_w[${n} +: 4]}}; wire re${k} = ^~{wb_we, ~|wb_adr};`,
  (k, n) =>
    `task t${k}; input a; output b; begin b = a; end endtask reg tr${k}; always @* t${k}(wb_dat_w[${n}], tr${k});`,
  (k, n) =>
    `inner #(.N(${n + 1})) u${k} (.a(wb_we), .b(), .c(wb_dat_w)); inner v${k} [1:0] (wb_adr[1:0], , wb_dat_w);`,
  (k, n) => `defparam dp${k}.N = ${n + 1}; inner dp${k}(.a(wb_we), .b(), .c(wb_dat_w));`,
  (k, n) =>
    `inner dp0${k}(wb_we, , wb_dat_w), dq${k}(wb_we, , wb_dat_w); generate if (1) begin : dg${k} inner x(wb_we, , wb_dat_w); end endgenerate genvar dh${k}; generate for (dh${k} = 0; dh${k} < 3; dh${k} = dh${k} + 1) begin : dl${k} inner x(wb_we, , wb_dat_w); if (dh${k} == 2) begin defparam x.N = dh${k} + 5; end end endgenerate defparam dq${k}.N = ${n}, dg${k}.x.N = ${n} + 2, dl${k}[1].x.N = ${n} * 2;`,
  (k, n) =>
    `tree #(.N(${n} + 1)) tr${k}(wb_dat_w[${n}:0], ); tree tu${k}(wb_dat_w[3:0], ); defparam tu${k}.ROUNDS = ${n};`,
  (k, n) =>
    `initial begin : ib${k} integer i; for (i = 0; i < ${n}; i = i + 1) if (i == 3) $display("%d", i); end`,
];

/** What only SystemVerilog has. */
const SYSTEM: Item[] = [
  (k, n) =>
    `typedef enum logic [3:0] {A${k} = ${n}, B${k}} e${k}_t; e${k}_t e${k}; always_ff @(posedge wb_clk) e${k} <= wb_we ? A${k} : B${k};`,
  (k, n) => `typedef struct packed { logic [${n}:0] a; logic b; } p${k}_t; p${k}_t p${k}; assign p${k} = '0;`,
  (k, n) =>
    `logic [3:0][${n}:0] pk${k}; logic [1:0] un${k} [3]; always_comb begin pk${k} = '1; un${k}[0] = 2'(pk${k}[1]); un${k}[1] = 0; un${k}[2] = 0; end`,
  (k, n) =>
    `for (genvar i = 0; i < ${n}; i++) begin : sg${k} localparam int Q = i * 2; if (Q > 4) wire big; end`,
  (k, n) =>
    `localparam int W${k} = $clog2(${n + 2}); logic [W${k}-1:0] cl${k}; always_comb for (int i = 0; i < W${k}; i += 1) cl${k}[i] = wb_dat_w[i];`,
  (k, n) =>
    `function automatic logic [7:0] sf${k}(input logic [7:0] a); sf${k} = a; for (int i = 0; i < ${n}; i++) sf${k} = sf${k} ^ 8'(i); endfunction logic [7:0] sr${k} = sf${k}(8'd${n});`,
  (k, n) => `pack::word_t wo${k}; assign wo${k} = pack::SIZE + ${n};`,
  (k, n) =>
    `logic uc${k}; always_comb unique case (wb_adr[1:0]) 0: uc${k} = 1; default: uc${k} = ${n % 2}; endcase`,
  (k, n) => `localparam ST${k} = "a;b("; localparam bit [${n}:0] ZB${k} = '0;`,
];

const SIGNALS = ['wb_clk', 'wb_rst', 'wb_cyc', 'wb_stb', 'wb_we'];
/** The header of the top module: ANSI or not. */
const HEADERS = [
  `module design #(parameter W = 8, parameter [3:0] V = W / 2) (${SIGNALS.map((one) => `input wire ${one}`).join(', ')},
  input [\`TOP_WIDTH-1:0] wb_adr, input [31:0] wb_dat_w, output [31:0] wb_dat_r, output wb_ack);`,
  `module design(${SIGNALS.join(', ')}, wb_adr,\n  wb_dat_w, wb_dat_r, wb_ack);\n  parameter W = 8; input ${SIGNALS.join(', ')};
  input [W + 13:0] wb_adr; input [4*W-1:0] wb_dat_w; output [31:0] wb_dat_r; output wb_ack;`,
];
const INNER = `module inner #(parameter N = 2) (input a, output b, input [31:0] c);
  genvar g; generate for (g = 0; g < N; g = g + 1) begin : s wire x = c[g]; end endgenerate
  assign b = a;
endmodule
module tree #(parameter N = 4, ROUNDS = 1) (input [N-1:0] a, output b);
  wire x, y; generate if (ROUNDS > 0) begin : more tree #(N, ROUNDS - 1) again(a, x); end
  else case (N) 1: assign b = a; default: begin : half tree #(.N(N / 2), .ROUNDS(0)) low(a[N/2-1:0], x);
    if (N > 2) begin : high tree i(a[N-1:N/2], y); defparam i.N = N - N / 2, i.ROUNDS = ROUNDS; end end endcase
  if (0) tree #(N) never(a, b); endgenerate
endmodule
`;
const PACKAGE = 'package pack; typedef logic [7:0] word_t; localparam SIZE = 5; endpackage\n';

/** Comments that look like the structure of a source, and stand where white space does. */
const COMMENTS = [
  ' ',
  '\n',
  ' /* begin endmodule ( */ ',
  ' // end ) `else\n',
  '\t',
  '/**/ ',
  ' /* initial\n case { */ ',
];

/** Whole designs with a right Wishbone port, of what Yosys reads. @param size items of the top module at most */
export const wholeDesign = (size: number): fc.Arbitrary<WholeDesign> =>
  fc
    .record({
      system: fc.boolean(),
      header: fc.constantFrom(...HEADERS),
      items: fc.array(fc.tuple(fc.nat(PLAIN.length + SYSTEM.length - 1), fc.nat(7)), {
        minLength: 4,
        maxLength: size,
      }),
      comments: fc.array(fc.constantFrom(...COMMENTS), { minLength: 1, maxLength: 20 }),
      innerFirst: fc.boolean(),
      split: fc.boolean(),
    })
    .map(({ system, header, items, comments, innerFirst, split }) => {
      const known = system ? [...PLAIN, ...SYSTEM] : PLAIN;
      const body = items.map(([which, n], k) => (known[which % known.length] as Item)(k, n));
      let at = 0;
      // Where a semicolon ends something outside of macros and strings, a comment may follow.
      const commented = body.map((text) =>
        /[`"]|\/\//.test(text) ? text : text.replace(/; /g, () => `;${comments[at++ % comments.length]}`),
      );
      const top = `${header}\n${commented.join('\n')}\n  assign wb_dat_r = wb_dat_w + W; assign wb_ack = wb_stb & wb_cyc;\nendmodule\n`;
      const macros = '`define TOP_WIDTH 22\n';
      const extension = system ? 'sv' : 'v';
      if (!split)
        return {
          files: [
            {
              path: `design.${extension}`,
              text: `${macros}${system ? PACKAGE : ''}${innerFirst ? INNER + top : top + INNER}`,
            },
          ],
        };
      return {
        files: [
          { path: `rtl/top.${extension}`, text: `\`include "sizes.vh"\n${top}` },
          { path: 'rtl/sizes.vh', text: `\`ifndef SIZES_VH\n\`define SIZES_VH\n${macros}\`endif\n` },
          { path: 'lib/inner.v', text: INNER },
          ...(system ? [{ path: 'lib/pack.sv', text: PACKAGE }] : []),
        ],
      };
    });
