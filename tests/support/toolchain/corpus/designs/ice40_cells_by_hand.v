// Flip-flops, look-up tables and a block RAM of the iCE40 by their names.
// Wishbone slave: module by_hand, 32-bit data, classic handshake, reset active high
// ports: ack = wb_ack, cyc = wb_cyc, stb = wb_stb, we = wb_we, adr = wb_adr, dat_w = wb_dat_w, dat_r = wb_dat_r, sel = wb_sel, clk = clk, rst = rst
// addresses: word
module by_hand (
  input clk, input rst, input wb_cyc, input wb_stb, input wb_we, input [29:0] wb_adr, input [31:0] wb_dat_w, input [3:0] wb_sel,
  output [31:0] wb_dat_r, output wb_ack
);
  wire start, taken;
  wire [15:0] low;
  SB_LUT4 #(.LUT_INIT(16'h0808)) start_lut (.O(start), .I0(wb_cyc), .I1(wb_stb), .I2(taken), .I3(1'b0));
  SB_DFFSR ack_flop (.Q(taken), .C(clk), .R(rst), .D(start));
  SB_RAM40_4K #(
    .INIT_0(256'h000F_000E_000D_000C_000B_000A_0009_0008_0007_0006_0005_0004_0003_0002_0001_BEEF),
    .READ_MODE(0), .WRITE_MODE(0)
  ) memory (
    .RDATA(low), .RADDR({3'b000, wb_adr[7:0]}), .RCLK(clk), .RCLKE(1'b1), .RE(start),
    .WADDR({3'b000, wb_adr[7:0]}), .WCLK(clk), .WCLKE(1'b1), .WE(start & wb_we), .WDATA(wb_dat_w[15:0]), .MASK(16'h0000)
  );
  genvar i;
  wire [15:0] high;
  generate
    for (i = 0; i < 16; i = i + 1) begin : flops
      SB_DFFESR flop (.Q(high[i]), .C(clk), .E(start & wb_we), .R(rst), .D(wb_dat_w[16 + i]));
    end
  endgenerate
  assign wb_ack = taken;
  assign wb_dat_r = {high, low};
endmodule
