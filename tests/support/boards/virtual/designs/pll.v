module top(input clk, input rx, output tx);
  wire fast;
  reg q = 0;
  SB_PLL40_CORE #(.FEEDBACK_PATH("SIMPLE"), .DIVR(4'd0), .DIVF(7'd63), .DIVQ(3'd5), .FILTER_RANGE(3'd1))
    pll (.REFERENCECLK(clk), .PLLOUTCORE(fast), .RESETB(1'b1), .BYPASS(1'b0));
  always @(posedge fast) q <= rx;
  assign tx = q;
endmodule
