// A Gray counter made by generate loops, and a second one in a domain of half the clock.
// Wishbone slave: module gray_pair, 32-bit data, classic handshake, reset active high
// ports: ack = wb_ack_o, cyc = wb_cyc_i, stb = wb_stb_i, we = wb_we_i, adr = wb_adr_i, dat_w = wb_dat_i, dat_r = wb_dat_o, clk = clk_i, rst = rst_i
// addresses: byte
module gray_pair #(parameter W = 12) (
  input clk_i, input rst_i, input wb_cyc_i, input wb_stb_i, input wb_we_i, input [3:0] wb_adr_i, input [31:0] wb_dat_i,
  output reg [31:0] wb_dat_o, output reg wb_ack_o
);
  reg half = 0;
  always @(posedge clk_i) half <= ~half;
  wire [W-1:0] fast_gray, slow_gray, slow_binary;
  reg [W-1:0] meta, sync;
  reg enable = 1;
  gray_counter #(W) fast (.clk(clk_i), .rst(rst_i), .enable(enable), .gray(fast_gray));
  gray_counter #(.W(W)) slow (.clk(half), .rst(rst_i), .enable(1'b1), .gray(slow_gray));
  always @(posedge clk_i) {sync, meta} <= {meta, slow_gray};
  genvar i;
  generate
    for (i = 0; i < W; i = i + 1) begin : to_binary
      assign slow_binary[i] = ^sync[W-1:i];
    end
  endgenerate
  always @(posedge clk_i) begin
    wb_ack_o <= wb_cyc_i & wb_stb_i & ~wb_ack_o & ~rst_i;
    if (wb_cyc_i & wb_stb_i & wb_we_i) enable <= wb_dat_i[0];
    case (wb_adr_i[3:2])
      0: wb_dat_o <= enable;
      1: wb_dat_o <= fast_gray;
      2: wb_dat_o <= sync;
      3: wb_dat_o <= slow_binary;
    endcase
  end
endmodule

module gray_counter #(parameter W = 8) (input clk, input rst, input enable, output reg [W-1:0] gray);
  reg [W-1:0] binary;
  always @(posedge clk)
    if (rst) begin
      binary <= {W{1'b0}};
      gray <= {W{1'b0}};
    end else if (enable) begin : step
      reg [W-1:0] next;
      next = binary + 1'b1;
      binary <= next;
      gray <= next ^ (next >> 1);
    end
endmodule
