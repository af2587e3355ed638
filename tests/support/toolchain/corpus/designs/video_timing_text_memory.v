// The timing of a 640 by 480 picture with a memory of characters, two ports of which the bus has one.
// Wishbone slave: module text_video, 32-bit data, pipelined handshake, reset active high
// ports: ack = o_wb_ack, cyc = i_wb_cyc, stb = i_wb_stb, we = i_wb_we, adr = i_wb_addr, dat_w = i_wb_data, dat_r = o_wb_data, sel = i_wb_sel, stall = o_wb_stall, clk = i_clk, rst = i_reset
// addresses: word
module text_video #(parameter H_VISIBLE = 640, H_FRONT = 16, H_SYNC = 96, H_BACK = 48, V_VISIBLE = 480, V_FRONT = 10, V_SYNC = 2, V_BACK = 33) (
  input i_clk, input i_reset, input i_wb_cyc, input i_wb_stb, input i_wb_we, input [9:0] i_wb_addr, input [31:0] i_wb_data,
  input [3:0] i_wb_sel, output o_wb_stall, output reg o_wb_ack, output reg [31:0] o_wb_data, output reg hsync, vsync, output reg pixel
);
  localparam H_TOTAL = H_VISIBLE + H_FRONT + H_SYNC + H_BACK, V_TOTAL = V_VISIBLE + V_FRONT + V_SYNC + V_BACK;
  reg [7:0] text [0:1023];
  reg [9:0] x, y;
  reg [7:0] character;
  wire [9:0] cell_address = {y[8:5], x[9:4]};
  assign o_wb_stall = 1'b0;
  always @(posedge i_clk) begin
    if (i_wb_stb & i_wb_we & i_wb_sel[0]) text[i_wb_addr] <= i_wb_data[7:0];
    o_wb_data <= {24'd0, text[i_wb_addr]};
    o_wb_ack <= i_wb_stb & i_wb_cyc & ~i_reset;
  end
  always @(posedge i_clk) character <= text[cell_address];
  always @(posedge i_clk)
    if (i_reset) begin x <= 0; y <= 0; end
    else if (x == H_TOTAL - 1) begin
      x <= 0;
      y <= y == V_TOTAL - 1 ? 10'd0 : y + 10'd1;
    end else x <= x + 10'd1;
  always @(posedge i_clk) begin
    hsync <= ~(x >= H_VISIBLE + H_FRONT && x < H_VISIBLE + H_FRONT + H_SYNC);
    vsync <= ~(y >= V_VISIBLE + V_FRONT && y < V_VISIBLE + V_FRONT + V_SYNC);
    pixel <= x < H_VISIBLE && y < V_VISIBLE && character[x[3:1]] ^ (&y[4:1]);
  end
endmodule
