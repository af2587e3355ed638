// The bus within is an interface with modports; the ports of the top are plain.
// Wishbone slave: module interface_top, 32-bit data, classic handshake, reset active high
// ports: ack = wb_ack, cyc = wb_cyc, stb = wb_stb, we = wb_we, adr = wb_adr, dat_w = wb_dat_w, dat_r = wb_dat_r, sel = wb_sel, clk = clk, rst = rst
// addresses: word
interface simple_bus #(parameter int AW = 4) (input logic clk);
  logic          valid, write;
  logic [AW-1:0] address;
  logic [31:0]   wdata, rdata;
  logic          ready;
  modport host (output valid, write, address, wdata, input rdata, ready);
  modport device (input clk, valid, write, address, wdata, output rdata, ready);
endinterface

module bus_device (simple_bus.device bus, input logic rst);
  logic [31:0] store [16];
  always_ff @(posedge bus.clk) begin
    bus.ready <= bus.valid & ~bus.ready & ~rst;
    bus.rdata <= store[bus.address];
    if (bus.valid & bus.write) store[bus.address] <= bus.wdata;
  end
endmodule

module interface_top (
  input  logic clk, rst,
  input  logic wb_cyc, wb_stb, wb_we,
  input  logic [29:0] wb_adr,
  input  logic [31:0] wb_dat_w,
  input  logic [3:0] wb_sel,
  output logic [31:0] wb_dat_r,
  output logic wb_ack
);
  simple_bus #(.AW(4)) bus (.clk);
  assign bus.valid = wb_cyc & wb_stb & ~bus.ready;
  assign bus.write = wb_we;
  assign bus.address = wb_adr[3:0];
  assign bus.wdata = wb_dat_w;
  assign wb_dat_r = bus.rdata;
  assign wb_ack = bus.ready;
  bus_device device (.bus(bus), .rst);
endmodule
