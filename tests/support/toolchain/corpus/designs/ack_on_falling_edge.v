// A memory that answers with the falling edge of the clock.
// Wishbone slave: module half_cycle_ram, 16-bit data, classic handshake, reset active high
// ports: ack = ack_o, cyc = cyc_i, stb = stb_i, we = we_i, adr = adr_i, dat_w = dat_i, dat_r = dat_o, sel = sel_i, clk = clk_i, rst = reset_i
// addresses: word
module half_cycle_ram (
  input clk_i, input reset_i, input [7:0] adr_i, input [15:0] dat_i, output reg [15:0] dat_o,
  input cyc_i, input stb_i, input we_i, input [1:0] sel_i, output reg ack_o
);
  reg [15:0] mem [0:255];
  always @(negedge clk_i) begin
    ack_o <= cyc_i & stb_i & ~reset_i;
    if (cyc_i & stb_i) begin
      if (we_i & sel_i[0]) mem[adr_i][7:0] <= dat_i[7:0];
      if (we_i & sel_i[1]) mem[adr_i][15:8] <= dat_i[15:8];
      dat_o <= mem[adr_i];
    end
  end
endmodule
