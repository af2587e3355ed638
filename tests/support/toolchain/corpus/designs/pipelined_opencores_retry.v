// A pipelined slave with a stall, an error and a retry, in the names of OpenCores.
// Wishbone slave: module pipelined_regs, 32-bit data, pipelined handshake, reset active low
// ports: ack = wb_ack_o, cyc = wb_cyc_i, stb = wb_stb_i, we = wb_we_i, adr = wb_adr_i, dat_w = wb_dat_i, dat_r = wb_dat_o, sel = wb_sel_i, stall = wb_stall_o, err = wb_err_o, rty = wb_rty_o, clk = wb_clk_i, rst = wb_rstn_i
// addresses: byte
module pipelined_regs (
  input wb_clk_i, input wb_rstn_i, input wb_cyc_i, input wb_stb_i, input wb_we_i, input [31:0] wb_adr_i, input [3:0] wb_sel_i,
  input [31:0] wb_dat_i, output reg [31:0] wb_dat_o, output wb_stall_o, output reg wb_ack_o, output reg wb_err_o, output reg wb_rty_o
);
  reg [31:0] stage_data, regs [0:3];
  reg [31:2] stage_address;
  reg stage_valid, stage_write;
  reg [2:0] turn;
  assign wb_stall_o = turn == 3'd7;
  always @(posedge wb_clk_i or negedge wb_rstn_i)
    if (!wb_rstn_i) begin
      turn <= 3'd0; stage_valid <= 1'b0; wb_ack_o <= 1'b0; wb_err_o <= 1'b0; wb_rty_o <= 1'b0;
    end else begin
      turn <= turn + 3'd1;
      stage_valid <= wb_cyc_i & wb_stb_i & ~wb_stall_o;
      stage_write <= wb_we_i & (&wb_sel_i);
      stage_address <= wb_adr_i[31:2];
      stage_data <= wb_dat_i;
      wb_ack_o <= stage_valid & wb_cyc_i & (stage_address < 5);
      wb_err_o <= stage_valid & wb_cyc_i & (stage_address >= 6);
      wb_rty_o <= stage_valid & wb_cyc_i & (stage_address == 5);
    end
  always @(posedge wb_clk_i) begin
    if (stage_valid & stage_write & (stage_address < 4)) regs[stage_address[3:2]] <= stage_data;
    wb_dat_o <= stage_address == 4 ? {29'd0, turn} : regs[stage_address[3:2]];
  end
endmodule
