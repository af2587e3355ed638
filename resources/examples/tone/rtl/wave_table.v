// 256 samples of one period in block RAM, read in step with the clock.
module wave_table #(
    parameter CONTENTS = ""
) (
    input  wire       clk,
    input  wire [7:0] place,
    output reg  [7:0] sample
);
  reg [7:0] table_of_samples[0:255];
  initial if (CONTENTS != "") $readmemh(CONTENTS, table_of_samples);

  always @(posedge clk) sample <= table_of_samples[place];
endmodule
