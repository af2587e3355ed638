// Addresses and states come from a package; the machine is an enum with a unique case.
// Wishbone slave: module sequencer, 32-bit data, classic handshake, reset active low
// ports: ack = wb_ack_o, cyc = wb_cyc_i, stb = wb_stb_i, we = wb_we_i, adr = wb_adr_i, dat_w = wb_dat_i, dat_r = wb_dat_o, sel = wb_sel_i, clk = clk_i, rst = rst_ni
// addresses: byte
package ctrl_pkg;
  localparam int unsigned WIDTH = 32;
  typedef enum logic [1:0] {IDLE = 2'b00, BUSY = 2'b01, DONE = 2'b10} state_e;
  typedef enum logic [3:0] {ADDR_CTRL = 4'h0, ADDR_LENGTH = 4'h4, ADDR_STATUS = 4'h8} addr_e;
  typedef struct packed {
    logic        irq_enable;
    logic [14:0] reserved;
    logic [15:0] length;
  } config_t;
  function automatic logic [WIDTH-1:0] status_word(state_e state, logic [15:0] left);
    return {state, 14'b0, left};
  endfunction
endpackage

module sequencer
  import ctrl_pkg::*;
(
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             wb_cyc_i, wb_stb_i, wb_we_i,
  input  logic [31:0]      wb_adr_i,
  input  logic [3:0]       wb_sel_i,
  input  logic [WIDTH-1:0] wb_dat_i,
  output logic [WIDTH-1:0] wb_dat_o,
  output logic             wb_ack_o,
  output logic             irq_o
);
  state_e state_q, state_d;
  config_t cfg_q;
  logic [15:0] left_q;
  logic start;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      IDLE: if (start) state_d = BUSY;
      BUSY: if (left_q == '0) state_d = DONE;
      DONE: state_d = IDLE;
      default: state_d = IDLE;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= IDLE;
      cfg_q   <= '0;
      left_q  <= '0;
    end else begin
      state_q <= state_d;
      if (state_q == IDLE && start) left_q <= cfg_q.length;
      else if (state_q == BUSY) left_q <= left_q - 16'd1;
      if (wb_ack_o && wb_we_i && wb_adr_i[3:0] == ADDR_LENGTH) cfg_q <= config_t'(wb_dat_i);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) wb_ack_o <= 1'b0;
    else         wb_ack_o <= wb_cyc_i & wb_stb_i & ~wb_ack_o;

  assign start = wb_ack_o & wb_we_i & (wb_adr_i[3:0] == ADDR_CTRL) & wb_dat_i[0];
  assign irq_o = cfg_q.irq_enable & (state_q == DONE);
  always_comb
    case (wb_adr_i[3:0])
      ADDR_LENGTH: wb_dat_o = cfg_q;
      ADDR_STATUS: wb_dat_o = status_word(state_q, left_q);
      default:     wb_dat_o = '0;
    endcase
endmodule
