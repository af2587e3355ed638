// The address is declared [31:2], as those of RISC-V systems often are.
// Wishbone slave: module scratch_words, 32-bit data, classic handshake, reset active low
// ports: ack = wb_ack_o, cyc = wb_cyc_i, stb = wb_stb_i, we = wb_we_i, adr = wb_adr_i, dat_w = wb_dat_i, dat_r = wb_dat_o, sel = wb_sel_i, clk = clk_i, rst = rstn_i
// addresses: word
module scratch_words (
  input  wire        clk_i, rstn_i,
  input  wire [31:2] wb_adr_i,
  input  wire [31:0] wb_dat_i,
  output wire [31:0] wb_dat_o,
  input  wire [3:0]  wb_sel_i,
  input  wire        wb_we_i, wb_stb_i, wb_cyc_i,
  output wire        wb_ack_o
);
  reg [31:0] words [0:15];
  reg [31:0] data;
  reg        ack;
  always @(posedge clk_i) begin
    ack <= wb_cyc_i && wb_stb_i && !ack && rstn_i;
    data <= words[wb_adr_i[5:2]];
    if (wb_cyc_i && wb_stb_i && wb_we_i && !ack) begin
      if (wb_sel_i[0]) words[wb_adr_i[5:2]][7:0]   <= wb_dat_i[7:0];
      if (wb_sel_i[1]) words[wb_adr_i[5:2]][15:8]  <= wb_dat_i[15:8];
      if (wb_sel_i[2]) words[wb_adr_i[5:2]][23:16] <= wb_dat_i[23:16];
      if (wb_sel_i[3]) words[wb_adr_i[5:2]][31:24] <= wb_dat_i[31:24];
    end
  end
  assign wb_dat_o = data;
  assign wb_ack_o = ack;
endmodule
