// Random words of an LFSR whose width and taps are parameters; it goes on with each read.
// Wishbone slave: module lfsr_wb, 32-bit data, classic handshake, reset active high
// ports: ack = wbs_ack_o, cyc = wbs_cyc_i, stb = wbs_stb_i, we = wbs_we_i, adr = wbs_adr_i, dat_w = wbs_dat_i, dat_r = wbs_dat_o, clk = clk, rst = reset
// addresses: byte
module lfsr_wb #(parameter integer N = 32, parameter [N-1:0] TAPS = 32'h8020_0003, parameter [N-1:0] SEED = {N{1'b1}}) (
  input clk, input reset,
  input wbs_cyc_i, input wbs_stb_i, input wbs_we_i, input [31:0] wbs_adr_i, input [31:0] wbs_dat_i,
  output [31:0] wbs_dat_o, output wbs_ack_o
);
  reg [N-1:0] state;
  reg ack;
  wire start = wbs_cyc_i & wbs_stb_i & !ack;
  wire [N-1:0] shifted = state >> 1;
  assign wbs_ack_o = ack;
  assign wbs_dat_o = wbs_adr_i[2] ? TAPS : state;
  always @(posedge clk)
    if (reset) begin
      state <= SEED;
      ack <= 1'b0;
    end else begin
      ack <= start;
      if (start && wbs_we_i) state <= wbs_dat_i == 0 ? SEED : wbs_dat_i;
      else if (ack && !wbs_adr_i[2]) state <= state[0] ? shifted ^ TAPS : shifted;
    end
endmodule
