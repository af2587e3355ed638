// Verilog of 2001 whose names are words of SystemVerilog.
// Wishbone slave: module do_unit, 32-bit data, classic handshake, reset active high
// ports: ack = wb_ack_o, cyc = wb_cyc_i, stb = wb_stb_i, we = wb_we_i, adr = wb_adr_i, dat_w = wb_dat_i, dat_r = wb_dat_o, clk = clk_i, rst = rst_i
// addresses: byte
module do_unit (input clk_i, input rst_i, input wb_cyc_i, input wb_stb_i, input wb_we_i, input [31:0] wb_adr_i, input [31:0] wb_dat_i,
  output reg [31:0] wb_dat_o, output reg wb_ack_o);
  reg [31:0] bit, byte, final;
  reg do, priority;
  wire unique = wb_cyc_i & wb_stb_i & ~wb_ack_o;
  wire [31:0] next = do ? bit + byte : bit ^ byte;
  always @(posedge clk_i) begin
    wb_ack_o <= unique;
    if (unique & wb_we_i)
      case (wb_adr_i[4:2])
        3'd0: bit <= wb_dat_i;
        3'd1: byte <= wb_dat_i;
        3'd2: {priority, do} <= wb_dat_i[1:0];
      endcase
    final <= priority ? next : final;
    case (wb_adr_i[4:2])
      3'd0: wb_dat_o <= bit;
      3'd1: wb_dat_o <= byte;
      3'd2: wb_dat_o <= {30'd0, priority, do};
      default: wb_dat_o <= final;
    endcase
    if (rst_i) begin bit <= 0; byte <= 0; do <= 0; priority <= 0; final <= 0; wb_ack_o <= 0; end
  end
endmodule
