`timescale 1ns/1ps
module tb_top;
  reg clk = 0, rst = 1;
  always #5 clk = ~clk;
  tone_top dut (.clk_i(clk), .rst_i(rst), .wb_adr_i(32'd0), .wb_dat_i(32'd0), .wb_dat_o(), .wb_sel_i(4'hF), .wb_we_i(1'b0),
    .wb_stb_i(1'b0), .wb_cyc_i(1'b0), .wb_ack_o(), .sample());
  initial begin
    $dumpfile("tb_top.vcd");
    $dumpvars(0, tb_top);
    #100 rst = 0;
    #1000 $finish;
  end
endmodule
