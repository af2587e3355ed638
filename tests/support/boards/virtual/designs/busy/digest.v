// A digest of a stream, in the way in which published cores are written: every register has an asynchronous reset to a constant, a
// block has eight rounds of additions, rotations and exclusive ors, and then its result is added to the digest. A register that
// is set now and then by the stream resets all of it in the middle of a block.
module digest (
  input wire clk,
  input wire rx,
  output wire tx
);
  localparam [31:0] INIT_A = 32'h243f6a88, INIT_B = 32'h85a308d3, INIT_C = 32'h13198a2e, INIT_D = 32'h03707344;

  reg [15:0] beats = 0;
  reg restart = 1;
  wire reset_n = ~restart;
  always @(posedge clk) begin
    beats <= {beats[14:0], beats[15] ^ beats[13] ^ beats[12] ^ beats[10] ^ ~rx};
    restart <= beats[9:0] == 10'h2a5;
  end

  reg [31:0] a, b, c, d, digest_a, digest_b, digest_c, digest_d;
  reg [31:0] block;
  reg [3:0] round;
  wire [31:0] sum = a + b + block;
  wire [31:0] mixed = d ^ sum;
  always @(posedge clk or negedge reset_n)
    if (!reset_n) begin
      a <= INIT_A;
      b <= INIT_B;
      c <= INIT_C;
      d <= INIT_D;
      digest_a <= INIT_A;
      digest_b <= INIT_B;
      digest_c <= INIT_C;
      digest_d <= INIT_D;
      block <= 0;
      round <= 0;
    end else if (round == 8) begin
      digest_a <= digest_a + a;
      digest_b <= digest_b + b;
      digest_c <= digest_c + c;
      digest_d <= digest_d + d;
      a <= INIT_A;
      b <= INIT_B;
      c <= INIT_C;
      d <= INIT_D;
      block <= {block[30:0], rx} ^ digest_d;
      round <= 0;
    end else begin
      a <= sum;
      d <= {mixed[15:0], mixed[31:16]};
      c <= c + mixed;
      b <= {b[19:0], b[31:20]} ^ c;
      block <= {block[6:0], block[31:7]};
      round <= round + 1;
    end
  assign tx = ^digest_a ^ digest_b[7] ^ digest_c[13] ^ digest_d[31];
endmodule
