// Timer in the manner of the ZipCPU: i_wb_* and o_wb_*, pipelined handshake, word addresses. It is never busy,
// so o_wb_stall is constant and every request is acknowledged one clock later.
//
//   0x0 COUNT   r/w    clocks left; writing starts it
//   0x4 RELOAD  r/w    what COUNT starts from again when it ends; 0 stops it
//   0x8 ENDED   r/w    how often it has ended; writing sets it
//   0xC UPTIME  read   clocks since reset
module timer (
    input  wire        i_clk,
    input  wire        i_reset,
    input  wire        i_ce,        // 0 freezes the timer; the bench ties it to 1
    input  wire        i_wb_cyc,
    input  wire        i_wb_stb,
    input  wire        i_wb_we,
    input  wire [ 1:0] i_wb_addr,
    input  wire [31:0] i_wb_data,
    input  wire [ 3:0] i_wb_sel,
    output wire        o_wb_stall,
    output reg         o_wb_ack,
    output reg  [31:0] o_wb_data,
    output wire        o_int
);
  reg [31:0] count = 0, reload = 0, ended = 0, uptime = 0;

  wire write = i_wb_cyc & i_wb_stb & i_wb_we;
  wire ends = i_ce & (count == 32'd1);

  assign o_wb_stall = 1'b0;
  assign o_int = ends;

  initial o_wb_ack = 1'b0;
  always @(posedge i_clk) o_wb_ack <= i_wb_cyc & i_wb_stb & ~i_reset;

  always @(posedge i_clk)
    if (i_reset) begin
      count  <= 0;
      reload <= 0;
      ended  <= 0;
      uptime <= 0;
    end else begin
      if (i_ce) uptime <= uptime + 1'b1;
      if (write && i_wb_addr == 2'd0) count <= i_wb_data;
      else if (ends) count <= reload;
      else if (i_ce && count != 0) count <= count - 1'b1;
      if (write && i_wb_addr == 2'd1) reload <= i_wb_data;
      if (write && i_wb_addr == 2'd2) ended <= i_wb_data;
      else if (ends) ended <= ended + 1'b1;
    end

  always @(posedge i_clk)
    case (i_wb_addr)
      2'd0: o_wb_data <= count;
      2'd1: o_wb_data <= reload;
      2'd2: o_wb_data <= ended;
      2'd3: o_wb_data <= uptime;
    endcase
endmodule
