// A timer as SERV's servant names its bus: no strobe, rdt for what is read.
// Wishbone slave: module servant_timer, 32-bit data, classic handshake, reset active high
// ports: ack = o_wb_ack, cyc = i_wb_cyc, we = i_wb_we, adr = i_wb_adr, dat_w = i_wb_dat, dat_r = o_wb_rdt, clk = i_clk, rst = i_rst
// addresses: byte
`default_nettype none
module servant_timer #(parameter WIDTH = 32, parameter RESET_STRATEGY = "MINI") (
  input wire i_clk, input wire i_rst, output reg o_irq,
  input wire [31:0] i_wb_adr, input wire [31:0] i_wb_dat, input wire i_wb_we, input wire i_wb_cyc,
  output reg [31:0] o_wb_rdt, output reg o_wb_ack
);
  reg [WIDTH-1:0] mtime, mtimecmp;
  initial mtimecmp = 0;
  always @(posedge i_clk) begin
    if (i_wb_cyc & i_wb_we & i_wb_adr[2]) mtimecmp <= i_wb_dat;
    o_wb_rdt <= i_wb_adr[2] ? mtimecmp : mtime;
    o_wb_ack <= i_wb_cyc & !o_wb_ack;
    mtime <= mtime + 1'b1;
    o_irq <= (mtimecmp - mtime) > 32'h8000_0000;
    if (RESET_STRATEGY != "NONE")
      if (i_rst) begin
        mtime <= 0;
        o_wb_ack <= 0;
      end
  end
endmodule
