// The design of the board check: a memory, and a sequence of words that the design makes by itself. Of a word that
// was damaged on its way to the board, or on the bus, the design knows without being told what was meant; the host
// knows the same of the way back.
//
//   0x0000 to 0x07FC  r/w    memory of 512 words, block RAM
//   0x1000 SEQUENCE   read   the next word of the sequence
//                     write  is compared with the next word of the sequence
//   0x1004 WRONG      read   words written that were not the next one
//                     write  begins the sequence anew and clears both counts
//   0x1008 WORDS      read   words taken and given since then
//
// The sequence is Marsaglia's xorshift32 (Journal of Statistical Software 8, 14: shifts 13, 17, 5) from 0x57424348.
module board_check (
    input  wire        clk,
    input  wire        rst,
    input  wire        wb_cyc,
    input  wire        wb_stb,
    input  wire        wb_we,
    input  wire [10:0] wb_adr,    // word address
    input  wire [31:0] wb_dat_w,
    input  wire [ 3:0] wb_sel,
    output wire [31:0] wb_dat_r,
    output reg         wb_ack
);
  localparam [31:0] FIRST = 32'h57424348;

  reg [31:0] memory[0:511];
  reg [31:0] from_memory, from_register;
  reg [31:0] word, written, wanted;
  reg [15:0] wrong, words;
  reg reads_memory, compares;

  wire access = wb_cyc & wb_stb & ~wb_ack;
  wire registers = wb_adr[10];
  wire next = access & registers & (wb_adr[1:0] == 2'd0);
  wire restart = access & registers & wb_we & (wb_adr[1:0] == 2'd1);

  wire [31:0] shift_13 = word ^ (word << 13);
  wire [31:0] shift_17 = shift_13 ^ (shift_13 >> 17);
  wire [31:0] shift_5 = shift_17 ^ (shift_17 << 5);

  assign wb_dat_r = reads_memory ? from_memory : from_register;

  always @(posedge clk) begin
    if (access & wb_we & ~registers) memory[wb_adr[8:0]] <= wb_dat_w;
    from_memory <= memory[wb_adr[8:0]];
  end

  // The comparison has a clock of its own: the bus leaves several between two transfers.
  always @(posedge clk)
    if (rst) begin
      wb_ack <= 1'b0;
      word <= FIRST;
      wrong <= 16'd0;
      words <= 16'd0;
      compares <= 1'b0;
    end else begin
      wb_ack <= access;
      written <= wb_dat_w;
      wanted <= word;
      compares <= next & wb_we;
      if (compares & (written != wanted)) wrong <= wrong + 1'b1;
      if (next) begin
        word  <= shift_5;
        words <= words + 1'b1;
      end
      if (restart) begin
        word  <= FIRST;
        wrong <= 16'd0;
        words <= 16'd0;
      end
      reads_memory <= ~registers;
      case (wb_adr[1:0])
        2'd0: from_register <= word;
        2'd1: from_register <= {16'd0, wrong};
        2'd2: from_register <= {16'd0, words};
        default: from_register <= 32'd0;
      endcase
    end
endmodule
