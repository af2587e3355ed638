// Pseudo-random numbers: a 32-bit xorshift generator. Active-low reset, no cyc, no sel, and an acknowledge that
// is held for two clocks, as some older slaves do.
//
//   0x0 NEXT   r/w    read: the next number; write: sets the seed
//   0x4 TAKEN  read   how many numbers were taken since the seed
module random (
    input  wire        clk,
    input  wire        rst_n,
    input  wire        stb_i,
    input  wire        we_i,
    input  wire [ 2:0] addr_i,
    input  wire [31:0] data_i,
    output reg  [31:0] data_o,
    output wire        ack_o
);
  localparam SEED = 32'h2545_F491;

  reg [31:0] state = SEED;
  reg [31:0] taken = 0;
  reg [1:0] answered = 0;

  // xorshift32 of G. Marsaglia, Journal of Statistical Software 8 (2003), 14: shifts 13, 17, 5.
  wire [31:0] a = state ^ (state << 13);
  wire [31:0] b = a ^ (a >> 17);
  wire [31:0] c = b ^ (b << 5);

  assign ack_o = |answered;
  wire access = stb_i & ~ack_o;

  always @(posedge clk or negedge rst_n)
    if (!rst_n) begin
      state    <= SEED;
      taken    <= 32'd0;
      answered <= 2'd0;
      data_o   <= 32'd0;
    end else begin
      answered <= {answered[0], access};
      if (access)
        if (addr_i == 3'd0) begin
          state  <= we_i ? data_i : c;
          taken  <= we_i ? 32'd0 : taken + 1'b1;
          data_o <= c;
        end else data_o <= taken;
    end
endmodule
