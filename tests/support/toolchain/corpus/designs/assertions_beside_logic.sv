// Immediate and concurrent assertions, a cover and a property stand beside what is built.
// Wishbone slave: module asserted_credit, 32-bit data, classic handshake, reset active high
// ports: ack = wb_ack, cyc = wb_cyc, stb = wb_stb, we = wb_we, adr = wb_adr, dat_w = wb_dat_w, dat_r = wb_dat_r, sel = wb_sel, clk = clk, rst = rst
// addresses: word
module asserted_credit (
  input logic clk, input logic rst, input logic wb_cyc, wb_stb, wb_we, input logic [29:0] wb_adr, input logic [31:0] wb_dat_w,
  input logic [3:0] wb_sel, output logic [31:0] wb_dat_r, output logic wb_ack
);
  localparam int unsigned MAX = 200;
  logic [7:0] credit;
  logic access;
  assign access = wb_cyc & wb_stb & ~wb_ack;

  always_ff @(posedge clk)
    if (rst) begin
      credit <= '0;
      wb_ack <= 1'b0;
    end else begin
      wb_ack <= access;
      if (access && wb_we) begin
        if (wb_adr[0]) credit <= credit > wb_dat_w[7:0] ? credit - wb_dat_w[7:0] : '0;
        else credit <= credit + wb_dat_w[7:0] > MAX ? 8'(MAX) : credit + wb_dat_w[7:0];
      end
      a_immediate: assert (credit <= MAX) else $error("credit is %0d", credit);
    end
  assign wb_dat_r = {24'b0, credit};

  property p_ack_after_strobe;
    @(posedge clk) disable iff (rst) wb_ack |-> $past(wb_stb);
  endproperty
  a_ack: assert property (p_ack_after_strobe);
  a_onehot: assert property (@(posedge clk) disable iff (rst) access |=> wb_ack);
  c_full: cover property (@(posedge clk) credit == MAX);
endmodule
