// Channels as an unpacked array of structures, with loops that declare their variables, break and continue.
// Wishbone slave: module channel_timers, 32-bit data, classic handshake, reset active low
// ports: ack = ack_o, cyc = cyc_i, stb = stb_i, we = we_i, adr = adr_i, dat_w = dat_i, dat_r = dat_o, clk = clk_i, rst = rst_ni
// addresses: byte
module channel_timers #(parameter int CHANNELS = 4) (
  input logic clk_i, rst_ni, input logic cyc_i, stb_i, we_i, input logic [6:0] adr_i, input logic [31:0] dat_i,
  output logic [31:0] dat_o, output logic ack_o, output logic [CHANNELS-1:0] expired_o, output logic [2:0] first_o
);
  typedef struct packed {
    logic        enable;
    logic [15:0] count;
    logic [15:0] limit;
  } channel_t;
  channel_t channels [CHANNELS];
  logic [1:0] which;
  assign which = adr_i[4:3];

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      for (int c = 0; c < CHANNELS; c++) channels[c] <= '0;
      ack_o <= 1'b0;
    end else begin
      ack_o <= cyc_i && stb_i && !ack_o;
      for (int c = 0; c < CHANNELS; c++) begin
        if (!channels[c].enable) continue;
        channels[c].count <= channels[c].count == channels[c].limit ? '0 : channels[c].count + 1'b1;
      end
      if (cyc_i && stb_i && we_i && !ack_o) begin
        if (adr_i[2]) channels[which].limit <= dat_i[15:0];
        else channels[which].enable <= dat_i[0];
      end
    end

  always_comb begin
    first_o = '1;
    for (int c = 0; c < CHANNELS; c++) begin
      expired_o[c] = channels[c].enable && channels[c].count == channels[c].limit;
    end
    for (int c = 0; c < CHANNELS; c++)
      if (expired_o[c]) begin
        first_o = 3'(c);
        break;
      end
  end
  assign dat_o = adr_i[2] ? {16'd0, channels[which].limit} : {15'd0, channels[which].enable, channels[which].count};
endmodule
