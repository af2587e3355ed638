// Three registers with an asynchronous reset that is active low, and an error answer.
// Wishbone slave: module three_registers, 32-bit data, classic handshake, reset active low
// ports: ack = wb_ack, cyc = wb_cyc, stb = wb_stb, we = wb_we, adr = wb_addr, dat_w = wb_wdata, dat_r = wb_rdata, sel = wb_sel, err = wb_err, clk = clk, rst = rst_n
// addresses: byte
module three_registers (
  input clk, input rst_n,
  input wb_cyc, input wb_stb, input wb_we, input [11:0] wb_addr, input [31:0] wb_wdata, input [3:0] wb_sel,
  output reg [31:0] wb_rdata, output reg wb_ack, output reg wb_err
);
  reg [31:0] a, b;
  reg signed [15:0] sum;
  wire go = wb_cyc && wb_stb && !wb_ack && !wb_err;
  always @(posedge clk or negedge rst_n)
    if (!rst_n) begin
      a <= 32'hDEAD_BEEF; b <= 32'd0; sum <= -16'sd1; wb_ack <= 1'b0; wb_err <= 1'b0; wb_rdata <= 32'd0;
    end else begin
      wb_ack <= go && wb_addr[11:4] == 8'h00;
      wb_err <= go && wb_addr[11:4] != 8'h00;
      sum <= $signed(a[15:0]) + $signed(b[15:0]);
      if (go && wb_we)
        case (wb_addr[3:2])
          2'b00: a <= wb_wdata;
          2'b01: b <= wb_wdata;
          default: ;
        endcase
      case (wb_addr[3:2])
        2'b00: wb_rdata <= a;
        2'b01: wb_rdata <= b;
        2'b10: wb_rdata <= {{16{sum[15]}}, sum};
        2'b11: wb_rdata <= 32'h0003_0001;
      endcase
    end
endmodule
