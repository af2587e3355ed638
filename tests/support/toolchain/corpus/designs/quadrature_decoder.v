// Counts a quadrature encoder; its inputs are pins.
// Wishbone slave: module qdec, 32-bit data, classic handshake, reset active high
// ports: ack = ack_o, cyc = cyc_i, stb = stb_i, we = we_i, adr = adr_i, dat_w = dat_i, dat_r = dat_o, clk = clk, rst = rst_i
// addresses: byte
module qdec (input clk, rst_i, input [3:0] adr_i, input [31:0] dat_i, output [31:0] dat_o, input we_i, stb_i, cyc_i, output reg ack_o,
  input enc_a, enc_b, enc_z, output reg error);
  reg signed [31:0] position;
  reg [31:0] speed, window, ticks;
  reg [2:0] a, b, z;
  wire step = a[2] ^ a[1] ^ b[2] ^ b[1];
  wire forward = a[2] ^ b[1];
  assign dat_o = adr_i[3:2] == 0 ? position : adr_i[3:2] == 1 ? speed : adr_i[3:2] == 2 ? window : {29'd0, z[2], b[2], a[2]};
  always @(posedge clk) begin
    a <= {a[1:0], enc_a};
    b <= {b[1:0], enc_b};
    z <= {z[1:0], enc_z};
    ack_o <= cyc_i & stb_i & ~ack_o;
    if (step) position <= forward ? position + 1 : position - 1;
    if ((a[2] ^ a[1]) & (b[2] ^ b[1])) error <= 1;
    if (z[1] & ~z[2]) position <= 0;
    if (window != 0 && ticks >= window) begin ticks <= 0; speed <= position; end
    else ticks <= ticks + 1;
    if (cyc_i & stb_i & we_i & ~ack_o)
      case (adr_i[3:2])
        2'd0: position <= dat_i;
        2'd2: window <= dat_i;
        2'd3: error <= 0;
      endcase
    if (rst_i) begin position <= 0; window <= 0; ticks <= 0; error <= 0; speed <= 0; ack_o <= 0; end
  end
endmodule
