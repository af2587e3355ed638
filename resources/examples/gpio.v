// General-purpose I/O in the manner of OpenCores: wb_*_i and wb_*_o, byte addresses, active-high reset.
//
//   0x00 IN    read   pins; a pin that is driven reads what it drives
//   0x04 OUT   r/w    levels to drive
//   0x08 OE    r/w    1 drives the pin
//   0x0C SET   write  1 sets a bit of OUT
//   0x10 CLR   write  1 clears a bit of OUT
//   0x14 RISE  r/w    pins that have risen; writing 1 clears
module gpio (
    input  wire        wb_clk_i,
    input  wire        wb_rst_i,
    input  wire        wb_cyc_i,
    input  wire        wb_stb_i,
    input  wire        wb_we_i,
    input  wire [ 7:0] wb_adr_i,
    input  wire [31:0] wb_dat_i,
    input  wire [ 3:0] wb_sel_i,
    output reg  [31:0] wb_dat_o,
    output reg         wb_ack_o,
    output wire        wb_inta_o,
    // Pins of the bench, as far as 64 bits in each direction go.
    input  wire [31:0] gpio_i,
    output wire [31:0] gpio_o,
    output wire [31:0] gpio_oe
);
  localparam IN = 6'h00, OUT = 6'h01, OE = 6'h02, SET = 6'h03, CLR = 6'h04, RISE = 6'h05;

  reg [31:0] level, drive, rise, previous;
  wire [31:0] pins = (level & drive) | (gpio_i & ~drive);
  wire access = wb_cyc_i & wb_stb_i & ~wb_ack_o;
  wire [5:0] register = wb_adr_i[7:2];

  assign gpio_o = level;
  assign gpio_oe = drive;
  assign wb_inta_o = |rise;

  always @(posedge wb_clk_i)
    if (wb_rst_i) begin
      wb_ack_o <= 1'b0;
      wb_dat_o <= 32'd0;
      level    <= 32'd0;
      drive    <= 32'd0;
      rise     <= 32'd0;
      previous   <= 32'd0;
    end else begin
      wb_ack_o <= access;
      previous   <= pins;
      rise     <= rise | (pins & ~previous);
      if (access & wb_we_i)
        case (register)
          OUT:  level <= wb_dat_i;
          OE:   drive <= wb_dat_i;
          SET:  level <= level | wb_dat_i;
          CLR:  level <= level & ~wb_dat_i;
          RISE: rise <= rise & ~wb_dat_i;
          default: ;
        endcase
      case (register)
        IN:      wb_dat_o <= pins;
        OUT:     wb_dat_o <= level;
        OE:      wb_dat_o <= drive;
        RISE:    wb_dat_o <= rise;
        default: wb_dat_o <= 32'd0;
      endcase
    end
endmodule
