// A user project in the manner of Caravel: wbs_*_i and wbs_*_o, and a slave that decodes its whole address, so
// nothing answers outside of its window. The logic-analyser and pad ports of the harness are there too.
//
//   0x2100_0000 SCRATCH  r/w
//   0x2100_0004 COUNT    r/w    counts up once in 16 clocks while ENABLE is 1
//   0x2100_0008 ENABLE   r/w    bit 0
//   0x2100_000C LA       read   the low logic-analyser inputs whose output enable bar is 0
module user_project (
    input  wire         wb_clk_i,
    input  wire         wb_rst_i,
    input  wire         wbs_stb_i,
    input  wire         wbs_cyc_i,
    input  wire         wbs_we_i,
    input  wire [  3:0] wbs_sel_i,
    input  wire [ 31:0] wbs_dat_i,
    input  wire [ 31:0] wbs_adr_i,
    output reg          wbs_ack_o,
    output reg  [ 31:0] wbs_dat_o,
    input  wire [127:0] la_data_in,
    output wire [127:0] la_data_out,
    input  wire [127:0] la_oenb,
    input  wire [ 37:0] io_in,
    output wire [ 37:0] io_out,
    output wire [ 37:0] io_oeb,
    output wire [  2:0] irq
);
  localparam BASE = 28'h2100_000;

  reg [31:0] scratch, count;
  reg [3:0] prescaler;
  reg enable;

  wire selected = wbs_cyc_i & wbs_stb_i & (wbs_adr_i[31:4] == BASE);
  wire access = selected & ~wbs_ack_o;

  assign la_data_out = {96'd0, count};
  assign io_out = {6'd0, count};
  assign io_oeb = {38{~enable}};
  assign irq = 3'd0;

  always @(posedge wb_clk_i)
    if (wb_rst_i) begin
      wbs_ack_o <= 1'b0;
      wbs_dat_o <= 32'd0;
      scratch   <= 32'd0;
      count     <= 32'd0;
      prescaler <= 4'd0;
      enable    <= 1'b0;
    end else begin
      wbs_ack_o <= access;
      if (enable) prescaler <= prescaler + 1'b1;
      if (enable & (&prescaler)) count <= count + 1'b1;
      if (access) begin
        case (wbs_adr_i[3:2])
          2'd0: wbs_dat_o <= scratch;
          2'd1: wbs_dat_o <= count;
          2'd2: wbs_dat_o <= {31'd0, enable};
          2'd3: wbs_dat_o <= la_data_in[31:0] & ~la_oenb[31:0];
        endcase
        if (wbs_we_i)
          case (wbs_adr_i[3:2])
            2'd0: scratch <= wbs_dat_i;
            2'd1: count <= wbs_dat_i;
            2'd2: enable <= wbs_dat_i[0];
            default: ;
          endcase
      end
    end
endmodule
