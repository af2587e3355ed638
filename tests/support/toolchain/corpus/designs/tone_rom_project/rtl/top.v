// Several files, a header with macros, a table from a file.
// Wishbone slave: module tone_top, 32-bit data, classic handshake, reset active high
// ports: ack = wb_ack_o, cyc = wb_cyc_i, stb = wb_stb_i, we = wb_we_i, adr = wb_adr_i, dat_w = wb_dat_i, dat_r = wb_dat_o, sel = wb_sel_i, clk = clk_i, rst = rst_i
// addresses: byte
`include "tone_defs.vh"
module tone_top (
  input clk_i, input rst_i, input [31:0] wb_adr_i, input [31:0] wb_dat_i, output [31:0] wb_dat_o, input [3:0] wb_sel_i,
  input wb_we_i, input wb_stb_i, input wb_cyc_i, output wb_ack_o, output [`SAMPLE_BITS-1:0] sample
);
  reg [23:0] step;
  reg [23:0] phase;
  reg ack;
  wire access = wb_cyc_i & wb_stb_i & ~ack;
  table_rom #(.FILE("sine.hex"), .BITS(`SAMPLE_BITS)) rom (.clk(clk_i), .at(phase[23:18]), .value(sample));
  always @(posedge clk_i) begin
    ack <= access & ~rst_i;
    phase <= phase + step;
    if (access & wb_we_i & (wb_adr_i[7:0] == `REG_STEP)) step <= wb_dat_i[23:0];
    if (rst_i) begin step <= 24'd0; phase <= 24'd0; end
  end
  assign wb_ack_o = ack;
  assign wb_dat_o = wb_adr_i[7:0] == `REG_STEP ? {8'd0, step} : wb_adr_i[7:0] == `REG_PHASE ? {8'd0, phase} : {24'd0, sample};
endmodule
