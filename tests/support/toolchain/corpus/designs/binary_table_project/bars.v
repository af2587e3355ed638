// A table of bits from a file of binary digits, in a folder of its own, and another module in its own file.
// Wishbone slave: module bars, 32-bit data, classic handshake, reset active high
// ports: ack = ack, cyc = cyc, stb = stb, we = we, adr = adr, dat_w = dat_i, dat_r = dat_o, clk = clk, rst = rst
// addresses: byte
module bars (clk, rst, cyc, stb, we, adr, dat_i, dat_o, ack);
  input clk, rst, cyc, stb, we;
  input [6:0] adr;
  input [31:0] dat_i;
  output [31:0] dat_o;
  output ack;
  reg [15:0] pattern [0:31];
  reg [4:0] at;
  reg ack;
  reg [15:0] read;
  wire [15:0] turned;
  initial $readmemb("data/bars.mem", pattern);
  rotate16 rotate (.by(at[3:0]), .in(read), .out(turned));
  assign dat_o = {16'd0, turned};
  always @(posedge clk) begin
    read <= pattern[adr[6:2]];
    ack <= cyc & stb & ~ack;
    if (cyc & stb & we) at <= dat_i[4:0];
    if (rst) begin ack <= 0; at <= 0; end
  end
endmodule
