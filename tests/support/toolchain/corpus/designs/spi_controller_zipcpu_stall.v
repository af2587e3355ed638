// An SPI controller with the names of ZipCPU: word addresses, and a stall while a byte is on its way.
// Wishbone slave: module spi_controller, 32-bit data, pipelined handshake, reset active high
// ports: ack = o_wb_ack, cyc = i_wb_cyc, stb = i_wb_stb, we = i_wb_we, adr = i_wb_addr, dat_w = i_wb_data, dat_r = o_wb_data, sel = i_wb_sel, stall = o_wb_stall, clk = i_clk, rst = i_reset
// addresses: word
`default_nettype none
module spi_controller #(
  parameter [7:0] CKDIV = 8'd3
) (
  input  wire        i_clk, i_reset,
  input  wire        i_wb_cyc, i_wb_stb, i_wb_we,
  input  wire [1:0]  i_wb_addr,
  input  wire [31:0] i_wb_data,
  input  wire [3:0]  i_wb_sel,
  output wire        o_wb_stall,
  output reg         o_wb_ack,
  output reg  [31:0] o_wb_data,
  output reg         o_spi_sck, o_spi_cs_n,
  output wire        o_spi_mosi,
  input  wire        i_spi_miso
);
  localparam [1:0] ADDR_DATA = 2'b00, ADDR_CTRL = 2'b01, ADDR_DIV = 2'b10;
  reg [7:0] divide, count, shift;
  reg [3:0] edges;
  wire busy = |edges;

  assign o_wb_stall = busy && i_wb_addr == ADDR_DATA;
  assign o_spi_mosi = shift[7];

  initial o_spi_cs_n = 1'b1;
  initial divide = CKDIV;
  always @(posedge i_clk)
  if (i_reset) begin
    o_spi_cs_n <= 1'b1;
    divide <= CKDIV;
    edges <= 0;
    o_spi_sck <= 1'b0;
  end else begin
    if (busy) begin
      if (count == 0) begin
        count <= divide;
        o_spi_sck <= !o_spi_sck;
        edges <= edges - 1'b1;
        if (o_spi_sck) shift <= { shift[6:0], i_spi_miso };
      end else
        count <= count - 1'b1;
    end
    if (i_wb_stb && !o_wb_stall && i_wb_we)
      case(i_wb_addr)
      ADDR_DATA: begin shift <= i_wb_data[7:0]; edges <= 4'hf; count <= divide; end
      ADDR_CTRL: o_spi_cs_n <= !i_wb_data[0];
      ADDR_DIV:  if (i_wb_sel[0]) divide <= i_wb_data[7:0];
      default: begin end
      endcase
  end

  initial o_wb_ack = 1'b0;
  always @(posedge i_clk)
    o_wb_ack <= !i_reset && i_wb_stb && !o_wb_stall;

  always @(posedge i_clk)
  case(i_wb_addr)
  ADDR_DATA: o_wb_data <= { 24'h0, shift };
  ADDR_CTRL: o_wb_data <= { 30'h0, busy, !o_spi_cs_n };
  default:   o_wb_data <= { 24'h0, divide };
  endcase

  wire unused;
  assign unused = &{ 1'b0, i_wb_cyc, i_wb_sel, i_wb_data[31:8] };
endmodule
`default_nettype wire
