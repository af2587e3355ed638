// A PWM with the names of ZipCPU and a stall that is never raised; its proofs are behind FORMAL.
// Wishbone slave: module wbpwm, 32-bit data, pipelined handshake, reset active high
// ports: ack = o_wb_ack, cyc = i_wb_cyc, stb = i_wb_stb, we = i_wb_we, adr = i_wb_addr, dat_w = i_wb_data, dat_r = o_wb_data, sel = i_wb_sel, stall = o_wb_stall, clk = i_clk, rst = i_reset
// addresses: word
`default_nettype none
module wbpwm #(parameter DEFAULT_RELOAD = 16'd1814, NAUX = 2, VARIABLE_RATE = 1, TIMING_BITS = 16) (
  input  wire i_clk, i_reset,
  input  wire i_wb_cyc, i_wb_stb, i_wb_we,
  input  wire i_wb_addr,
  input  wire [31:0] i_wb_data,
  input  wire [3:0] i_wb_sel,
  output wire o_wb_stall,
  output reg o_wb_ack,
  output wire [31:0] o_wb_data,
  output reg o_pwm,
  output reg [(NAUX-1):0] o_aux,
  output wire o_int
);
  wire [(TIMING_BITS-1):0] w_reload;
  reg [(TIMING_BITS-1):0] timer;
  reg [15:0] sample_out, next_sample;
  reg next_valid, ztimer;
  integer k;

  generate if (VARIABLE_RATE != 0) begin : GEN_RELOAD
    reg [(TIMING_BITS-1):0] r_reload_value;
    initial r_reload_value = DEFAULT_RELOAD;
    always @(posedge i_clk)
    if (i_wb_stb && i_wb_addr && i_wb_we)
      r_reload_value <= i_wb_data[(TIMING_BITS-1):0];
    assign w_reload = r_reload_value;
  end else begin : FIXED_RELOAD
    assign w_reload = DEFAULT_RELOAD;
  end endgenerate

  initial timer = DEFAULT_RELOAD;
  always @(posedge i_clk)
  if (i_reset || ztimer) timer <= w_reload;
  else timer <= timer - 1'b1;

  always @(posedge i_clk)
    ztimer <= (timer == 1);

  always @(posedge i_clk)
  if (i_reset) begin
    next_valid <= 0;
    o_aux <= 0;
  end else if (i_wb_stb && i_wb_we && !i_wb_addr) begin
    next_sample <= { !i_wb_data[15], i_wb_data[14:0] };
    next_valid <= 1;
    if (i_wb_data[16]) o_aux <= i_wb_data[(NAUX+20-1):20];
  end else if (ztimer) next_valid <= 0;

  always @(posedge i_clk)
    if (ztimer && next_valid) sample_out <= next_sample;

  reg [15:0] pwm_counter;
  wire [15:0] br_counter;
  always @(posedge i_clk) pwm_counter <= i_reset ? 16'h0 : pwm_counter + 1'b1;
  genvar gk;
  generate for(gk=0; gk<16; gk=gk+1) begin : BITREVERSE
    assign br_counter[gk] = pwm_counter[15-gk];
  end endgenerate

  always @(posedge i_clk) o_pwm <= sample_out >= br_counter;
  always @(posedge i_clk) o_wb_ack <= !i_reset && i_wb_stb;
  assign o_wb_data = i_wb_addr ? w_reload : { {(12-NAUX){1'b0}}, o_aux, 3'h0, o_int, sample_out };
  assign o_wb_stall = 1'b0;
  assign o_int = !next_valid;

  // verilator lint_off UNUSED
  wire unused = &{ 1'b0, i_wb_cyc, i_wb_sel };
  // verilator lint_on UNUSED
`ifdef FORMAL
  reg f_past_valid;
  initial f_past_valid = 1'b0;
  always @(posedge i_clk) f_past_valid <= 1'b1;
  always @(*) assert(!o_wb_stall);
  always @(posedge i_clk) if (f_past_valid && $past(i_reset)) assert(!o_wb_ack);
`endif
endmodule
