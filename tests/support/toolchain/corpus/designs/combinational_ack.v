// Registers that answer in the very clock, with ports that have in and out in their names.
// Wishbone slave: module instant_regs, 32-bit data, classic handshake, reset active high
// ports: ack = wb_ack_out, cyc = wb_cyc_in, stb = wb_stb_in, we = wb_we_in, adr = wb_adr_in, dat_w = wb_dat_in, dat_r = wb_dat_out, sel = wb_sel_in, err = wb_err_out, clk = wb_clk, rst = wb_rst
// addresses: byte
module instant_regs (
  input wb_clk, input wb_rst,
  input wb_cyc_in, input wb_stb_in, input wb_we_in, input [15:0] wb_adr_in, input [31:0] wb_dat_in, input [3:0] wb_sel_in,
  output [31:0] wb_dat_out, output wb_ack_out, output wb_err_out
);
  reg [31:0] r0, r1, r2, r3;
  wire hit = wb_cyc_in & wb_stb_in;
  wire [31:0] mask = {{8{wb_sel_in[3]}}, {8{wb_sel_in[2]}}, {8{wb_sel_in[1]}}, {8{wb_sel_in[0]}}};
  assign wb_ack_out = hit & (wb_adr_in < 16'd16);
  assign wb_err_out = hit & ~wb_ack_out;
  assign wb_dat_out = wb_adr_in[3] ? (wb_adr_in[2] ? r3 : r2) : (wb_adr_in[2] ? r1 : r0);
  always @(posedge wb_clk)
    if (wb_rst) {r3, r2, r1, r0} <= 128'd0;
    else if (wb_ack_out & wb_we_in)
      case (wb_adr_in[3:2])
        0: r0 <= (r0 & ~mask) | (wb_dat_in & mask);
        1: r1 <= (r1 & ~mask) | (wb_dat_in & mask);
        2: r2 <= (r2 & ~mask) | (wb_dat_in & mask);
        3: r3 <= (r3 & ~mask) | (wb_dat_in & mask);
      endcase
endmodule
