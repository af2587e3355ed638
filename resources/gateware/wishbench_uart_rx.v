// Receiver of an 8N1 line. A clock-to-baud ratio that is no whole number is spread over the ten bits of a
// byte, so that no edge is more than half a clock off; four clocks a bit are enough.
module wishbench_uart_rx #(
    parameter CLOCK_HZ = 12000000,
    parameter BAUD     = 3000000
) (
    input  wire       clk,
    input  wire       line,
    output reg  [7:0] data,     // holds until the next byte begins
    output reg        received, // one clock: data is a byte
    output reg        broken    // one clock: the stop bit was missing
);
  localparam DIVISOR = CLOCK_HZ / BAUD;
  localparam WIDTH   = $clog2(DIVISOR + 1);

  // Bit k lasts DIVISOR clocks, and one more where LONGER[k] is set.
  function [15:0] longer_bits;
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

  reg [1:0]       settled = 2'b11;
  reg             before = 1'b1;
  reg             busy = 1'b0;
  reg [3:0]       bit_index = 4'd0; // 0 is the start bit, 9 the stop bit
  reg [WIDTH-1:0] countdown = {WIDTH{1'b0}};
  wire            level = settled[0];

  initial begin
    data = 8'd0;
    received = 1'b0;
    broken = 1'b0;
  end

  always @(posedge clk) begin
    settled <= {line, settled[1]};
    before <= level;
    received <= 1'b0;
    broken <= 1'b0;
    if (!busy) begin
      bit_index <= 4'd0;
      countdown <= DIVISOR / 2 - 1; // the first sample lies in the middle of the start bit
      busy <= before & ~level;      // an edge, not a level: a line that is held low is no stream of bytes
    end else if (countdown != 0) begin
      countdown <= countdown - 1'b1;
    end else begin
      countdown <= DIVISOR - 1 + LONGER[bit_index];
      bit_index <= bit_index + 1'b1;
      if (bit_index == 4'd0 && level) busy <= 1'b0; // a glitch, no start bit
      if (bit_index == 4'd9) begin
        busy <= 1'b0;
        received <= level;
        broken <= ~level;
      end else begin
        data <= {level, data[7:1]};
      end
    end
  end
endmodule
