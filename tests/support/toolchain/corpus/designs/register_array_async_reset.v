// Eight registers as an array that an asynchronous reset clears in a loop.
// Wishbone slave: module reg_file, 32-bit data, classic handshake, reset active high
// ports: ack = wb_ack_o, cyc = wb_cyc_i, stb = wb_stb_i, we = wb_we_i, adr = wb_adr_i, dat_w = wb_dat_i, dat_r = wb_dat_o, sel = wb_sel_i, clk = wb_clk_i, rst = wb_rst_i
// addresses: byte
module reg_file (
  input wb_clk_i, wb_rst_i, wb_cyc_i, wb_stb_i, wb_we_i, input [4:0] wb_adr_i, input [3:0] wb_sel_i, input [31:0] wb_dat_i,
  output [31:0] wb_dat_o, output reg wb_ack_o, output [7:0] any_set
);
  reg [31:0] regs [0:7];
  integer k;
  wire [2:0] index = wb_adr_i[4:2];
  always @(posedge wb_clk_i or posedge wb_rst_i)
    if (wb_rst_i) begin
      for (k = 0; k < 8; k = k + 1) regs[k] <= 32'h0000_0000;
      wb_ack_o <= 1'b0;
    end else begin
      wb_ack_o <= wb_cyc_i && wb_stb_i && !wb_ack_o;
      if (wb_cyc_i && wb_stb_i && wb_we_i && !wb_ack_o)
        for (k = 0; k < 4; k = k + 1)
          if (wb_sel_i[k]) regs[index][8*k +: 8] <= wb_dat_i[8*k +: 8];
    end
  assign wb_dat_o = regs[index];
  genvar g;
  generate
    for (g = 0; g < 8; g = g + 1) begin : flags
      assign any_set[g] = |regs[g];
    end
  endgenerate
endmodule
