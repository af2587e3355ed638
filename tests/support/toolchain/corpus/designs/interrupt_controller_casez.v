// The first interrupt of sixteen is found by a casez; masks, edges and levels are registers.
// Wishbone slave: module irq_controller, 32-bit data, classic handshake, reset active high
// ports: ack = wbs_ack_o, cyc = wbs_cyc_i, stb = wbs_stb_i, we = wbs_we_i, adr = wbs_adr_i, dat_w = wbs_dat_i, dat_r = wbs_dat_o, sel = wbs_sel_i, clk = wb_clk_i, rst = wb_rst_i
// addresses: byte
module irq_controller (
  input wb_clk_i, input wb_rst_i, input wbs_cyc_i, input wbs_stb_i, input wbs_we_i, input [31:0] wbs_adr_i, input [3:0] wbs_sel_i,
  input [31:0] wbs_dat_i, output reg [31:0] wbs_dat_o, output reg wbs_ack_o, input [15:0] irq_in, output irq_out
);
  localparam PENDING = 8'h00, MASK = 8'h04, EDGE = 8'h08, VECTOR = 8'h0C, SOFT = 8'h10;
  reg [15:0] pending, mask, edges, last, soft;
  reg [4:0] vector;
  wire [15:0] active = pending & mask;
  wire access = wbs_cyc_i & wbs_stb_i & ~wbs_ack_o;
  assign irq_out = |active;
  always @*
    casez (active)
      16'b???????????????1: vector = 5'd0;
      16'b??????????????10: vector = 5'd1;
      16'b?????????????100: vector = 5'd2;
      16'b????????????1000: vector = 5'd3;
      16'b???????????10000: vector = 5'd4;
      16'b??????????100000: vector = 5'd5;
      16'b?????????1000000: vector = 5'd6;
      16'b????????10000000: vector = 5'd7;
      16'b???????100000000: vector = 5'd8;
      16'b??????1000000000: vector = 5'd9;
      16'b?????10000000000: vector = 5'd10;
      16'b????100000000000: vector = 5'd11;
      16'b???1000000000000: vector = 5'd12;
      16'b??10000000000000: vector = 5'd13;
      16'b?100000000000000: vector = 5'd14;
      16'b1000000000000000: vector = 5'd15;
      default: vector = 5'd16;
    endcase
  always @(posedge wb_clk_i) begin
    last <= irq_in;
    soft <= 0;
    pending <= (pending & edges) | (edges & irq_in & ~last) | (~edges & irq_in) | soft;
    wbs_ack_o <= access;
    if (access & wbs_we_i)
      case (wbs_adr_i[7:0])
        PENDING: pending <= pending & ~wbs_dat_i[15:0];
        MASK: mask <= wbs_dat_i[15:0];
        EDGE: edges <= wbs_dat_i[15:0];
        SOFT: soft <= wbs_dat_i[15:0];
        default:;
      endcase
    case (wbs_adr_i[7:0])
      PENDING: wbs_dat_o <= {16'b0, pending};
      MASK: wbs_dat_o <= {16'b0, mask};
      EDGE: wbs_dat_o <= {16'b0, edges};
      VECTOR: wbs_dat_o <= {27'b0, vector};
      default: wbs_dat_o <= 32'b0;
    endcase
    if (wb_rst_i) begin pending <= 0; mask <= 0; edges <= 0; last <= 0; soft <= 0; wbs_ack_o <= 0; end
  end
endmodule
