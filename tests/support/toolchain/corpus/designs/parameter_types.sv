// Types as parameters: a register of any type, once for a number and once for a structure.
// Wishbone slave: module typed_bank, 32-bit data, classic handshake, reset active high
// ports: ack = wbs_ack_o, cyc = wbs_cyc_i, stb = wbs_stb_i, we = wbs_we_i, adr = wbs_adr_i, dat_w = wbs_dat_i, dat_r = wbs_dat_o, clk = clk, rst = rst
// addresses: byte
module typed_register #(parameter type T = logic [7:0], parameter T RESET = '0) (
  input logic clk, rst, load, input T next, output T value
);
  always_ff @(posedge clk)
    if (rst) value <= RESET;
    else if (load) value <= next;
endmodule

module typed_bank (
  input logic clk, rst, input logic wbs_cyc_i, wbs_stb_i, wbs_we_i, input logic [7:0] wbs_adr_i,
  input logic [31:0] wbs_dat_i, output logic [31:0] wbs_dat_o, output logic wbs_ack_o
);
  typedef struct packed { logic [3:0] mode; logic [11:0] level; } setting_t;
  logic [23:0] count;
  setting_t setting;
  wire write = wbs_cyc_i & wbs_stb_i & wbs_we_i & wbs_ack_o;
  typed_register #(.T(logic [23:0]), .RESET(24'd77)) u_count (.clk, .rst, .load(write & wbs_adr_i == 8'h00), .next(wbs_dat_i[23:0]), .value(count));
  typed_register #(.T(setting_t)) u_setting (.clk, .rst, .load(write & wbs_adr_i == 8'h04), .next(setting_t'(wbs_dat_i[15:0])), .value(setting));
  always_ff @(posedge clk) wbs_ack_o <= wbs_cyc_i & wbs_stb_i & ~wbs_ack_o & ~rst;
  always_comb
    unique case (wbs_adr_i)
      8'h00: wbs_dat_o = 32'(count);
      8'h04: wbs_dat_o = 32'(setting);
      8'h08: wbs_dat_o = {20'd0, setting.level};
      default: wbs_dat_o = {28'd0, setting.mode};
    endcase
endmodule
