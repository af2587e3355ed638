// 256 words of memory behind a full address, with a byte of them written at a time.
// Wishbone slave: module caravel_sram, 32-bit data, classic handshake, reset active high
// ports: ack = wbs_ack_o, cyc = wbs_cyc_i, stb = wbs_stb_i, we = wbs_we_i, adr = wbs_adr_i, dat_w = wbs_dat_i, dat_r = wbs_dat_o, sel = wbs_sel_i, clk = wb_clk_i, rst = wb_rst_i
// addresses: byte
module caravel_sram (
  input wb_clk_i, input wb_rst_i, input wbs_cyc_i, input wbs_stb_i, input wbs_we_i, input [3:0] wbs_sel_i,
  input [31:0] wbs_adr_i, input [31:0] wbs_dat_i, output reg [31:0] wbs_dat_o, output reg wbs_ack_o
);
  parameter BASE = 32'h2100_0000, MASK = 32'hFFFF_FC00;
  reg [31:0] ram [0:255];
  wire selected = (wbs_adr_i & MASK) == BASE;
  wire [7:0] at = wbs_adr_i[9:2];
  wire access = wbs_cyc_i & wbs_stb_i & selected & ~wbs_ack_o;
  integer i;
  always @(posedge wb_clk_i) begin
    wbs_ack_o <= access & ~wb_rst_i;
    wbs_dat_o <= ram[at];
    if (access & wbs_we_i)
      for (i = 0; i < 4; i = i + 1)
        if (wbs_sel_i[i]) ram[at][8*i +: 8] <= wbs_dat_i[8*i +: 8];
  end
endmodule
