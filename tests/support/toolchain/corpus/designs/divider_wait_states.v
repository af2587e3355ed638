// A read waits until the division is through.
// Wishbone slave: module waiting_divider, 32-bit data, pipelined handshake, reset active high
// ports: ack = o_wb_ack, cyc = i_wb_cyc, stb = i_wb_stb, we = i_wb_we, adr = i_wb_addr, dat_w = i_wb_data, dat_r = o_wb_data, stall = o_wb_stall, clk = i_clk, rst = i_rst
// addresses: word
module waiting_divider (
  input i_clk, i_rst, input i_wb_cyc, i_wb_stb, i_wb_we, input [1:0] i_wb_addr, input [31:0] i_wb_data,
  output reg [31:0] o_wb_data, output reg o_wb_ack, output o_wb_stall
);
  reg [15:0] dividend, divisor, quotient;
  reg [16:0] remainder;
  reg [4:0] left;
  reg asked;
  wire [16:0] shifted = {remainder[15:0], dividend[15]};
  wire fits = shifted >= {1'b0, divisor};
  assign o_wb_stall = asked;
  always @(posedge i_clk) begin
    o_wb_ack <= 1'b0;
    if (left != 0) begin
      remainder <= fits ? shifted - {1'b0, divisor} : shifted;
      dividend <= {dividend[14:0], 1'b0};
      quotient <= {quotient[14:0], fits};
      left <= left - 5'd1;
    end
    if (i_wb_cyc && i_wb_stb && !o_wb_stall) begin
      if (i_wb_we) begin
        if (i_wb_addr[0]) begin divisor <= i_wb_data[15:0]; left <= 5'd16; remainder <= 0; end
        else dividend <= i_wb_data[15:0];
        o_wb_ack <= 1'b1;
      end else asked <= 1'b1;
    end
    if (asked && left == 0) begin
      asked <= 1'b0;
      o_wb_ack <= 1'b1;
      o_wb_data <= {remainder[15:0], quotient};
    end
    if (i_rst) begin asked <= 0; left <= 0; o_wb_ack <= 0; end
  end
endmodule
