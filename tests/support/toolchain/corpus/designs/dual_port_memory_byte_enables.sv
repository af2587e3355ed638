// A memory of two ports in a module of its own; the second port copies blocks.
// Wishbone slave: module copy_engine, 32-bit data, classic handshake, reset active high
// ports: ack = ack_o, cyc = cyc_i, stb = stb_i, we = we_i, adr = adr_i, dat_w = dat_i, dat_r = dat_o, sel = sel_i, clk = clk_i, rst = rst_i
// addresses: byte
module copy_engine (
  input logic clk_i, input logic rst_i, input logic [11:0] adr_i, input logic [31:0] dat_i, output logic [31:0] dat_o,
  input logic [3:0] sel_i, input logic we_i, stb_i, cyc_i, output logic ack_o, output logic busy_o
);
  logic [31:0] from_memory, engine_data;
  logic [8:0] source, target;
  logic [8:0] left;
  logic reading, ram_write;
  wire access = cyc_i & stb_i & ~ack_o;
  assign busy_o = left != 0;
  assign ram_write = access & we_i & ~adr_i[11];

  byte_memory #(.WORDS(512)) memory (
    .clk(clk_i), .a_address(adr_i[10:2]), .a_enable(ram_write ? sel_i : 4'b0), .a_write(dat_i), .a_read(from_memory),
    .b_address(reading ? source : target), .b_enable({4{busy_o & ~reading}}), .b_write(engine_data), .b_read(engine_data));

  always_ff @(posedge clk_i)
    if (rst_i) begin
      ack_o <= 1'b0;
      left <= '0;
      reading <= 1'b1;
    end else begin
      ack_o <= access;
      if (busy_o) begin
        reading <= ~reading;
        if (!reading) begin
          source <= source + 1'b1;
          target <= target + 1'b1;
          left <= left - 1'b1;
        end
      end else if (access & we_i & adr_i[11]) begin
        {source, target} <= dat_i[17:0];
        left <= dat_i[26:18];
        reading <= 1'b1;
      end
    end
  assign dat_o = adr_i[11] ? {31'b0, busy_o} : from_memory;
endmodule

module byte_memory #(parameter int WORDS = 256, localparam int AW = $clog2(WORDS)) (
  input logic clk, input logic [AW-1:0] a_address, b_address, input logic [3:0] a_enable, b_enable,
  input logic [31:0] a_write, b_write, output logic [31:0] a_read, b_read
);
  logic [31:0] words [WORDS];
  logic [AW-1:0] address;
  logic [3:0] enable;
  logic [31:0] data;
  assign address = |a_enable ? a_address : b_address;
  assign enable = |a_enable ? a_enable : b_enable;
  assign data = |a_enable ? a_write : b_write;
  always_ff @(posedge clk) begin
    for (int i = 0; i < 4; i++)
      if (enable[i]) words[address][8*i +: 8] <= data[8*i +: 8];
    a_read <= words[a_address];
    b_read <= words[b_address];
  end
endmodule
