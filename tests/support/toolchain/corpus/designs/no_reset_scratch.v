// A scratch register without a reset: it begins with its initial value.
// Wishbone slave: module scratch, 32-bit data, classic handshake
// ports: ack = ACK_O, cyc = CYC_I, stb = STB_I, we = WE_I, adr = ADR_I, dat_w = DAT_I, dat_r = DAT_O, clk = CLK
// addresses: word
module scratch(input CLK, input CYC_I, input STB_I, input WE_I, input [1:0] ADR_I, input [31:0] DAT_I, output [31:0] DAT_O, output ACK_O);
  reg [31:0] value = 32'hCAFE_F00D;
  reg [31:0] writes = 0;
  reg ack = 0;
  assign ACK_O = ack;
  assign DAT_O = ADR_I[0] ? writes : value;
  always @(posedge CLK) begin
    ack <= CYC_I & STB_I & ~ack;
    if (CYC_I & STB_I & WE_I & ~ack) begin
      value <= DAT_I;
      writes <= writes + 1;
    end
  end
endmodule
