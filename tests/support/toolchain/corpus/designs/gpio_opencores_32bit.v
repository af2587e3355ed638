// Input and output pins behind the ports of OpenCores, with byte selects and an error for what is not there.
// Wishbone slave: module gpio_top, 32-bit data, classic handshake, reset active high
// ports: ack = wb_ack_o, cyc = wb_cyc_i, stb = wb_stb_i, we = wb_we_i, adr = wb_adr_i, dat_w = wb_dat_i, dat_r = wb_dat_o, sel = wb_sel_i, err = wb_err_o, clk = wb_clk_i, rst = wb_rst_i
// addresses: byte
module gpio_top #(parameter WIDTH = 8) (
  input              wb_clk_i,
  input              wb_rst_i,
  input              wb_cyc_i,
  input              wb_stb_i,
  input              wb_we_i,
  input       [31:0] wb_adr_i,
  input       [3:0]  wb_sel_i,
  input       [31:0] wb_dat_i,
  output reg  [31:0] wb_dat_o,
  output reg         wb_ack_o,
  output reg         wb_err_o,
  output             wb_inta_o,
  input  [WIDTH-1:0] ext_pad_i,
  output [WIDTH-1:0] ext_pad_o,
  output [WIDTH-1:0] ext_padoe_o
);
  `define GPIO_IN   4'h0
  `define GPIO_OUT  4'h1
  `define GPIO_OE   4'h2
  `define GPIO_INTE 4'h3
  `define GPIO_INTS 4'h4

  reg [WIDTH-1:0] rgpio_out, rgpio_oe, rgpio_inte, rgpio_ints;
  reg [WIDTH-1:0] sync0, sync1, last;
  wire access = wb_cyc_i & wb_stb_i & ~wb_ack_o & ~wb_err_o;
  wire known  = wb_adr_i[5:2] <= `GPIO_INTS && wb_adr_i[31:6] == 0;

  always @(posedge wb_clk_i or posedge wb_rst_i)
    if (wb_rst_i) begin
      wb_ack_o <= 1'b0;
      wb_err_o <= 1'b0;
    end else begin
      wb_ack_o <= access & known;
      wb_err_o <= access & ~known;
    end

  always @(posedge wb_clk_i or posedge wb_rst_i)
    if (wb_rst_i) begin
      rgpio_out  <= {WIDTH{1'b0}};
      rgpio_oe   <= {WIDTH{1'b0}};
      rgpio_inte <= {WIDTH{1'b0}};
    end else if (access & known & wb_we_i & wb_sel_i[0])
      case (wb_adr_i[5:2])
        `GPIO_OUT:  rgpio_out  <= wb_dat_i[WIDTH-1:0];
        `GPIO_OE:   rgpio_oe   <= wb_dat_i[WIDTH-1:0];
        `GPIO_INTE: rgpio_inte <= wb_dat_i[WIDTH-1:0];
        default: ;
      endcase

  always @(posedge wb_clk_i) {last, sync1, sync0} <= {sync1, sync0, ext_pad_i};

  always @(posedge wb_clk_i or posedge wb_rst_i)
    if (wb_rst_i) rgpio_ints <= {WIDTH{1'b0}};
    else if (access & known & wb_we_i & (wb_adr_i[5:2] == `GPIO_INTS)) rgpio_ints <= rgpio_ints & ~wb_dat_i[WIDTH-1:0];
    else rgpio_ints <= rgpio_ints | ((sync1 ^ last) & rgpio_inte);

  always @(posedge wb_clk_i)
    case (wb_adr_i[5:2])
      `GPIO_IN:   wb_dat_o <= sync1;
      `GPIO_OUT:  wb_dat_o <= rgpio_out;
      `GPIO_OE:   wb_dat_o <= rgpio_oe;
      `GPIO_INTE: wb_dat_o <= rgpio_inte;
      default:    wb_dat_o <= rgpio_ints;
    endcase

  assign ext_pad_o   = rgpio_out;
  assign ext_padoe_o = rgpio_oe;
  assign wb_inta_o   = |rgpio_ints;
endmodule
