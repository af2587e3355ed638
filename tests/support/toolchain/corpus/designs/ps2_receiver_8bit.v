// A PS/2 receiver with a parity check: data and status.
// Wishbone slave: module ps2_wb, 8-bit data, classic handshake, reset active high
// ports: ack = wb_ack_o, cyc = wb_cyc_i, stb = wb_stb_i, we = wb_we_i, adr = wb_adr_i, dat_w = wb_dat_i, dat_r = wb_dat_o, clk = wb_clk_i, rst = wb_rst_i
// addresses: word
module ps2_wb (wb_clk_i, wb_rst_i, wb_cyc_i, wb_stb_i, wb_we_i, wb_adr_i, wb_dat_i, wb_dat_o, wb_ack_o, ps2_clk, ps2_dat, intr);
  input wb_clk_i;
  input wb_rst_i;
  input wb_cyc_i;
  input wb_stb_i;
  input wb_we_i;
  input wb_adr_i;
  input [7:0] wb_dat_i;
  output [7:0] wb_dat_o;
  output wb_ack_o;
  input ps2_clk;
  input ps2_dat;
  output intr;

  reg [10:0] frame;
  reg [3:0] bits;
  reg [3:0] filter;
  reg level, full, parity_error;
  reg [7:0] key;
  wire fall = level & (filter == 4'b0000);
  wire read = wb_cyc_i & wb_stb_i & ~wb_we_i & ~wb_adr_i;
  assign wb_ack_o = wb_cyc_i & wb_stb_i;
  assign wb_dat_o = wb_adr_i ? {parity_error, 6'd0, full} : key;
  assign intr = full;
  always @(posedge wb_clk_i or posedge wb_rst_i)
    if (wb_rst_i) begin
      frame <= 11'h7FF; bits <= 4'd0; filter <= 4'b1111; level <= 1'b1; full <= 1'b0; parity_error <= 1'b0; key <= 8'd0;
    end else begin
      filter <= {filter[2:0], ps2_clk};
      if (filter == 4'b1111) level <= 1'b1;
      else if (filter == 4'b0000) level <= 1'b0;
      if (fall) begin
        frame <= {ps2_dat, frame[10:1]};
        bits <= bits == 4'd10 ? 4'd0 : bits + 4'd1;
        if (bits == 4'd10) begin
          key <= frame[9:2];
          parity_error <= ~^frame[10:2];
          full <= 1'b1;
        end
      end else if (read) full <= 1'b0;
    end
endmodule
