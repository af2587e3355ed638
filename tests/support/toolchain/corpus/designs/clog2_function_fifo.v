// A FIFO whose sizes come from a constant function; fill level and flags are registers.
// Wishbone slave: module fifo_bridge, 32-bit data, classic handshake, reset active high
// ports: ack = o_wb_ack, cyc = i_wb_cyc, stb = i_wb_stb, we = i_wb_we, adr = i_wb_adr, dat_w = i_wb_dat, dat_r = o_wb_dat, clk = i_clk, rst = i_rst
// addresses: word
module fifo_bridge #(parameter DEPTH = 24, parameter DW = 32) (
  input i_clk, input i_rst, input i_wb_cyc, input i_wb_stb, input i_wb_we, input [1:0] i_wb_adr, input [DW-1:0] i_wb_dat,
  output reg [DW-1:0] o_wb_dat, output reg o_wb_ack
);
  function integer clogb2;
    input [31:0] value;
    begin
      value = value - 1;
      for (clogb2 = 0; value > 0; clogb2 = clogb2 + 1)
        value = value >> 1;
    end
  endfunction
  localparam AW = clogb2(DEPTH);
  reg [DW-1:0] mem [DEPTH-1:0];
  reg [AW-1:0] wr_ptr, rd_ptr;
  reg [AW:0] level;
  reg overflow;
  wire access = i_wb_cyc && i_wb_stb && !o_wb_ack;
  wire push = access && i_wb_we && i_wb_adr == 0 && level != DEPTH;
  wire pop = access && !i_wb_we && i_wb_adr == 0 && level != 0;
  wire [AW-1:0] wr_next = wr_ptr == DEPTH - 1 ? {AW{1'b0}} : wr_ptr + 1'b1;
  wire [AW-1:0] rd_next = rd_ptr == DEPTH - 1 ? {AW{1'b0}} : rd_ptr + 1'b1;
  always @(posedge i_clk) begin
    if (push) mem[wr_ptr] <= i_wb_dat;
    if (i_wb_adr == 0) o_wb_dat <= mem[rd_ptr];
    else o_wb_dat <= {overflow, {(DW-AW-2){1'b0}}, level};
    o_wb_ack <= access;
    if (push) wr_ptr <= wr_next;
    if (pop) rd_ptr <= rd_next;
    level <= level + push - pop;
    if (access && i_wb_we && i_wb_adr == 0 && level == DEPTH) overflow <= 1'b1;
    if (i_rst) begin wr_ptr <= 0; rd_ptr <= 0; level <= 0; overflow <= 0; o_wb_ack <= 0; end
  end
endmodule
