module rotate16 (input [3:0] by, input [15:0] in, output [15:0] out);
  wire [31:0] twice = {in, in};
  assign out = twice >> by;
endmodule
