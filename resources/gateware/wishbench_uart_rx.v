// Receiver of an 8N1 line. Four clocks a bit are enough.
module wishbench_uart_rx #(
    parameter BIT_WIDTH = 2
) (
    input  wire                 clk,
    input  wire                 line,
    input  wire [BIT_WIDTH-1:0] bit_clocks, // clocks a bit, less one
    output reg  [7:0]           data,       // holds until the next byte begins
    output reg                  received,   // one clock: data is a byte
    output reg                  broken      // one clock: the stop bit was missing
);
  reg [1:0]           settled = 2'b11;
  reg                 before = 1'b1;
  reg                 busy = 1'b0;
  reg [3:0]           bit_index = 4'd0; // 0 is the start bit, 9 the stop bit
  reg [BIT_WIDTH-1:0] countdown = {BIT_WIDTH{1'b0}};
  wire                level = settled[0];

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
      countdown <= bit_clocks >> 1; // the first sample lies in the middle of the start bit
      busy <= before & ~level;      // an edge, not a level: a line that is held low is no stream of bytes
    end else if (countdown != 0) begin
      countdown <= countdown - 1'b1;
    end else begin
      countdown <= bit_clocks;
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
