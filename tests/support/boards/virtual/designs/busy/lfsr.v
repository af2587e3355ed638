// Shift registers that feed themselves back: 32 of 32 bits (Galois, taps 32 22 2 1), each with a seed of its own, and a
// signature of all of them. Something changes in every bit in every clock.
module lfsr (
  input wire clk,
  input wire rx,
  output wire tx
);
  localparam N = 32;
  wire [N-1:0] last;
  genvar i;
  generate
    for (i = 0; i < N; i = i + 1) begin : register
      reg [31:0] state = 32'h9e3779b9 * (2 * i + 1);
      // The input delays one of them: a constant can not be made of any.
      always @(posedge clk)
        if (i != 0 || rx) state <= {1'b0, state[31:1]} ^ (state[0] ? 32'h80200003 : 32'd0);
      assign last[i] = state[0];
    end
  endgenerate
  reg [31:0] signature = 0;
  always @(posedge clk) signature <= {signature[30:0], signature[31]} ^ last;
  assign tx = ^signature;
endmodule
