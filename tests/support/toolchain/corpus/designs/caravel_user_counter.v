// The user's area of a Caravel chip: a counter at 0x3000_0000, the logic analyser, pads and interrupts.
// Wishbone slave: module user_proj_example, 32-bit data, classic handshake, reset active high
// ports: ack = wbs_ack_o, cyc = wbs_cyc_i, stb = wbs_stb_i, we = wbs_we_i, adr = wbs_adr_i, dat_w = wbs_dat_i, dat_r = wbs_dat_o, sel = wbs_sel_i, clk = wb_clk_i, rst = wb_rst_i
// addresses: byte
`default_nettype none
module user_proj_example #(parameter BITS = 16) (
`ifdef USE_POWER_PINS
  inout vccd1,
  inout vssd1,
`endif
  input wb_clk_i,
  input wb_rst_i,
  input wbs_stb_i,
  input wbs_cyc_i,
  input wbs_we_i,
  input [3:0] wbs_sel_i,
  input [31:0] wbs_dat_i,
  input [31:0] wbs_adr_i,
  output wbs_ack_o,
  output [31:0] wbs_dat_o,
  input [127:0] la_data_in,
  output [127:0] la_data_out,
  input [127:0] la_oenb,
  input [BITS-1:0] io_in,
  output [BITS-1:0] io_out,
  output [BITS-1:0] io_oeb,
  output [2:0] irq
);
  wire clk, rst;
  wire [BITS-1:0] rdata, wdata, count;
  wire valid;
  wire [3:0] wstrb;
  wire [BITS-1:0] la_write;

  assign valid = wbs_cyc_i && wbs_stb_i && wbs_adr_i[31:8] == 24'h300000;
  assign wstrb = wbs_sel_i & {4{wbs_we_i}};
  assign wbs_dat_o = {{(32-BITS){1'b0}}, rdata};
  assign wdata = wbs_dat_i[BITS-1:0];
  assign io_out = count;
  assign io_oeb = {(BITS){rst}};
  assign irq = 3'b000;
  assign la_data_out = {{(128-BITS){1'b0}}, count};
  assign la_write = ~la_oenb[63:64-BITS] & ~{BITS{valid}};
  assign clk = wb_clk_i;
  assign rst = wb_rst_i;

  counter #(.BITS(BITS)) counter(.clk(clk), .reset(rst), .ready(wbs_ack_o), .valid(valid), .rdata(rdata), .wdata(wbs_dat_i[BITS-1:0]),
    .wstrb(wstrb), .la_write(la_write), .la_input(la_data_in[63:64-BITS]), .count(count));
endmodule

module counter #(parameter BITS = 16) (
  input clk, input reset, input valid, input [3:0] wstrb, input [BITS-1:0] wdata, input [BITS-1:0] la_write,
  input [BITS-1:0] la_input, output reg ready, output reg [BITS-1:0] rdata, output reg [BITS-1:0] count
);
  always @(posedge clk) begin
    if (reset) begin
      count <= 1'b0;
      ready <= 1'b0;
    end else begin
      ready <= 1'b0;
      if (~|la_write) count <= count + 1'b1;
      if (valid && !ready) begin
        ready <= 1'b1;
        rdata <= count;
        if (wstrb[0]) count[7:0] <= wdata[7:0];
        if (wstrb[1]) count[15:8] <= wdata[15:8];
      end else if (|la_write) begin
        count <= la_write & la_input;
      end
    end
  end
endmodule
`default_nettype wire
