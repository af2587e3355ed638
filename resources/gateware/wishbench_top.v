// The base SoC: UART, bridge and the user's slave. wishbench_parameters.vh is generated for each build.
`include "wishbench_parameters.vh"

module wishbench_top (
    input  wire clk,
    input  wire rx,
`ifdef WISHBENCH_LEDS
    output wire [`WISHBENCH_LEDS-1:0] leds,
`endif
`ifdef WISHBENCH_BOUND_PORTS
    `WISHBENCH_BOUND_PORTS
`endif
`ifdef WISHBENCH_HIGH
    output wire [`WISHBENCH_HIGH-1:0] high,
`endif
    output wire tx
);
  localparam FIFO_DEPTH_LOG2 = 11;

  // WISHBENCH_CLOCK_HZ is the clock of everything in here; the pin's is 2 ** WISHBENCH_CLOCK_HALVINGS times that.
  // A counter, not a PLL: the parts of every vendor have one, and the tools put its output on a global net.
`ifdef WISHBENCH_CLOCK_HALVINGS
  reg [`WISHBENCH_CLOCK_HALVINGS-1:0] halvings = 0;
  always @(posedge clk) halvings <= halvings + 1'b1;
  wire clock = halvings[`WISHBENCH_CLOCK_HALVINGS-1];
`else
  wire clock = clk;
`endif

  // Wide enough for the clocks of a bit, less one, at the first rate and at 1 Mbaud.
  localparam SLOWEST_BAUD = `WISHBENCH_BAUD < 1000000 ? `WISHBENCH_BAUD : 1000000;
  localparam LONGEST_BIT  = (`WISHBENCH_CLOCK_HZ + SLOWEST_BAUD / 2) / SLOWEST_BAUD;
  localparam BIT_WIDTH    = $clog2(LONGEST_BIT);
  wire [BIT_WIDTH-1:0] bit_clocks;

  // The design is held in reset for at least 15 us after configuration: the block RAM of an iCE40 reads zero for
  // the first 3 us or so, whatever its contents (github.com/YosysHQ/icestorm/issues/76).
  localparam RESET_CLOCKS = 15 * (`WISHBENCH_CLOCK_HZ / 1000000 + 1);
  localparam AGE_WIDTH    = $clog2(RESET_CLOCKS + 1);
  reg [AGE_WIDTH-1:0] age = {AGE_WIDTH{1'b0}};
  wire                young = ~&age;
  always @(posedge clock) if (young) age <= age + 1'b1;

  wire [7:0] line_data, rx_data;
  wire       line_received, line_broken, overrun, rx_valid, rx_pop;

  wishbench_uart_rx #(
      .BIT_WIDTH(BIT_WIDTH)
  ) receiver (
      .clk(clock),
      .line(rx),
      .bit_clocks(bit_clocks),
      .data(line_data),
      .received(line_received),
      .broken(line_broken)
  );

  reg damaged = 1'b0; // a byte was lost on its way to the bridge
  always @(posedge clock) damaged <= line_broken | overrun;

  wishbench_fifo #(
      .DEPTH_LOG2(FIFO_DEPTH_LOG2)
  ) fifo (
      .clk(clock),
      .clear(damaged),
      .push(line_received),
      .push_data(line_data),
      .full(),
      .overrun(overrun),
      .pop(rx_pop),
      .data(rx_data),
      .valid(rx_valid)
  );

  wire        wb_cyc, wb_we, wb_ack, wb_err, design_reset, hold, fault;
  wire [29:0] wb_adr;
  wire [3:0]  wb_sel;
  wire [31:0] wb_dat_w, wb_dat_r;
  wire [15:0] transfers;

  wire pins_sample, pins_shift, pins_bit_in, pins_apply, pins_bit_out, block_bit_out;

  wishbench_bridge #(
      .CLOCK_HZ(`WISHBENCH_CLOCK_HZ),
      .BAUD(`WISHBENCH_BAUD),
      .BUILD_ID(`WISHBENCH_BUILD_ID),
      .VERSION(`WISHBENCH_GATEWARE_VERSION),
      .IDENTIFIER(`WISHBENCH_IDENTIFIER),
      .FIFO_DEPTH_LOG2(FIFO_DEPTH_LOG2),
      .BIT_WIDTH(BIT_WIDTH)
  ) bridge (
      .clk(clock),
      .rx_data(rx_data),
      .rx_valid(rx_valid & ~young), // the FIFO is block RAM, too: what comes so early waits in it
      .rx_pop(rx_pop),
      .line_broken(damaged),
      .tx(tx),
      .bit_clocks(bit_clocks),
      .wb_cyc(wb_cyc),
      .wb_we(wb_we),
      .wb_adr(wb_adr),
      .wb_sel(wb_sel),
      .wb_dat_w(wb_dat_w),
      .wb_dat_r(wb_dat_r),
      .wb_ack(wb_ack),
      .wb_err(wb_err),
      .design_reset(design_reset),
      .pins_sample(pins_sample),
      .pins_shift(pins_shift),
      .pins_bit_in(pins_bit_in),
      .pins_apply(pins_apply),
      .pins_bit_out(pins_bit_out),
      .hold(hold),
      .fault(fault),
      .transfers(transfers)
  );

  // The upper half of the port block's addresses is the capture core's, where there is one; of the lower half the upper
  // one is the terminal's.
  wire to_terminal, terminal_bit_out;
