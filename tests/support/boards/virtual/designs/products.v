// Products of two variables: with signs and without, lower halves and whole ones, with other numbers added, and of
// factors that are chosen.
module top (input clk, input [15:0] in, output [31:0] out);
  reg [31:0] noise = 32'hace1, other = 32'h5eed;
  always @(posedge clk) begin
    noise <= {noise[30:0], noise[31] ^ noise[21] ^ noise[1] ^ noise[0] ^ in[0]};
    other <= {other[30:0], other[31] ^ other[21] ^ other[1] ^ other[0] ^ in[1]};
  end
  reg [7:0] a8 = 0, b8 = 0;
  reg [23:0] sum = 0;
  reg signed [15:0] a16 = 0, b16 = 0;
  reg signed [31:0] square = 0;
  reg [31:0] a32 = 0, b32 = 0, low = 0;
  reg signed [11:0] a12 = 0;
  reg signed [8:0] b9 = 0;
  reg signed [13:0] c14 = 0;
  reg signed [21:0] mixed = 0;
  reg [16:0] a17 = 0, b17 = 0;
  reg [33:0] whole = 0;
  reg [9:0] a10 = 10'h3ff, b10 = 0, c10 = 10'h2a5;
  reg [19:0] chosen = 0;
  wire [9:0] left = in[2] ? a10 : other[29:20], right = in[3] ? b10 : b10 ^ c10;
  always @(posedge clk) begin
    a8 <= noise[12:5];
    b8 <= other[7:0];
    sum <= sum + a8 * b8;
    a16 <= noise[20:5];
    b16 <= other[15:0];
    square <= a16 * b16;
    a32 <= {noise[15:0], noise[31:16]};
    b32 <= other;
    low <= a32 * b32;
    a12 <= noise[30:19];
    b9 <= other[30:22];
    c14 <= noise[13:0];
    mixed <= a12 * b9 + c14;
    a17 <= noise[24:8];
    b17 <= other[28:12];
    whole <= a17 * b17;
    a10 <= noise[9:0];
    b10 <= other[9:0];
    c10 <= noise[19:10];
    chosen <= left * right;
  end
  assign out = sum ^ square ^ low ^ mixed ^ whole[31:0] ^ whole[33:32] ^ chosen;
endmodule
