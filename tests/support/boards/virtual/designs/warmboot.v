module top(input clk, input rx, output tx);
  SB_WARMBOOT boot (.BOOT(rx), .S1(1'b0), .S0(1'b1));
  assign tx = rx;
endmodule
