// The bus of the slave is an interface.
// Wishbone slave: module interface_bus, 32-bit data, classic handshake, reset active high
// ports: ack = bus.ack, cyc = bus.cyc, stb = bus.stb, we = bus.we, adr = bus.adr, dat_w = bus.dat_w, dat_r = bus.dat_r, sel = bus.sel, clk = bus.clk, rst = bus.rst
// addresses: word
interface wb_if #(parameter int AW = 4) (input logic clk, rst);
  logic          cyc, stb, we, ack;
  logic [AW-1:0] adr;
  logic [3:0]    sel;
  logic [31:0]   dat_w, dat_r;
  modport slave (input clk, rst, cyc, stb, we, adr, sel, dat_w, output ack, dat_r);
  modport master (input clk, rst, output cyc, stb, we, adr, sel, dat_w, input ack, dat_r);
endinterface

module interface_bus (wb_if.slave bus, output logic [7:0] writes);
  logic [31:0] words [16];
  always_ff @(posedge bus.clk)
    if (bus.rst) begin
      bus.ack <= 1'b0;
      writes <= '0;
    end else begin
      bus.ack <= bus.cyc & bus.stb & ~bus.ack;
      bus.dat_r <= words[bus.adr];
      if (bus.cyc & bus.stb & bus.we & ~bus.ack) begin
        for (int lane = 0; lane < 4; lane++)
          if (bus.sel[lane]) words[bus.adr][8 * lane +: 8] <= bus.dat_w[8 * lane +: 8];
        writes <= writes + 1'b1;
      end
    end
endmodule
