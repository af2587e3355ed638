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
    parameter [511:0] IDENTIFIER = 512'd0, // characters, the first one uppermost, with zeros behind the last
    parameter FIFO_DEPTH_LOG2 = 11,
    parameter BIT_WIDTH = 2
) (
    input  wire        clk,
    // Received bytes, from the FIFO.
    input  wire [7:0]  rx_data,
    input  wire        rx_valid,
    output wire        rx_pop,
    input  wire        line_broken, // one clock: a byte was lost or damaged on its way here
    output reg         tx,
    output reg  [BIT_WIDTH-1:0] bit_clocks, // of the line: clocks a bit, less one
    // Bus of the user's slave.
    output reg         wb_cyc,
    output reg         wb_we,
    output reg  [29:0] wb_adr,
    output reg  [3:0]  wb_sel,
    output wire [31:0] wb_dat_w,
    input  wire [31:0] wb_dat_r,
    input  wire        wb_ack,
    input  wire        wb_err,
    output reg         design_reset, // asked for by the host
    // Port block.
    output wire        pins_sample,
    output wire        pins_shift,
    output wire        pins_bit_in,
    output wire        pins_apply,
    input  wire        pins_bit_out,
    // For the LEDs.
    output reg         hold,
    output reg         fault,
    output reg  [15:0] transfers
);
  // Frames: command, length, four bytes of address, then the words of a write.
  localparam [3:0] COMMAND = 4'd0, LENGTH = 4'd1, ADDRESS = 4'd2, BEGIN = 4'd3, DATA = 4'd4, BUS = 4'd5,
                   SEND = 4'd6, NEXT = 4'd7, DEAF = 4'd8;

  // Registers of the identity block, as word offsets; the rest are in wishbench_constants.
  localparam [3:0] CLOCKS_PER_BIT = 4'd8, CONTROL = 4'd12, FAULT_ADDRESS = 4'd13, STATUS = 4'd14, CRC = 4'd15;

  localparam [BIT_WIDTH-1:0] BASE_BIT_CLOCKS = (CLOCK_HZ + BAUD / 2) / BAUD - 1;

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
  // The upper half of a write's command are the bytes of each word that it leaves alone.
  wire known_command = ~rx_value[3] & (rx_value[2] ? ~|rx_value[1:0] : |rx_value[1:0])
      & (~|rx_value[7:4] | ~rx_value[2] & ~rx_value[1]);
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
  reg  unproven = 1'b0; // nobody has been heard at the line's new rate
  wire listening = mid_frame | (unproven & state == COMMAND);
  wire waiting = wb_cyc | (listening & ~rx_full);
  reg  tick = 1'b0; // in the last of 65,536 clocks
  wire silent = listening & tick & ticks == SILENT_TICKS - 1;

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
  wire block = own & ~wb_adr[25]; // the identity block
  wire pins = own & wb_adr[25] & wb_adr[24]; // the port block; between the two lies the identifier
  reg  burst_fault = 1'b0;
  wire skip = burst_fault | (hold & fault); // after a fault nothing more reaches the design
  wire timeout = tick & ~wb_ack;
  wire failed = wb_cyc & (wb_err | timeout);
  wire done = wb_cyc & wb_ack & ~wb_err;
  wire bus_end = state == BUS & (own | skip | done | failed);
  wire block_write = bus_end & block & wb_we;
  wire control_write = block_write & wb_adr[3:0] == CONTROL;
  wire rate_write = block_write & wb_adr[3:0] == CLOCKS_PER_BIT;
  assign wb_dat_w = line_order(word);
  assign pins_sample = bus_end & pins & ~wb_we & ~|wb_adr[3:0];
  assign pins_apply = bus_end & pins & wb_we & &wb_adr[3:0];

  reg        fault_error = 1'b0; // the design said err; else it said nothing
  reg        line_error = 1'b0;
  reg [31:0] fault_address = 32'd0; // byte address in line order

  // ---- Answers, a bit a bit time ----------------------------------------------------------------------------
  reg [BIT_WIDTH-1:0] countdown = {BIT_WIDTH{1'b0}};
  reg [3:0]           slot = 4'd0; // 0 is the start bit, 9 the stop bit
  wire bit_time = countdown == 0 & state == SEND;
  wire start_slot = slot == 4'd0;
  wire stop_slot = slot == 4'd9;
  wire sending = bit_time & ~start_slot & ~stop_slot;

  // The bit of a word that is sent next: the most significant byte comes first.
  wire [4:0]  place = {~index[4:3], index[2:0]};
  wire [31:0] status = {transfers, 11'd0, design_reset, hold, line_error, fault_error, fault};
  wire [1:0]  constants;
  wishbench_constants #(
      .BLOCK({
        {8{32'd0}},                 // line rate, scratch, control, fault address, status and CRC are no constants
        32'd65536,                  // clocks of the watchdog
        32'd1 << FIFO_DEPTH_LOG2,
        BUILD_ID[31:0],
        BUILD_ID[63:32],
        BAUD[31:0],
        CLOCK_HZ[31:0],
        VERSION,
        32'h57424348                // "WBCH"
      }),
      .IDENTIFIER(IDENTIFIER)
  ) rom (
      .clk(clk),
      .place({wb_adr[5:0], place}),
      .bits(constants)
  );
  assign pins_shift = pins & (sending | taking & state == DATA);
  assign pins_bit_in = rx_byte[0];
  reg [31:0] crc = 32'hffffffff; // reflected CRC-32, before its final inversion
  wire sending_crc = block & wb_adr[3:0] == CRC;
  wire sending_fault = block & wb_adr[3:0] == FAULT_ADDRESS;
  wire sending_status = block & wb_adr[3:0] == STATUS;
  // Chosen ahead, two clocks after the index moves: between two bits there are at least four.
  reg tx_bit = 1'b0;
  always @(posedge clk)
    tx_bit <= ~own ? word[0]
        : sending_crc ? ~crc[0]
        : sending_fault ? fault_address[0]
        : sending_status ? status[place]
        : pins ? pins_bit_out
        : constants[wb_adr[25]];

  // ---- CRC: every bit taken and sent, except the four bytes of the CRC itself -------------------------------
  wire crc_out = sending & sending_crc; // shifts out, and in come the ones it starts again with
  wire feedback = (crc[0] ^ (state == SEND ? tx_bit : rx_byte[0])) & ~crc_out;
  always @(posedge clk) begin
    if (taking | sending) crc <= {crc_out, crc[31:1]} ^ (feedback ? 32'hedb88320 : 32'd0);
  end

  initial begin
    tx = 1'b1;
    bit_clocks = BASE_BIT_CLOCKS;
    wb_cyc = 1'b0;
    wb_we = 1'b0;
    wb_adr = 30'd0;
    wb_sel = 4'b1111;
    hold = 1'b0;
    fault = 1'b0;
    design_reset = 1'b0;
    transfers = 16'd0;
  end

  always @(posedge clk) begin
    if (countdown != 0) countdown <= countdown - 1'b1;
    else if (state == SEND) countdown <= bit_clocks;

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
          wb_sel <= ~rx_value[7:4];
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
          unproven <= 1'b0;
        end
        if (rate_write) begin
          bit_clocks <= wb_dat_w[BIT_WIDTH-1:0];
          unproven <= 1'b1;
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

    // Whoever is there speaks at another rate, or not at all: the next one begins at the first rate.
    if (silent) begin
      bit_clocks <= BASE_BIT_CLOCKS;
      unproven <= 1'b0;
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
