// FIFO of 256 words with the port names that SpinalHDL generates: io_wbs_CYC, io_wbs_DAT_MOSI and so on, word
// addresses. Reading or writing DATA again and again is what a burst to a fixed address is for.
//
//   0x0 DATA   r/w    write: puts a word in; read: takes the oldest out; a full or empty FIFO is left as it is
//   0x4 LEVEL  read   words inside
//   0x8 LOST   r/w    words that found no room; writing clears
module fifo (
    input  wire        clk,
    input  wire        reset,
    input  wire        io_wbs_CYC,
    input  wire        io_wbs_STB,
    output reg         io_wbs_ACK,
    input  wire        io_wbs_WE,
    input  wire [ 3:0] io_wbs_ADR,
    output wire [31:0] io_wbs_DAT_MISO,
    input  wire [31:0] io_wbs_DAT_MOSI,
    input  wire [ 3:0] io_wbs_SEL
);
  reg [31:0] memory[0:255];
  reg [31:0] word, register;
  reg [8:0] head, tail;
  reg [15:0] lost;
  reg from_memory;

  wire [8:0] level = head - tail;
  wire full = level[8];
  wire empty = level == 9'd0;
  wire access = io_wbs_CYC & io_wbs_STB & ~io_wbs_ACK;
  wire put = access & io_wbs_WE & (io_wbs_ADR == 4'd0);
  wire take = access & ~io_wbs_WE & (io_wbs_ADR == 4'd0);

  assign io_wbs_DAT_MISO = from_memory ? word : register;

  always @(posedge clk) begin
    if (put & ~full) memory[head[7:0]] <= io_wbs_DAT_MOSI;
    word <= memory[tail[7:0]];
  end

  always @(posedge clk)
    if (reset) begin
      io_wbs_ACK  <= 1'b0;
      head        <= 9'd0;
      tail        <= 9'd0;
      lost        <= 16'd0;
      register    <= 32'd0;
      from_memory <= 1'b0;
    end else begin
      io_wbs_ACK <= access;
      if (put & ~full) head <= head + 1'b1;
      if (put & full) lost <= lost + 1'b1;
      if (take & ~empty) tail <= tail + 1'b1;
      if (access & io_wbs_WE & (io_wbs_ADR == 4'd2)) lost <= 16'd0;
      if (access) from_memory <= (io_wbs_ADR == 4'd0) & ~empty;
      case (io_wbs_ADR)
        4'd1: register <= {23'd0, level};
        4'd2: register <= {16'd0, lost};
        default: register <= 32'd0;
      endcase
    end
endmodule
