// The base SoC: UART, bridge and the user's slave. wishbench_parameters.vh is generated for each build.
`include "wishbench_parameters.vh"

module wishbench_top (
    input  wire clk,
    input  wire rx,
`ifdef WISHBENCH_LEDS
    output wire [`WISHBENCH_LEDS-1:0] leds,
`endif
    output wire tx
);
  localparam FIFO_DEPTH_LOG2 = 11;

  // The design is held in reset for 16 clocks after configuration.
  reg [3:0] age = 4'd0;
  wire      young = ~&age;
  always @(posedge clk) if (young) age <= age + 1'b1;

  wire [7:0] line_data, rx_data;
  wire       line_received, line_broken, overrun, rx_valid, rx_pop;

  wishbench_uart_rx #(
      .CLOCK_HZ(`WISHBENCH_CLOCK_HZ),
      .BAUD(`WISHBENCH_BAUD)
  ) receiver (
      .clk(clk),
      .line(rx),
      .data(line_data),
      .received(line_received),
      .broken(line_broken)
  );

  reg damaged = 1'b0; // a byte was lost on its way to the bridge
  always @(posedge clk) damaged <= line_broken | overrun;

  wishbench_fifo #(
      .DEPTH_LOG2(FIFO_DEPTH_LOG2)
  ) fifo (
      .clk(clk),
      .clear(damaged),
      .push(line_received),
      .push_data(line_data),
      .overrun(overrun),
      .pop(rx_pop),
      .data(rx_data),
      .valid(rx_valid)
  );

  wire        wb_cyc, wb_we, wb_ack, wb_err, design_reset, hold, fault;
  wire [29:0] wb_adr;
  wire [31:0] wb_dat_w, wb_dat_r;
  wire [15:0] transfers;

  wishbench_bridge #(
      .CLOCK_HZ(`WISHBENCH_CLOCK_HZ),
      .BAUD(`WISHBENCH_BAUD),
      .BUILD_ID(`WISHBENCH_BUILD_ID),
      .VERSION(`WISHBENCH_GATEWARE_VERSION),
      .FIFO_DEPTH_LOG2(FIFO_DEPTH_LOG2)
  ) bridge (
      .clk(clk),
      .rx_data(rx_data),
      .rx_valid(rx_valid),
      .rx_pop(rx_pop),
      .line_broken(damaged),
      .tx(tx),
      .wb_cyc(wb_cyc),
      .wb_we(wb_we),
      .wb_adr(wb_adr),
      .wb_dat_w(wb_dat_w),
      .wb_dat_r(wb_dat_r),
      .wb_ack(wb_ack),
      .wb_err(wb_err),
      .design_reset(design_reset),
      .hold(hold),
      .fault(fault),
      .transfers(transfers)
  );

  wishbench_user user (
      .clk(clk),
      .rst(young | design_reset),
      .wb_cyc(wb_cyc),
      .wb_stb(wb_cyc),
      .wb_we(wb_we),
      .wb_adr(wb_adr),
      .wb_dat_w(wb_dat_w),
      .wb_sel(4'b1111),
      .wb_dat_r(wb_dat_r),
      .wb_ack(wb_ack),
      .wb_err(wb_err)
  );

`ifdef WISHBENCH_LEDS
  // A host is there, the design failed to answer, and the low bits of the number of transfers.
  wire [7:0] shown = {transfers[5:0], fault, hold};
  assign leds = shown[`WISHBENCH_LEDS-1:0] ^ {`WISHBENCH_LEDS{`WISHBENCH_LEDS_ACTIVE_LOW}};
`endif
endmodule
