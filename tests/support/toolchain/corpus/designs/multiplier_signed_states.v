// A sequential multiplier of signed numbers, with states as one-hot parameters.
// Wishbone slave: module shift_multiplier, 32-bit data, classic handshake, reset active high
// ports: ack = wb_ack, cyc = wb_cyc, stb = wb_stb, we = wb_we, adr = wb_adr, dat_w = wb_dat_w, dat_r = wb_dat_r, sel = wb_sel, clk = clk, rst = rst
// addresses: word
module shift_multiplier (
  input clk, input rst, input wb_cyc, input wb_stb, input wb_we, input [29:0] wb_adr, input [31:0] wb_dat_w, input [3:0] wb_sel,
  output reg [31:0] wb_dat_r, output reg wb_ack
);
  parameter S_IDLE = 3'b001, S_RUN = 3'b010, S_SIGN = 3'b100;
  reg [2:0] state;
  reg signed [31:0] a, b;
  reg [63:0] product;
  reg [31:0] multiplicand;
  reg [5:0] steps;
  reg negative;
  wire [32:0] upper = {1'b0, product[63:32]} + (product[0] ? {1'b0, multiplicand} : 33'd0);
  wire access = wb_cyc & wb_stb & ~wb_ack;
  always @(posedge clk)
    if (rst) begin
      state <= S_IDLE; a <= 0; b <= 0; wb_ack <= 0; product <= 0; negative <= 0; steps <= 0; multiplicand <= 0;
    end else begin
      wb_ack <= access;
      case (state)
        S_IDLE:
          if (access && wb_we && wb_adr[1:0] == 2'd1) begin
            b <= wb_dat_w;
            multiplicand <= a < 0 ? -a : a;
            product <= {32'd0, $signed(wb_dat_w) < 0 ? -wb_dat_w : wb_dat_w};
            negative <= a[31] ^ wb_dat_w[31];
            steps <= 6'd32;
            state <= S_RUN;
          end
        S_RUN: begin
          product <= {upper, product[31:1]};
          steps <= steps - 6'd1;
          if (steps == 6'd1) state <= S_SIGN;
        end
        S_SIGN: begin
          if (negative) product <= -product;
          state <= S_IDLE;
        end
        default: state <= S_IDLE;
      endcase
      if (access && wb_we && wb_adr[1:0] == 2'd0) a <= wb_dat_w;
      case (wb_adr[1:0])
        2'd0: wb_dat_r <= a;
        2'd1: wb_dat_r <= {31'd0, state != S_IDLE};
        2'd2: wb_dat_r <= product[31:0];
        2'd3: wb_dat_r <= product[63:32];
      endcase
    end
endmodule
