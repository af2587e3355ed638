// Echo memory: 512 words that read back what was written. The documented contract of the bench, so this file
// is also the place to start a design of your own from.
//
//   byte address 0x000 to 0x7FC   one word of block RAM each
module echo (
    input  wire        clk,
    input  wire        rst,      // synchronous, active high
    input  wire        wb_cyc,
    input  wire        wb_stb,
    input  wire        wb_we,
    input  wire [ 8:0] wb_adr,   // word address: byte address / 4
    input  wire [31:0] wb_dat_w,
    input  wire [ 3:0] wb_sel,   // always 1111
    output reg  [31:0] wb_dat_r,
    output reg         wb_ack
);
  reg [31:0] memory[0:511];

  // One access takes one clock: the acknowledge and the word that was read come with the next edge.
  wire access = wb_cyc & wb_stb & ~wb_ack;

  initial wb_ack = 1'b0;
  always @(posedge clk) wb_ack <= access & ~rst;

  // Kept to the form that synthesis turns into block RAM: one write and one registered read, no reset.
  always @(posedge clk) begin
    if (access & wb_we) memory[wb_adr] <= wb_dat_w;
    wb_dat_r <= memory[wb_adr];
  end
endmodule
