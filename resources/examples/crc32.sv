// CRC-32 of the words written to it, in SystemVerilog, with camel-case port names. The polynomial is that of
// Ethernet and ZIP (reflected 0xEDB88320); the bytes of a word count from the lowest.
//
//   0x0 DATA   write  adds a word; read: the last one
//   0x4 CRC    read   of everything since START
//   0x8 WORDS  read   how many words that was
//   0xC START  write  begins anew
module crc32 (
    input  logic        clk,
    input  logic        rst,
    input  logic        wbCycI,
    input  logic        wbStbI,
    input  logic        wbWeI,
    input  logic [31:0] wbAdrI,
    input  logic [31:0] wbDatI,
    input  logic [ 3:0] wbSelI,
    output logic [31:0] wbDatO,
    output logic        wbAckO
);
  typedef enum logic [1:0] {
    DATA  = 2'd0,
    CRC   = 2'd1,
    WORDS = 2'd2,
    START = 2'd3
  } register_t;

  function automatic logic [31:0] crc32_word(input logic [31:0] crc, input logic [31:0] word);
    logic [31:0] value;
    value = crc ^ word;
    for (int bits = 0; bits < 32; bits++) value = (value >> 1) ^ (value[0] ? 32'hEDB8_8320 : 32'd0);
    crc32_word = value;
  endfunction

  logic [31:0] crc, last, words;
  wire access = wbCycI & wbStbI & ~wbAckO;
  wire [1:0] chosen = wbAdrI[3:2];

  always_ff @(posedge clk)
    if (rst) begin
      wbAckO <= 1'b0;
      wbDatO <= '0;
      crc    <= '1;
      last   <= '0;
      words  <= '0;
    end else begin
      wbAckO <= access;
      if (access && wbWeI)
        unique case (chosen)
          DATA: begin
            crc   <= crc32_word(crc, wbDatI);
            last  <= wbDatI;
            words <= words + 1;
          end
          START: begin
            crc   <= '1;
            last  <= '0;
            words <= '0;
          end
          default: ;
        endcase
      unique case (chosen)
        DATA:  wbDatO <= last;
        CRC:   wbDatO <= ~crc;
        WORDS: wbDatO <= words;
        START: wbDatO <= '0;
      endcase
    end
endmodule
