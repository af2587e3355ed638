// The bit level of I2C with the pads of OpenCores: value, input and enable of a driver outside.
// Wishbone slave: module i2c_master_top, 8-bit data, classic handshake, reset active high
// ports: ack = wb_ack_o, cyc = wb_cyc_i, stb = wb_stb_i, we = wb_we_i, adr = wb_adr_i, dat_w = wb_dat_i, dat_r = wb_dat_o, clk = wb_clk_i, rst = wb_rst_i, rst_n_2 = arst_i
// addresses: word
`timescale 1ns / 10ps
module i2c_master_top(
  wb_clk_i, wb_rst_i, arst_i, wb_adr_i, wb_dat_i, wb_dat_o, wb_we_i, wb_stb_i, wb_cyc_i, wb_ack_o, wb_inta_o,
  scl_pad_i, scl_pad_o, scl_padoen_o, sda_pad_i, sda_pad_o, sda_padoen_o );
  parameter ARST_LVL = 1'b0;
  input wb_clk_i, wb_rst_i, arst_i;
  input [2:0] wb_adr_i;
  input [7:0] wb_dat_i;
  output [7:0] wb_dat_o;
  input wb_we_i, wb_stb_i, wb_cyc_i;
  output wb_ack_o, wb_inta_o;
  reg [7:0] wb_dat_o;
  reg wb_ack_o, wb_inta_o;
  input scl_pad_i, sda_pad_i;
  output scl_pad_o, scl_padoen_o, sda_pad_o, sda_padoen_o;

  parameter [2:0] idle = 3'd0, start_a = 3'd1, start_b = 3'd2, bit_low = 3'd3, bit_high = 3'd4, stop_a = 3'd5, stop_b = 3'd6;
  reg [2:0] c_state;
  reg [15:0] prer, cnt;
  reg [7:0] ctr, txr, cr, sr;
  reg [3:0] bits;
  reg clk_en, scl_oen, sda_oen, dout, irq_flag;
  reg [1:0] csda, cscl;

  wire rst_i = arst_i ^ ARST_LVL;
  wire core_en = ctr[7], ien = ctr[6];
  wire wb_wacc = wb_we_i & wb_ack_o;

  assign scl_pad_o = 1'b0;
  assign sda_pad_o = 1'b0;
  assign scl_padoen_o = scl_oen;
  assign sda_padoen_o = sda_oen;

  always @(posedge wb_clk_i)
    wb_ack_o <= #1 wb_cyc_i & wb_stb_i & ~wb_ack_o;

  always @(posedge wb_clk_i)
    case (wb_adr_i) // synopsys parallel_case
      3'b000: wb_dat_o <= #1 prer[7:0];
      3'b001: wb_dat_o <= #1 prer[15:8];
      3'b010: wb_dat_o <= #1 ctr;
      3'b011: wb_dat_o <= #1 sr;
      3'b100: wb_dat_o <= #1 {dout, 5'b0, c_state != idle, irq_flag};
      3'b101: wb_dat_o <= #1 txr;
      3'b110: wb_dat_o <= #1 cr;
      3'b111: wb_dat_o <= #1 0;
    endcase

  always @(posedge wb_clk_i or negedge rst_i)
    if (!rst_i) begin
      prer <= #1 16'hffff;
      ctr <= #1 8'h0;
      txr <= #1 8'h0;
    end else if (wb_rst_i) begin
      prer <= #1 16'hffff;
      ctr <= #1 8'h0;
      txr <= #1 8'h0;
    end else if (wb_wacc)
      case (wb_adr_i)
        3'b000: prer[7:0] <= #1 wb_dat_i;
        3'b001: prer[15:8] <= #1 wb_dat_i;
        3'b010: ctr <= #1 wb_dat_i;
        3'b011: txr <= #1 wb_dat_i;
        default: ;
      endcase

  always @(posedge wb_clk_i or negedge rst_i)
    if (!rst_i) cr <= #1 8'h0;
    else if (wb_rst_i) cr <= #1 8'h0;
    else if (wb_wacc & core_en & (wb_adr_i == 3'b100)) cr <= #1 wb_dat_i;
    else begin
      if (c_state == stop_b && clk_en) cr[7:4] <= #1 4'h0;
      cr[0] <= #1 1'b0;
    end

  always @(posedge wb_clk_i or negedge rst_i)
    if (!rst_i) begin cnt <= #1 16'h0; clk_en <= #1 1'b1; end
    else if (~|cnt || !core_en) begin cnt <= #1 prer; clk_en <= #1 1'b1; end
    else begin cnt <= #1 cnt - 16'h1; clk_en <= #1 1'b0; end

  always @(posedge wb_clk_i) begin
    csda <= #1 {csda[0], sda_pad_i};
    cscl <= #1 {cscl[0], scl_pad_i};
  end

  always @(posedge wb_clk_i or negedge rst_i)
    if (!rst_i) begin
      c_state <= #1 idle; scl_oen <= #1 1'b1; sda_oen <= #1 1'b1; bits <= #1 4'd0; sr <= #1 8'h0; dout <= #1 1'b0; irq_flag <= #1 1'b0;
    end else begin
      if (cr[0]) irq_flag <= #1 1'b0;
      if (clk_en)
        case (c_state)
          idle: if (cr[4] | cr[5]) begin c_state <= #1 cr[7] ? start_a : bit_low; sr <= #1 txr; bits <= #1 4'd8; end
          start_a: begin sda_oen <= #1 1'b1; scl_oen <= #1 1'b1; c_state <= #1 start_b; end
          start_b: begin sda_oen <= #1 1'b0; c_state <= #1 bit_low; end
          bit_low: begin scl_oen <= #1 1'b0; sda_oen <= #1 bits == 0 ? 1'b1 : sr[7]; c_state <= #1 bit_high; end
          bit_high: begin
            scl_oen <= #1 1'b1;
            if (cscl[1]) begin
              sr <= #1 {sr[6:0], csda[1]};
              if (bits == 0) begin dout <= #1 csda[1]; irq_flag <= #1 1'b1; c_state <= #1 cr[6] ? stop_a : stop_b; end
              else begin bits <= #1 bits - 4'd1; c_state <= #1 bit_low; end
            end
          end
          stop_a: begin scl_oen <= #1 1'b1; sda_oen <= #1 1'b0; c_state <= #1 stop_b; end
          stop_b: begin sda_oen <= #1 1'b1; c_state <= #1 idle; end
          default: c_state <= #1 idle;
        endcase
    end

  always @(posedge wb_clk_i or negedge rst_i)
    if (!rst_i) wb_inta_o <= #1 1'b0;
    else wb_inta_o <= #1 irq_flag && ien;
endmodule
