`include "checks.svh"
module audio_fifo import zz_types_pkg::*; #(parameter int LOG2 = $clog2(DEPTH)) (
  input logic clk_i, rst_ni, input frame_t data_i, input logic push_i, pop_i, output frame_t data_o, output logic [LOG2:0] level_o
);
  frame_t store [DEPTH];
  logic [LOG2-1:0] head, tail;
  `CHECK_RANGE(DEPTH, 2, 1024)
  assign data_o = store[tail];
  always_ff @(posedge clk_i) if (push_i) store[head] <= data_i;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) {head, tail, level_o} <= '0;
    else begin
      if (push_i) head <= head + 1'b1;
      if (pop_i) tail <= tail + 1'b1;
      level_o <= level_o + (LOG2+1)'(push_i) - (LOG2+1)'(pop_i);
    end
endmodule
