// Instances by .*, an array of instances, and an initialised unpacked array.
// Wishbone slave: module keypad, 32-bit data, classic handshake, reset active high
// ports: ack = wb_ack_o, cyc = wb_cyc_i, stb = wb_stb_i, we = wb_we_i, adr = wb_adr_i, dat_w = wb_dat_i, dat_r = wb_dat_o, clk = clk, rst = rst
// addresses: byte
module debouncer #(parameter int N = 4) (input logic clk, rst, raw, output logic clean);
  logic [N-1:0] history;
  always_ff @(posedge clk)
    if (rst) {clean, history} <= '0;
    else begin
      history <= {history[N-2:0], raw};
      if (&history) clean <= 1'b1;
      else if (~|history) clean <= 1'b0;
    end
endmodule

module key_events (input logic clk, rst, input logic [7:0] clean, output logic [7:0] pressed);
  logic [7:0] last;
  always_ff @(posedge clk) last <= rst ? '0 : clean;
  assign pressed = clean & ~last;
endmodule

module keypad (
  input logic clk, rst, input logic wb_cyc_i, wb_stb_i, wb_we_i, input logic [3:0] wb_adr_i, input logic [31:0] wb_dat_i,
  output logic [31:0] wb_dat_o, output logic wb_ack_o, input logic [7:0] keys
);
  localparam logic [7:0] CODES [4] = '{8'h31, 8'h32, 8'h33, 8'h41};
  logic [7:0] clean, pressed, events;
  debouncer #(.N(6)) filters [7:0] (.clk, .rst, .raw(keys), .clean(clean));
  key_events detector (.*);
  always_ff @(posedge clk) begin
    wb_ack_o <= wb_cyc_i & wb_stb_i & ~wb_ack_o & ~rst;
    if (rst) events <= '0;
    else if (wb_cyc_i & wb_stb_i & wb_we_i & ~wb_ack_o) events <= (events & ~wb_dat_i[7:0]) | pressed;
    else events <= events | pressed;
  end
  always_comb
    case (wb_adr_i[3:2])
      2'd0: wb_dat_o = 32'(events);
      2'd1: wb_dat_o = 32'(clean);
      default: wb_dat_o = 32'(CODES[events[1:0]]);
    endcase
endmodule
