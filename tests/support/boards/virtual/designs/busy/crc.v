// Checksums of a stream: CRC-32 over 32 bits a clock (IEEE 802.3, reflected), CRC-16/CCITT over 8 and CRC-8 over 4, of a
// counter mixed with the input.
module crc (
  input wire clk,
  input wire rx,
  output wire tx
);
  reg [31:0] data = 32'h1234567;
  reg [31:0] crc32 = 32'hffffffff;
  reg [15:0] crc16 = 16'hffff;
  reg [7:0] crc8 = 0;

  function [31:0] next32(input [31:0] crc, input [31:0] word);
    integer i;
    begin
      next32 = crc ^ word;
      for (i = 0; i < 32; i = i + 1) next32 = {1'b0, next32[31:1]} ^ (next32[0] ? 32'hedb88320 : 32'd0);
    end
  endfunction

  function [15:0] next16(input [15:0] crc, input [7:0] octet);
    integer i;
    begin
      next16 = crc ^ {octet, 8'd0};
      for (i = 0; i < 8; i = i + 1) next16 = {next16[14:0], 1'b0} ^ (next16[15] ? 16'h1021 : 16'd0);
    end
  endfunction

  function [7:0] next8(input [7:0] crc, input [3:0] nibble);
    integer i;
    begin
      next8 = crc ^ {nibble, 4'd0};
      for (i = 0; i < 4; i = i + 1) next8 = {next8[6:0], 1'b0} ^ (next8[7] ? 8'h07 : 8'd0);
    end
  endfunction

  always @(posedge clk) begin
    data <= data + {31'h1357_9bd, rx};
    crc32 <= next32(crc32, data);
    crc16 <= next16(crc16, crc32[7:0]);
    crc8 <= next8(crc8, crc16[11:8]);
  end
  assign tx = crc8[7] ^ crc16[15] ^ crc32[31];
endmodule
