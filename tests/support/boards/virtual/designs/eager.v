// A ROM that is read too early. The word of clock 16 goes out first, as the base SoC's reset once ended there; that of
// clock 300 second.
module eager(input clk, input rx, output tx);
  reg [7:0] rom [0:255];
  integer k;
  initial for (k = 0; k < 256; k = k + 1) rom[k] = 8'hA5 + k * k * 7;
  reg [9:0] clock = 0;
  reg [7:0] word = 0, address = 0;
  reg [9:0] frame = 10'h3ff;
  reg [3:0] ticks = 0;
  always @(posedge clk) begin
    word <= rom[address];
    address <= 8'd3 & {8{rx}};
    if (~&clock) clock <= clock + 1;
    ticks <= ticks == 11 ? 0 : ticks + 1;
    if (clock == 16 || clock == 300) frame <= {1'b1, word, 1'b0};
    else if (ticks == 0) frame <= {1'b1, frame[9:1]};
  end
  assign tx = frame[0];
endmodule
