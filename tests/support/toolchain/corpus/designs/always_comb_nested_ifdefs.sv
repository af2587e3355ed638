// Nested conditions of the preprocessor, macros with arguments and defaults, and a line that goes on.
// Wishbone slave: module accumulator_sv, 32-bit data, classic handshake, reset active high
// ports: ack = wb_ack_o, cyc = wb_cyc_i, stb = wb_stb_i, we = wb_we_i, adr = wb_adr_i, dat_w = wb_dat_i, dat_r = wb_dat_o, clk = clk_i, rst = rst_i
// addresses: byte
`ifndef ACCUMULATOR_WIDTH
  `define ACCUMULATOR_WIDTH 40
`endif
`define SATURATED(value, high = 32'h7FFF_FFFF) \
  ((value) > 40'(high) ? (high) : 32'(value))
`define REGISTER(name, next) \
  always_ff @(posedge clk_i) \
    if (rst_i) name <= '0; \
    else       name <= next;

module accumulator_sv (
  input  logic clk_i, rst_i,
  input  logic wb_cyc_i, wb_stb_i, wb_we_i,
  input  logic [31:0] wb_adr_i, wb_dat_i,
  output logic [31:0] wb_dat_o,
  output logic wb_ack_o
`ifdef WITH_PARITY
  , output logic parity_o
`endif
);
  logic [`ACCUMULATOR_WIDTH-1:0] sum, sum_next;
  logic ack_next;
  always_comb begin
    sum_next = sum;
    ack_next = wb_cyc_i && wb_stb_i && !wb_ack_o;
    if (ack_next && wb_we_i) begin
      if (wb_adr_i[2]) sum_next = '0;
      else sum_next = sum + `ACCUMULATOR_WIDTH'(wb_dat_i);
    end
  end
  `REGISTER(sum, sum_next)
  `REGISTER(wb_ack_o, ack_next)
  `ifdef NEVER_DEFINED
    `ifdef NEITHER
      syntax error here
    `else
      and here
    `endif
  `elsif ACCUMULATOR_WIDTH
    assign wb_dat_o = wb_adr_i[3] ? 32'(sum[`ACCUMULATOR_WIDTH-1:32]) : `SATURATED(sum);
  `endif
endmodule
