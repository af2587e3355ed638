// What the base SoC says of itself and never changes, a bit at a time, in one block RAM: the words of the identity
// block, and the identifier as LiteX has it, a character a word.
module wishbench_constants #(
    parameter [511:0] BLOCK = 512'd0,     // 16 words, the first one lowest
    parameter [511:0] IDENTIFIER = 512'd0 // 64 characters, the first one uppermost
) (
    input  wire        clk,
    input  wire [10:0] place, // word, then bit of it
    output reg  [1:0]  bits   // of the block, which repeats every 16 words, and of the identifier; a clock late
);
  (* rom_style = "block" *)
  reg [1:0] memory [0:2047];

  integer word, place_in_word;
  initial begin
    bits = 2'b00;
    for (word = 0; word < 64; word = word + 1)
      for (place_in_word = 0; place_in_word < 32; place_in_word = place_in_word + 1)
        memory[32 * word + place_in_word] = {
          place_in_word < 8 ? IDENTIFIER[8 * (63 - word) + (place_in_word % 8)] : 1'b0,
          BLOCK[32 * (word % 16) + place_in_word]
        };
  end

  always @(posedge clk) bits <= memory[place];
endmodule
