// The package is in a file that the alphabet puts last; the sources include a header of checks.
// Wishbone slave: module audio_top, 32-bit data, classic handshake, reset active low
// ports: ack = wb_ack_o, cyc = wb_cyc_i, stb = wb_stb_i, we = wb_we_i, adr = wb_adr_i, dat_w = wb_dat_i, dat_r = wb_dat_o, clk = clk_i, rst = rst_ni
// addresses: byte
module audio_top
  import zz_types_pkg::frame_t, zz_types_pkg::DEPTH;
(
  input  logic        clk_i, rst_ni,
  input  logic        wb_cyc_i, wb_stb_i, wb_we_i,
  input  logic [3:0]  wb_adr_i,
  input  logic [31:0] wb_dat_i,
  output logic [31:0] wb_dat_o,
  output logic        wb_ack_o
);
  frame_t head;
  logic [$clog2(DEPTH):0] level;
  logic access, push, pop;
  assign access = wb_cyc_i & wb_stb_i & ~wb_ack_o;
  assign push = access & wb_we_i & ~wb_adr_i[2] & (level != DEPTH);
  assign pop = access & ~wb_we_i & ~wb_adr_i[2] & (level != 0);
  audio_fifo u_fifo (.clk_i, .rst_ni, .data_i(frame_t'(wb_dat_i)), .push_i(push), .pop_i(pop), .data_o(head), .level_o(level));
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      wb_ack_o <= 1'b0;
      wb_dat_o <= '0;
    end else begin
      wb_ack_o <= access;
      wb_dat_o <= wb_adr_i[2] ? {zz_types_pkg::sample_t'(level), head.left} : head;
    end
endmodule
