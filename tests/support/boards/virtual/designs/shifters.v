// Shifts of 32 bits by any distance, in one clock: to the left, to the right, and with the sign.
module top (input clk, input [15:0] in, output [31:0] out);
  reg [31:0] noise = 32'hace1;
  always @(posedge clk) noise <= {noise[30:0], noise[31] ^ noise[21] ^ noise[1] ^ noise[0] ^ in[0]};
  reg [31:0] word = 0, left = 0, right = 0, arithmetic = 0, signature = 0;
  reg [4:0] distance = 0;
  always @(posedge clk) begin
    word <= noise;
    distance <= noise[12:8] ^ noise[20:16] ^ in[5:1];
    left <= word << distance;
    right <= word >> distance;
    arithmetic <= $signed(word) >>> distance;
    signature <= {signature[30:0], signature[31]} ^ left ^ (right + arithmetic);
  end
  assign out = signature;
endmodule
