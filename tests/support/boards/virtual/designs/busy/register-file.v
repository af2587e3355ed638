// Thirty-two registers of 32 bits in flip-flops, with two ports to read and one to write, and an adder between them: in
// every clock a sum goes to another register.
module register_file (
  input wire clk,
  input wire rx,
  output wire tx
);
  reg [31:0] file [0:31];
  integer k;
  initial for (k = 0; k < 32; k = k + 1) file[k] = 32'h9e3779b9 * (k + 1);
  reg [14:0] address = 15'h35a7;
  always @(posedge clk) address <= {address[13:0], address[14] ^ address[13] ^ rx};
  reg [31:0] a = 0, b = 0;
  reg [4:0] to = 0;
  always @(posedge clk) begin
    a <= file[address[4:0]];
    b <= file[address[9:5]];
    to <= address[14:10];
    file[to] <= a + {b[30:0], b[31]};
  end
  assign tx = a[31] ^ b[0];
endmodule
