// Serial port with an 8-bit bus: one 8-bit register behind each 32-bit word of the bench. In loop-back it hears
// itself, so that it can be tried without a line.
//
//   0x00 DATA     r/w    write: waits until the transmitter is free, then sends; read: the last byte received
//   0x04 STATUS   r/w    bit 0 received (reading DATA clears it), bit 1 sending, bit 2 bad stop bit; write clears
//   0x08 DIVISOR  r/w    clocks a bit, divided by 4, less one
//   0x0C CONTROL  r/w    bit 0 loop-back
module uart (
    input  wire       clk_i,
    input  wire       rst_i,
    input  wire       cyc_i,
    input  wire       stb_i,
    input  wire       we_i,
    input  wire [1:0] adr_i,
    input  wire [7:0] dat_i,
    output reg  [7:0] dat_o,
    output reg        ack_o,
    input  wire       uart_rx,  // the bench ties it to 1, the idle level
    output wire       uart_tx
);
  reg [7:0] divisor, received;
  reg loopback, full, bad_stop;

  // A tick every (divisor + 1) clocks; a bit takes four.
  reg [7:0] prescaler;
  wire tick = prescaler == 8'd0;

  reg [9:0] tx_shift;  // stop, eight data bits, start; the lowest goes first
  reg [3:0] tx_left;
  reg [1:0] tx_phase;
  wire sending = tx_left != 4'd0;
  assign uart_tx = tx_shift[0];

  reg [1:0] line;
  reg [7:0] rx_shift;
  reg [3:0] rx_left;
  reg [1:0] rx_phase;

  // A write to DATA is the one that may have to wait.
  wire waits = we_i & (adr_i == 2'd0) & sending;
  wire access = cyc_i & stb_i & ~ack_o & ~waits;

  always @(posedge clk_i)
    if (rst_i) begin
      ack_o     <= 1'b0;
      dat_o     <= 8'd0;
      divisor   <= 8'd0;
      loopback  <= 1'b0;
      full      <= 1'b0;
      bad_stop  <= 1'b0;
      received  <= 8'd0;
      prescaler <= 8'd0;
      tx_shift  <= 10'h3FF;
      tx_left   <= 4'd0;
      tx_phase  <= 2'd0;
      line      <= 2'b11;
      rx_shift  <= 8'd0;
      rx_left   <= 4'd0;
      rx_phase  <= 2'd0;
    end else begin
      prescaler <= tick ? divisor : prescaler - 1'b1;
      line      <= {line[0], loopback ? uart_tx : uart_rx};

      if (tick & sending) begin
        tx_phase <= tx_phase + 1'b1;
        if (&tx_phase) begin
          tx_shift <= {1'b1, tx_shift[9:1]};
          tx_left  <= tx_left - 1'b1;
        end
      end

      if (tick)
        if (rx_left == 4'd0) begin
          // A falling edge begins a byte; two ticks later is the middle of the start bit.
          if (~line[1]) begin
            rx_left  <= 4'd10;
            rx_phase <= 2'd2;
          end
        end else begin
          rx_phase <= rx_phase + 1'b1;
          if (&rx_phase) begin
            rx_left <= rx_left - 1'b1;
            if (rx_left == 4'd10 && line[1]) rx_left <= 4'd0;  // a glitch, not a start bit
            else if (rx_left == 4'd1) begin
              full     <= line[1];
              bad_stop <= ~line[1];
              received <= rx_shift;
            end else rx_shift <= {line[1], rx_shift[7:1]};
          end
        end

      ack_o <= access;
      if (access) begin
        case (adr_i)
          2'd0: dat_o <= received;
          2'd1: dat_o <= {5'd0, bad_stop, sending, full};
          2'd2: dat_o <= divisor;
          2'd3: dat_o <= {7'd0, loopback};
        endcase
        if (~we_i & adr_i == 2'd0) full <= 1'b0;
        if (we_i)
          case (adr_i)
            2'd0: begin
              tx_shift <= {1'b1, dat_i, 1'b0};
              tx_left  <= 4'd10;
              tx_phase <= 2'd0;
            end
            2'd1: begin
              full     <= 1'b0;
              bad_stop <= 1'b0;
            end
            2'd2: divisor <= dat_i;
            2'd3: loopback <= dat_i[0];
          endcase
      end
    end
endmodule
