import type { Design } from './built.ts';

/** A design of several modules, one of them twice, with a memory and a path that is slower than the bench's own. */
const SOURCE = `// Sums of what was written, and a memory of it.
module adder (
    input             clk,
    input      [15:0] a, b,
    output reg [15:0] sum = 16'd0
);
  always @(posedge clk) sum <= a + b;
endmodule

module slow (
    input             clk,
    input      [15:0] a,
    output reg [15:0] folded = 16'd0
);
  wire [15:0] once = a + {a[7:0], a[15:8]};
  wire [15:0] twice = once + {once[3:0], once[15:4]};
  wire [15:0] thrice = twice + {twice[11:0], twice[15:12]};
  always @(posedge clk) folded <= thrice + {thrice[1:0], thrice[15:2]};
endmodule

module layered (
    input             clk,
    input             rst,
    input             wb_cyc,
    input             wb_stb,
    input             wb_we,
    input      [ 7:0] wb_adr,
    input      [31:0] wb_dat_w,
    output reg [31:0] wb_dat_r,
    output reg        wb_ack
);
  reg [15:0] written = 16'd0;
  wire [15:0] first, second, folded;
  adder one (.clk(clk), .a(written), .b(second), .sum(first));
  adder two (.clk(clk), .a(first), .b({first[0], written[15:1]}), .sum(second));
  slow fold (.clk(clk), .a(second), .folded(folded));

  reg [15:0] memory[0:255];
  reg [15:0] remembered;
  wire access = wb_cyc & wb_stb & ~wb_ack;
  always @(posedge clk) begin
    if (access & wb_we) memory[wb_adr] <= wb_dat_w[15:0];
    remembered <= memory[wb_adr];
    if (access & wb_we) written <= wb_dat_w[15:0];
    wb_dat_r <= {folded, wb_adr[7] ? second : remembered};
    wb_ack <= access & ~rst;
  end
endmodule
`;

export const LAYERED: Design & { source: string } = { filename: 'layered.v', source: SOURCE };
