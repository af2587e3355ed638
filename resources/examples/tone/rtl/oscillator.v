// A phase that goes on by STEP every clock and wraps.
module oscillator (
    input  wire        clk,
    input  wire        rst,
    input  wire [31:0] step,
    input  wire        load,
    input  wire [31:0] value,
    output reg  [31:0] phase
);
  always @(posedge clk)
    if (rst) phase <= 32'd0;
    else if (load) phase <= value;
    else phase <= phase + step;
endmodule
