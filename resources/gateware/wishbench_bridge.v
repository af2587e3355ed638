// UART to Wishbone: speaks LiteX's uartbone protocol, masters the bus, and answers for the identity and
// status block at 0xF000_0000 itself. docs/gateware.md has the protocol and the register map.
//
// A word comes and goes bit by bit, because the line does: one shift register is the receive buffer, the
// write data, the read data and the transmit register, and one bit-serial CRC-32 sees every bit in the order
// in which the bridge deals with it. Nothing changes while nothing happens: an idle board costs nothing to
// simulate.
module wishbench_bridge #(
    parameter CLOCK_HZ = 12000000,
    parameter BAUD = 3000000,
    parameter [63:0] BUILD_ID = 64'd0,
    parameter [31:0] VERSION = 32'd1,
    parameter FIFO_DEPTH_LOG2 = 11
) (
    input  wire        clk,
    // Received bytes, from the FIFO.
    input  wire [7:0]  rx_data,
    input  wire        rx_valid,
    output wire        rx_pop,
    input  wire        line_broken, // one clock: a byte was lost or damaged on its way here
    output reg         tx,
    // Bus of the user's slave.
    output reg         wb_cyc,
    output reg         wb_we,
    output reg  [29:0] wb_adr,
    output wire [31:0] wb_dat_w,
    input  wire [31:0] wb_dat_r,
    input  wire        wb_ack,
    input  wire        wb_err,
    output reg         design_reset, // asked for by the host
    // For the LEDs.
    output reg         hold,
    output reg         fault,
    output reg  [15:0] transfers
);
  // Frames: command, length, four bytes of address, then the words of a write.
  localparam [3:0] COMMAND = 4'd0, LENGTH = 4'd1, ADDRESS = 4'd2, BEGIN = 4'd3, DATA = 4'd4, BUS = 4'd5,
                   SEND = 4'd6, NEXT = 4'd7, DEAF = 4'd8;

  // Registers of the identity block, as word offsets; the rest are constants.
  localparam [3:0] CONTROL = 4'd12, FAULT_ADDRESS = 4'd13, STATUS = 4'd14, CRC = 4'd15;

  // On the line the most significant byte comes first, but in each byte the least significant bit. With the
  // bytes of a word reversed, shifting right is the order of the line.
  function [31:0] line_order;
    input [31:0] word;
    line_order = {word[7:0], word[15:8], word[23:16], word[31:24]};
  endfunction

  reg [3:0]  state = COMMAND;
  reg [4:0]  index = 5'd0;   // bits of the word, or of the first two bytes, that have been dealt with
  reg [31:0] word = 32'd0;   // in line order
  reg [7:0]  remaining = 8'd0;
  reg        fixed = 1'b0;

  // ---- Received bytes, a bit a clock --------------------------------------------------------------------
  reg [7:0] rx_byte = 8'd0; // turns right while its bits are taken
  reg       rx_full = 1'b0;
  wire [7:0] rx_value = {rx_byte[0], rx_byte[7:1]}; // the byte as received, at its last bit
  wire taking = rx_full & (state == COMMAND | state == LENGTH | state == ADDRESS | state == DATA);
  wire byte_end = &index[2:0];
  wire word_end = &index;
  wire known_command = ~|rx_value[7:3] & (rx_value[2] ? ~|rx_value[1:0] : |rx_value[1:0]);
  assign rx_pop = rx_valid & ~rx_full;

  always @(posedge clk) begin
    if (!rx_full) begin
      rx_byte <= rx_data;
      rx_full <= rx_valid;
    end else if (taking) begin
      rx_byte <= rx_value;
      rx_full <= ~byte_end;
    end else if (state == DEAF) begin
      rx_full <= 1'b0;
    end
    if (line_broken) rx_full <= 1'b0;
  end

  // ---- Time: one counter is the watchdog of the bus and the measure of silence ---------------------------
  localparam SILENT_TICKS = (CLOCK_HZ / 10 + 65535) / 65536; // 100 ms in units of 65,536 clocks
  localparam TICK_WIDTH   = $clog2(SILENT_TICKS + 1);
  reg [15:0]           clocks = 16'd0;
  reg [TICK_WIDTH-1:0] ticks = {TICK_WIDTH{1'b0}};
  wire mid_frame = state == LENGTH | state == ADDRESS | state == DATA | state == DEAF;
  wire waiting = wb_cyc | (mid_frame & ~rx_full);
  reg  tick = 1'b0; // in the last of 65,536 clocks
  wire silent = mid_frame & tick & ticks == SILENT_TICKS - 1;

  always @(posedge clk) begin
    tick <= waiting & (&clocks[15:1]) & ~clocks[0];
    if (!waiting) begin
      clocks <= 16'd0;
      ticks <= {TICK_WIDTH{1'b0}};
    end else begin
      clocks <= clocks + 1'b1;
      if (tick) ticks <= ticks + 1'b1;
    end
  end

  // ---- Bus --------------------------------------------------------------------------------------------------
  wire own = &wb_adr[29:26];
  reg  burst_fault = 1'b0;
  wire skip = burst_fault | (hold & fault); // after a fault nothing more reaches the design
  wire timeout = tick & ~wb_ack;
  wire failed = wb_cyc & (wb_err | timeout);
  wire done = wb_cyc & wb_ack & ~wb_err;
  wire bus_end = state == BUS & (own | skip | done | failed);
  wire control_write = bus_end & own & wb_we & wb_adr[3:0] == CONTROL;
  assign wb_dat_w = line_order(word);

  reg        fault_error = 1'b0; // the design said err; else it said nothing
  reg        line_error = 1'b0;
  reg [31:0] fault_address = 32'd0; // byte address in line order

  // ---- Answers, a bit a bit time ----------------------------------------------------------------------------
  localparam DIVISOR = CLOCK_HZ / BAUD;
  localparam WIDTH   = $clog2(DIVISOR + 1);
  function [15:0] longer_bits; // as in the receiver
    input integer unused;
    integer k;
    begin
      longer_bits = 16'd0;
      for (k = 0; k < 10; k = k + 1)
        if (((k + 1) * CLOCK_HZ + BAUD / 2) / BAUD - (k * CLOCK_HZ + BAUD / 2) / BAUD > DIVISOR)
          longer_bits[k] = 1'b1;
    end
  endfunction
  localparam [15:0] LONGER = longer_bits(0);

  reg [WIDTH-1:0] countdown = {WIDTH{1'b0}};
  reg [3:0]       slot = 4'd0; // 0 is the start bit, 9 the stop bit
  wire bit_time = countdown == 0 & state == SEND;
  wire start_slot = slot == 4'd0;
  wire stop_slot = slot == 4'd9;
  wire sending = bit_time & ~start_slot & ~stop_slot;

  reg [31:0] constant;
  always @* begin
    case (wb_adr[3:0])
      4'd0: constant = 32'h57424348; // "WBCH"
      4'd1: constant = VERSION;
      4'd2: constant = CLOCK_HZ;
      4'd3: constant = BAUD;
      4'd4: constant = BUILD_ID[63:32];
      4'd5: constant = BUILD_ID[31:0];
      4'd6: constant = 1 << FIFO_DEPTH_LOG2;
      4'd7: constant = 32'd65536; // clocks of the watchdog
      STATUS: constant = {transfers, 11'd0, design_reset, hold, line_error, fault_error, fault};
      default: constant = 32'd0;
    endcase
  end
  reg [31:0] crc = 32'hffffffff; // reflected CRC-32, before its final inversion
  wire sending_crc = own & wb_adr[3:0] == CRC;
  wire sending_fault = own & wb_adr[3:0] == FAULT_ADDRESS;
  // Chosen a clock ahead: between two bits there are at least four.
  reg tx_bit = 1'b0;
  always @(posedge clk)
    tx_bit <= ~own ? word[0]
        : sending_crc ? ~crc[0]
        : sending_fault ? fault_address[0]
        : constant[{~index[4:3], index[2:0]}];

  // ---- CRC: every bit taken and sent, except the four bytes of the CRC itself -------------------------------
  wire crc_out = sending & sending_crc; // shifts out, and in come the ones it starts again with
  wire feedback = (crc[0] ^ (state == SEND ? tx_bit : rx_byte[0])) & ~crc_out;
  always @(posedge clk) begin
    if (taking | sending) crc <= {crc_out, crc[31:1]} ^ (feedback ? 32'hedb88320 : 32'd0);
  end

  initial begin
    tx = 1'b1;
    wb_cyc = 1'b0;
    wb_we = 1'b0;
    wb_adr = 30'd0;
    hold = 1'b0;
    fault = 1'b0;
    design_reset = 1'b0;
    transfers = 16'd0;
  end

  always @(posedge clk) begin
    if (countdown != 0) countdown <= countdown - 1'b1;
    else if (state == SEND) countdown <= DIVISOR - 1 + LONGER[slot];

    if (taking | sending) begin
      index <= index + 1'b1;
      word <= {rx_byte[0], word[31:1]};
    end
    if (sending & sending_fault) fault_address <= {fault_address[0], fault_address[31:1]};

    if (bit_time) begin
      tx <= start_slot ? 1'b0 : stop_slot ? 1'b1 : tx_bit;
      slot <= stop_slot ? 4'd0 : slot + 1'b1;
    end

    case (state)
      COMMAND:
        if (taking & byte_end) begin
          index <= 5'd0;
          wb_we <= rx_value[0];
          fixed <= rx_value[2] | &rx_value[1:0];
          burst_fault <= 1'b0;
          state <= LENGTH;
          if (!known_command) begin
            line_error <= 1'b1;
            state <= DEAF;
          end
        end
      LENGTH:
        if (taking & byte_end) begin
          index <= 5'd0;
          remaining <= rx_value;
          state <= ADDRESS;
        end
      ADDRESS: if (taking & word_end) state <= BEGIN;
      BEGIN: begin
        wb_adr <= wb_dat_w[29:0];
        state <= remaining == 0 ? COMMAND : wb_we ? DATA : BUS;
      end
      DATA: if (taking & word_end) state <= BUS;
      BUS: begin
        wb_cyc <= ~bus_end;
        if (bus_end) begin
          if (!wb_we) word <= done ? line_order(wb_dat_r) : 32'd0;
          state <= wb_we ? NEXT : SEND;
        end
        if (done) transfers <= transfers + 1'b1;
        if (failed) begin
          burst_fault <= 1'b1;
          if (!fault) begin
            fault <= 1'b1;
            fault_error <= wb_err;
            fault_address <= line_order({wb_adr, 2'b00});
          end
        end
        if (control_write) begin
          hold <= wb_dat_w[0];
          design_reset <= wb_dat_w[1];
          fault <= 1'b0;
          fault_error <= 1'b0;
          line_error <= 1'b0;
        end
      end
      SEND: if (bit_time & stop_slot & index == 5'd0) state <= NEXT;
      NEXT: begin
        remaining <= remaining - 1'b1;
        if (!fixed) wb_adr <= wb_adr + 1'b1;
        state <= remaining == 8'd1 ? COMMAND : wb_we ? DATA : BUS;
      end
      default: tx <= 1'b1; // DEAF: the line was damaged, so nothing is obeyed until it has been silent
    endcase

    if (silent) begin
      index <= 5'd0;
      state <= COMMAND;
    end
    if (line_broken) begin
      line_error <= 1'b1;
      wb_cyc <= 1'b0;
      index <= 5'd0;
      slot <= 4'd0;
      state <= DEAF;
    end
  end
endmodule
