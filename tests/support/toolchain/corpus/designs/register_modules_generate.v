// Registers that are instances of a module, each with an address and a value at reset of its own.
// Wishbone slave: module bank, 32-bit data, classic handshake, reset active high
// ports: ack = ack, cyc = cyc, stb = stb, we = we, adr = adr, dat_w = dat_i, dat_r = dat_o, clk = clk, rst = rst
// addresses: word
module bank #(parameter COUNT = 6) (
  input clk, input rst, input [4:0] adr, input [31:0] dat_i, output reg [31:0] dat_o, input we, input stb, input cyc, output reg ack
);
  wire [32*COUNT-1:0] values;
  genvar n;
  generate
    for (n = 0; n < COUNT; n = n + 1) begin : bits
      if (n == 0) begin : id
        assign values[31:0] = 32'h42414E4B;
      end else begin : word
        config_register #(.ADDRESS(n), .RESET_VALUE(n * 32'h1111)) register (
          .clk(clk), .rst(rst), .write(cyc & stb & we & ack), .address(adr[2:0]), .data(dat_i), .value(values[32*n +: 32]));
      end
    end
  endgenerate
  always @(posedge clk)
    if (rst) ack <= 0;
    else begin
      ack <= cyc & stb & ~ack;
      dat_o <= adr < COUNT ? values[32*adr +: 32] : 32'hFFFF_FFFF;
    end
endmodule

module config_register #(parameter ADDRESS = 0, parameter [31:0] RESET_VALUE = 0) (
  input clk, rst, write, input [2:0] address, input [31:0] data, output reg [31:0] value
);
  always @(posedge clk)
    if (rst) value <= RESET_VALUE;
    else if (write && address == ADDRESS) value <= data;
endmodule
