// Eight pins that are driven or let go bit by bit.
// Wishbone slave: module tristate_port, 32-bit data, classic handshake, reset active high
// ports: ack = wb_ack_o, cyc = wb_cyc_i, stb = wb_stb_i, we = wb_we_i, adr = wb_adr_i, dat_w = wb_dat_i, dat_r = wb_dat_o, clk = wb_clk_i, rst = wb_rst_i
// addresses: byte
module tristate_port (
  input wb_clk_i, input wb_rst_i, input wb_cyc_i, input wb_stb_i, input wb_we_i, input [3:0] wb_adr_i, input [31:0] wb_dat_i,
  output reg [31:0] wb_dat_o, output reg wb_ack_o, inout [7:0] pads
);
  reg [7:0] level, direction, first, second;
  genvar p;
  generate
    for (p = 0; p < 8; p = p + 1) begin : pad
      assign pads[p] = direction[p] ? level[p] : 1'bz;
    end
  endgenerate
  always @(posedge wb_clk_i) begin
    first <= pads;
    second <= first;
    wb_ack_o <= wb_cyc_i & wb_stb_i & ~wb_ack_o;
    if (wb_cyc_i & wb_stb_i & wb_we_i)
      if (wb_adr_i[3:2] == 2'd0) level <= wb_dat_i[7:0];
      else if (wb_adr_i[3:2] == 2'd1) direction <= wb_dat_i[7:0];
    case (wb_adr_i[3:2])
      2'd0: wb_dat_o <= level;
      2'd1: wb_dat_o <= direction;
      default: wb_dat_o <= second;
    endcase
    if (wb_rst_i) begin level <= 0; direction <= 0; wb_ack_o <= 0; end
  end
endmodule
