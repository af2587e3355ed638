// A small interconnect: a slave that hands on to two others.
// Wishbone slave: module top_bus, 32-bit data, classic handshake, reset active high
// ports: ack = wb_ack_o, cyc = wb_cyc_i, stb = wb_stb_i, we = wb_we_i, adr = wb_adr_i, dat_w = wb_dat_i, dat_r = wb_dat_o, sel = wb_sel_i, err = wb_err_o, clk = wb_clk_i, rst = wb_rst_i
// addresses: byte
module top_bus (
  input wb_clk_i, input wb_rst_i, input wb_cyc_i, input wb_stb_i, input wb_we_i, input [31:0] wb_adr_i, input [3:0] wb_sel_i,
  input [31:0] wb_dat_i, output [31:0] wb_dat_o, output wb_ack_o, output wb_err_o
);
  wire [31:0] s0_dat, s1_dat;
  wire s0_ack, s1_ack;
  wire to0 = wb_adr_i[15:12] == 4'h0, to1 = wb_adr_i[15:12] == 4'h1;
  reg bad;
  wb_ram #(.AW(6)) ram (.clk_i(wb_clk_i), .cyc_i(wb_cyc_i), .stb_i(wb_stb_i & to0), .we_i(wb_we_i), .adr_i(wb_adr_i[7:2]),
    .dat_i(wb_dat_i), .dat_o(s0_dat), .ack_o(s0_ack));
  wb_counter counter (.clk_i(wb_clk_i), .rst_i(wb_rst_i), .cyc_i(wb_cyc_i), .stb_i(wb_stb_i & to1), .we_i(wb_we_i),
    .dat_i(wb_dat_i), .dat_o(s1_dat), .ack_o(s1_ack));
  always @(posedge wb_clk_i) bad <= wb_cyc_i & wb_stb_i & ~to0 & ~to1 & ~bad & ~wb_rst_i;
  assign wb_ack_o = s0_ack | s1_ack;
  assign wb_err_o = bad;
  assign wb_dat_o = to1 ? s1_dat : s0_dat;
endmodule

module wb_ram #(parameter AW = 8) (input clk_i, cyc_i, stb_i, we_i, input [AW-1:0] adr_i, input [31:0] dat_i, output reg [31:0] dat_o, output reg ack_o);
  reg [31:0] mem [0:(1<<AW)-1];
  always @(posedge clk_i) begin
    ack_o <= cyc_i & stb_i & ~ack_o;
    dat_o <= mem[adr_i];
    if (cyc_i & stb_i & we_i) mem[adr_i] <= dat_i;
  end
endmodule

module wb_counter (input clk_i, rst_i, cyc_i, stb_i, we_i, input [31:0] dat_i, output [31:0] dat_o, output reg ack_o);
  reg [31:0] count;
  assign dat_o = count;
  always @(posedge clk_i) begin
    ack_o <= cyc_i & stb_i & ~ack_o;
    count <= rst_i ? 0 : cyc_i & stb_i & we_i ? dat_i : count + 1;
  end
endmodule
