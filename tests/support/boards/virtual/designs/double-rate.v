module top(input clk, input rx, output tx);
  SB_IO #(.PIN_TYPE(6'b0100_01)) ddr (.PACKAGE_PIN(tx), .OUTPUT_CLK(clk), .D_OUT_0(rx), .D_OUT_1(1'b1));
endmodule
