// A filter of 16 taps with constant coefficients over samples of 12 bits, in transposed form: sixteen products and sums in
// every clock, no DSP blocks.
module fir (
  input wire clk,
  input wire rx,
  output wire tx
);
  reg [15:0] noise = 16'hace1;
  always @(posedge clk) noise <= {noise[14:0], noise[15] ^ noise[13] ^ noise[12] ^ noise[10] ^ rx};
  wire signed [11:0] sample = noise[11:0];

  wire signed [23:0] sum [0:16];
  assign sum[16] = 24'sd0;
  genvar i;
  generate
    for (i = 0; i < 16; i = i + 1) begin : tap
      // A window that rises and falls.
      localparam signed [9:0] COEFFICIENT = 9 + 23 * (i < 8 ? i : 15 - i) + (i % 3) * 2;
      reg signed [23:0] held = 0;
      always @(posedge clk) held <= sum[i + 1] + sample * COEFFICIENT;
      assign sum[i] = held;
    end
  endgenerate
  reg [23:0] energy = 0;
  always @(posedge clk) energy <= energy + (sum[0][23] ? ~sum[0] : sum[0]);
  assign tx = energy[23];
endmodule
