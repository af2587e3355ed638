// Ports in camel case, and an enable of the clock that has to be 1 for anything to go on.
// Wishbone slave: module SampleHold, 32-bit data, classic handshake, reset active high
// ports: ack = wbAckO, cyc = wbCycI, stb = wbStbI, we = wbWeI, adr = wbAdrI, dat_w = wbDatI, dat_r = wbDatO, clk = wbClkI, rst = wbRstI
// addresses: byte
module SampleHold (
  input wbClkI, input wbRstI, input wbCycI, input wbStbI, input wbWeI, input [5:0] wbAdrI, input [31:0] wbDatI,
  output reg [31:0] wbDatO, output reg wbAckO, input i_ce
);
  reg [31:0] held, shadow;
  reg [7:0] age;
  always @(posedge wbClkI)
    if (wbRstI) begin held <= 0; shadow <= 0; age <= 0; wbAckO <= 0; end
    else if (i_ce) begin
      wbAckO <= wbCycI & wbStbI & ~wbAckO;
      if (wbCycI & wbStbI & wbWeI & ~wbAckO) begin shadow <= held; held <= wbDatI; age <= 0; end
      else if (~&age) age <= age + 1'b1;
      case (wbAdrI[5:2])
        4'd0: wbDatO <= held;
        4'd1: wbDatO <= shadow;
        default: wbDatO <= {24'd0, age};
      endcase
    end
endmodule
