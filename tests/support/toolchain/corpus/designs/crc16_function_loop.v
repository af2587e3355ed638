// A CRC over bytes, computed by a function with a loop and a constant function for its table of one entry.
// Wishbone slave: module wb_crc16, 32-bit data, classic handshake, reset active high
// ports: ack = ack_o, cyc = cyc_i, stb = stb_i, we = we_i, adr = adr_i, dat_w = dat_i, dat_r = dat_o, clk = clk_i, rst = rst_i
// addresses: byte
module wb_crc16 (
  input clk_i, rst_i, cyc_i, stb_i, we_i, input [3:0] adr_i, input [31:0] dat_i, output reg [31:0] dat_o, output ack_o
);
  parameter [15:0] POLY = 16'h1021;
  parameter REFLECT = 0;

  function [7:0] reflected;
    input [7:0] value;
    integer i;
    begin
      for (i = 0; i < 8; i = i + 1) reflected[i] = value[7 - i];
    end
  endfunction

  function [15:0] next_crc;
    input [15:0] crc;
    input [7:0] data;
    reg feedback;
    integer i;
    begin
      next_crc = crc;
      for (i = 7; i >= 0; i = i - 1) begin
        feedback = next_crc[15] ^ data[i];
        next_crc = {next_crc[14:0], 1'b0} ^ (feedback ? POLY : 16'h0000);
      end
    end
  endfunction

  localparam [15:0] OF_ZERO = next_crc(16'hFFFF, 8'h00);

  reg [15:0] crc, bytes;
  wire [7:0] data = REFLECT ? reflected(dat_i[7:0]) : dat_i[7:0];
  assign ack_o = cyc_i & stb_i;

  always @(posedge clk_i)
    if (rst_i) begin crc <= 16'hFFFF; bytes <= 0; end
    else if (ack_o & we_i)
      case (adr_i[3:2])
        2'd0: begin crc <= next_crc(crc, data); bytes <= bytes + 1'b1; end
        2'd1: begin crc <= dat_i[15:0]; bytes <= 0; end
      endcase

  always @* begin
    dat_o = 32'h0;
    case (adr_i[3:2])
      2'd0, 2'd1: dat_o = crc;
      2'd2: dat_o = bytes;
      2'd3: dat_o = {OF_ZERO, POLY};
    endcase
  end
endmodule
