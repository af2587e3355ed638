// Stands in for the user's slave in the base bitstream: nobody is there, so every access is an error.
module wishbench_user (
    input  wire        clk,
    input  wire        rst,
    input  wire        wb_cyc,
    input  wire        wb_stb,
    input  wire        wb_we,
    input  wire [29:0] wb_adr,
    input  wire [31:0] wb_dat_w,
    input  wire [3:0]  wb_sel,
    output wire [31:0] wb_dat_r,
    output wire        wb_ack,
    output wire        wb_err
);
  assign wb_dat_r = 32'd0;
  assign wb_ack = 1'b0;
  assign wb_err = wb_cyc & wb_stb;
endmodule
