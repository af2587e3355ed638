// Every way in which SB_IO passes a signal out or in (PIN_TYPE as in Lattice's technology library).
module pads(input clk, input rx, input b, output tx, inout t0, inout t1, output r0, output n0, output n1,
            input i0, input l0, output o0, output o1, output o2);
  reg toggle = 0;
  always @(posedge clk) toggle <= ~toggle;
  // tri-state: driven while b is high, direct and with a registered enable; read back
  wire back0, back1, in0, in1, held;
  SB_IO #(.PIN_TYPE(6'b1010_01)) plain (.PACKAGE_PIN(t0), .OUTPUT_ENABLE(b), .D_OUT_0(rx), .D_IN_0(back0));
  SB_IO #(.PIN_TYPE(6'b1110_01), .PULLUP(1'b1)) enabled
    (.PACKAGE_PIN(t1), .OUTPUT_ENABLE(b), .OUTPUT_CLK(clk), .D_OUT_0(rx), .D_IN_0(back1));
  SB_IO #(.PIN_TYPE(6'b0101_01)) registered (.PACKAGE_PIN(r0), .OUTPUT_CLK(clk), .D_OUT_0(rx));
  SB_IO #(.PIN_TYPE(6'b0111_01)) inverted (.PACKAGE_PIN(n0), .OUTPUT_CLK(clk), .D_OUT_0(rx));
  SB_IO #(.PIN_TYPE(6'b0101_01), .NEG_TRIGGER(1'b1)) falling (.PACKAGE_PIN(n1), .OUTPUT_CLK(clk), .D_OUT_0(toggle));
  SB_IO #(.PIN_TYPE(6'b0000_00)) both (.PACKAGE_PIN(i0), .INPUT_CLK(clk), .D_IN_0(in0), .D_IN_1(in1));
  SB_IO #(.PIN_TYPE(6'b0000_11)) latched (.PACKAGE_PIN(l0), .LATCH_INPUT_VALUE(b), .D_IN_0(held));
  assign tx = back0;
  assign o0 = back1;
  assign o1 = in0 ^ in1;
  assign o2 = held;
endmodule
