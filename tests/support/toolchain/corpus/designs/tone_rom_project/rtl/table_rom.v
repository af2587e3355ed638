`timescale 1ns/1ps
module table_rom #(parameter FILE = "", parameter BITS = 8) (input clk, input [5:0] at, output reg [BITS-1:0] value);
  reg [BITS-1:0] words [0:63];
  initial $readmemh(FILE, words);
  always @(posedge clk) value <= words[at];
endmodule
