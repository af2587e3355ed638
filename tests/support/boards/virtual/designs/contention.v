module top(input clk, inout rx, output tx);
  SB_IO #(.PIN_TYPE(6'b1010_01)) pad (.PACKAGE_PIN(rx), .OUTPUT_ENABLE(tx), .D_OUT_0(1'b0), .D_IN_0(tx));
endmodule
