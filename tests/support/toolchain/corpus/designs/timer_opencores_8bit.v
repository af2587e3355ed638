// A 16-bit timer with one 8-bit register for each index.
// Wishbone slave: module simple_timer8, 8-bit data, classic handshake, reset active high
// ports: ack = wb_ack_o, cyc = wb_cyc_i, stb = wb_stb_i, we = wb_we_i, adr = wb_adr_i, dat_w = wb_dat_i, dat_r = wb_dat_o, clk = wb_clk_i, rst = wb_rst_i
// addresses: word
module simple_timer8 (wb_clk_i, wb_rst_i, wb_cyc_i, wb_stb_i, wb_we_i, wb_adr_i, wb_dat_i, wb_dat_o, wb_ack_o, irq_o);
  input        wb_clk_i, wb_rst_i, wb_cyc_i, wb_stb_i, wb_we_i;
  input  [2:0] wb_adr_i;
  input  [7:0] wb_dat_i;
  output [7:0] wb_dat_o;
  output       wb_ack_o;
  output       irq_o;

  reg  [15:0] reload, count;
  reg  [7:0]  prescale, divider;
  reg         run, expired;
  reg         wb_ack_o;
  reg  [7:0]  wb_dat_o;
  wire        write = wb_cyc_i & wb_stb_i & wb_we_i & ~wb_ack_o;
  wire        tick = run && divider == prescale;

  always @(posedge wb_clk_i)
    if (wb_rst_i) wb_ack_o <= 0;
    else wb_ack_o <= wb_cyc_i & wb_stb_i & ~wb_ack_o;

  always @(posedge wb_clk_i)
    if (wb_rst_i) begin
      reload <= 16'hFFFF; count <= 0; prescale <= 0; divider <= 0; run <= 0; expired <= 0;
    end else begin
      divider <= tick || !run ? 8'd0 : divider + 8'd1;
      if (tick) begin
        count <= count == 0 ? reload : count - 16'd1;
        if (count == 0) expired <= 1'b1;
      end
      if (write)
        case (wb_adr_i)
          3'd0: run <= wb_dat_i[0];
          3'd1: prescale <= wb_dat_i;
          3'd2: reload[7:0] <= wb_dat_i;
          3'd3: reload[15:8] <= wb_dat_i;
          3'd6: expired <= expired & ~wb_dat_i[0];
        endcase
    end

  always @(posedge wb_clk_i)
    case (wb_adr_i)
      3'd0: wb_dat_o <= {7'b0, run};
      3'd1: wb_dat_o <= prescale;
      3'd2: wb_dat_o <= reload[7:0];
      3'd3: wb_dat_o <= reload[15:8];
      3'd4: wb_dat_o <= count[7:0];
      3'd5: wb_dat_o <= count[15:8];
      3'd6: wb_dat_o <= {7'b0, expired};
      default: wb_dat_o <= 8'h54;
    endcase

  assign irq_o = expired;
endmodule