`ifdef WISHBENCH_PROBES
  wire                          to_capture = wb_adr[23];
  wire                          capture_bit_out;
  wire [`WISHBENCH_PROBES-1:0] probes; // connected by name when the design is flat: see docs/gateware.md
  wishbench_capture #(
      .BITS(`WISHBENCH_PROBES),
      .DEPTH_LOG2(`WISHBENCH_CAPTURE_DEPTH_LOG2)
  ) capture (
      .clk(clock),
      .probes(probes),
      .sample(pins_sample & to_capture),
      .stop(wb_adr[5]),
      .next(wb_adr[4]),
      .shift(pins_shift & to_capture),
      .writes(wb_we),
      .bit_in(pins_bit_in),
      .apply(pins_apply & to_capture),
      .bit_out(capture_bit_out)
  );
  assign pins_bit_out = to_capture ? capture_bit_out : to_terminal ? terminal_bit_out : block_bit_out;
`else
  wire to_capture = 1'b0;
  assign pins_bit_out = to_terminal ? terminal_bit_out : block_bit_out;
`endif

`ifdef WISHBENCH_PINS_IN
  wire [(`WISHBENCH_PINS_IN > 0 ? `WISHBENCH_PINS_IN : 1)-1:0] pins_to_design;
  wire [(`WISHBENCH_PINS_OUT > 0 ? `WISHBENCH_PINS_OUT : 1)-1:0] pins_from_design;
  wishbench_pins #(
      .INPUTS(`WISHBENCH_PINS_IN),
      .OUTPUTS(`WISHBENCH_PINS_OUT),
      .INITIAL(`WISHBENCH_PINS_INITIAL)
  ) pins (
      .clk(clock),
      .rst(young | design_reset),
      .sample(pins_sample & ~to_capture & ~to_terminal),
      .shift(pins_shift & ~to_capture & ~to_terminal),
      .bit_in(pins_bit_in),
      .apply(pins_apply & ~to_capture & ~to_terminal),
      .bit_out(block_bit_out),
      .to_design(pins_to_design),
      .from_design(pins_from_design)
  );
`else
  assign block_bit_out = 1'b0;
`endif

`ifdef WISHBENCH_TERMINAL_IN
  // The bits of the port block that are the design's serial line: idle it is high, and then the port block has its say.
  wire terminal_line;
  wire [`WISHBENCH_PINS_IN-1:0] pins_driven =
      pins_to_design & ~({`WISHBENCH_PINS_IN{~terminal_line}} & (64'd1 << `WISHBENCH_TERMINAL_IN));
  assign to_terminal = (&wb_adr[29:24]) & ~wb_adr[23] & wb_adr[22];
  wishbench_terminal #(
      .BIT_CLOCKS(`WISHBENCH_TERMINAL_CLOCKS)
  ) terminal (
      .clk(clock),
      .rst(young | design_reset),
      .selected(to_terminal),
      .rate(&wb_adr[3:0]),
      .bytes(wb_adr[2:0]),
      .writes(wb_we),
      .shift(pins_shift & to_terminal),
      .bit_in(pins_bit_in),
      .apply(pins_apply & to_terminal),
      .bit_out(terminal_bit_out),
      .from_design(pins_from_design[`WISHBENCH_TERMINAL_OUT]),
      .to_design(terminal_line)
  );
`else
  assign to_terminal = 1'b0;
  assign terminal_bit_out = 1'b0;
`ifdef WISHBENCH_PINS_IN
  wire [(`WISHBENCH_PINS_IN > 0 ? `WISHBENCH_PINS_IN : 1)-1:0] pins_driven = pins_to_design;
`endif
`endif

  wishbench_user user (
`ifdef WISHBENCH_PINS_IN
      .pins_to_design(pins_driven),
      .pins_from_design(pins_from_design),
`endif
`ifdef WISHBENCH_BOUND_PORTS
      `WISHBENCH_BOUND_CONNECTIONS
`endif
      .clk(clock),
      .rst(young | design_reset),
      .wb_cyc(wb_cyc),
      .wb_stb(wb_cyc),
      .wb_we(wb_we),
      .wb_adr(wb_adr),
      .wb_dat_w(wb_dat_w),
      .wb_sel(wb_sel),
      .wb_dat_r(wb_dat_r),
      .wb_ack(wb_ack),
      .wb_err(wb_err)
  );

`ifdef WISHBENCH_LEDS
  // A host is there, the design failed to answer, and the low bits of the number of transfers.
  wire [7:0] shown = {transfers[5:0], fault, hold};
  assign leds = shown[`WISHBENCH_LEDS-1:0] ^ {`WISHBENCH_LEDS{`WISHBENCH_LEDS_ACTIVE_LOW}};
`endif

`ifdef WISHBENCH_HIGH
  assign high = {`WISHBENCH_HIGH{1'b1}};
`endif
endmodule
