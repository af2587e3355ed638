// Four servo channels with data ports of 16 bits.
// Wishbone slave: module servo_controller, 16-bit data, classic handshake, reset active high
// ports: ack = wb_ack_o, cyc = wb_cyc_i, stb = wb_stb_i, we = wb_we_i, adr = wb_adr_i, dat_w = wb_dat_i, dat_r = wb_dat_o, sel = wb_sel_i, clk = wb_clk_i, rst = wb_rst_i
// addresses: word
module servo_controller (
  input wb_clk_i, input wb_rst_i, input wb_cyc_i, input wb_stb_i, input wb_we_i, input [1:0] wb_sel_i, input [2:0] wb_adr_i,
  input [15:0] wb_dat_i, output reg [15:0] wb_dat_o, output reg wb_ack_o, output reg [3:0] servo
);
  reg [15:0] position [3:0];
  reg [17:0] frame;
  integer channel;
  initial for (channel = 0; channel < 4; channel = channel + 1) position[channel] = 16'd18000;
  always @(posedge wb_clk_i) begin
    frame <= frame == 18'd239_999 ? 18'd0 : frame + 18'd1;
    for (channel = 0; channel < 4; channel = channel + 1)
      servo[channel] <= frame < {2'b00, position[channel]};
    wb_ack_o <= wb_cyc_i & wb_stb_i & ~wb_ack_o & ~wb_rst_i;
    if (wb_cyc_i & wb_stb_i & wb_we_i & ~wb_adr_i[2]) begin
      if (wb_sel_i[0]) position[wb_adr_i[1:0]][7:0] <= wb_dat_i[7:0];
      if (wb_sel_i[1]) position[wb_adr_i[1:0]][15:8] <= wb_dat_i[15:8];
    end
    wb_dat_o <= wb_adr_i[2] ? frame[17:2] : position[wb_adr_i[1:0]];
  end
endmodule
