// Receive FIFO in block RAM: what the host sends ahead waits here while the bridge answers a read.
module wishbench_fifo #(
    parameter DEPTH_LOG2 = 11
) (
    input  wire       clk,
    input  wire       clear,
    input  wire       push,
    input  wire [7:0] push_data,
    output wire       full,
    output wire       overrun,  // a byte came while the FIFO was full
    input  wire       pop,      // only while valid
    output reg  [7:0] data,
    output reg        valid
);
  // The word that is being written is never the one that is read, so what that would give is of no interest.
  (* no_rw_check *)
  reg [7:0]          memory [0:(1 << DEPTH_LOG2) - 1];
  reg [DEPTH_LOG2:0] head = {(DEPTH_LOG2 + 1) {1'b0}};
  reg [DEPTH_LOG2:0] tail = {(DEPTH_LOG2 + 1) {1'b0}};

  wire same = head[DEPTH_LOG2-1:0] == tail[DEPTH_LOG2-1:0];
  wire lap = head[DEPTH_LOG2] ^ tail[DEPTH_LOG2];
  assign full = same & lap;
  assign overrun = push & full;

  initial begin
    data = 8'd0;
    valid = 1'b0;
  end

  always @(posedge clk) begin
    if (push) memory[head[DEPTH_LOG2-1:0]] <= push_data;
    data <= memory[tail[DEPTH_LOG2-1:0]];
  end

  always @(posedge clk) begin
    if (push) head <= head + 1'b1;
    if (pop) tail <= tail + 1'b1;
    // The memory's output follows the tail by one clock.
    valid <= ~pop & ~(same & ~lap);
    if (clear) begin
      head <= {(DEPTH_LOG2 + 1) {1'b0}};
      tail <= {(DEPTH_LOG2 + 1) {1'b0}};
      valid <= 1'b0;
    end
  end
endmodule
