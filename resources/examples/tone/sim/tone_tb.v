// For a simulator: iverilog -I include -o tone sim/tone_tb.v tone.v rtl/*.v && vvp tone. The bench does not read it.
`include "registers.vh"

module tone_tb;
  reg clk = 0, rst = 1, cyc = 0, we = 0;
  reg [1:0] adr = 0;
  reg [31:0] dat_w = 0;
  wire [31:0] dat_r;
  wire ack;

  tone dut (clk, rst, cyc, cyc, we, adr, dat_w, 4'b1111, dat_r, ack);
  always #5 clk = ~clk;

  initial begin
    repeat (2) @(negedge clk);
    rst = 0;
    // A quarter of the period, where the sine is highest.
    cyc = 1; we = 1; adr = `REG_PHASE; dat_w = 32'h4000_0000;
    wait (ack) @(negedge clk) cyc = 0;
    repeat (2) @(negedge clk);
    cyc = 1; we = 0; adr = `REG_SAMPLE;
    wait (ack) @(negedge clk) cyc = 0;
    if (dat_r == 32'd255) $display("the sine is highest at a quarter of its period");
    else $display("expected 255, read %0d", dat_r);
    $finish;
  end
endmodule
