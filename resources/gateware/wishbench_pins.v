// The port block: ports of the user's design that are not part of its bus, driven and sampled by the host.
//
// One chain of bits does both. A read of its first word takes a snapshot, then the chain goes out in the order of the
// line: the levels of the design's outputs, which of them have risen, and which have fallen since the snapshot before.
// A write goes into the chain the same way, and its last word hands the inputs over all at once. So nothing that has
// more than a word is ever torn, and a pulse of one clock is seen.
module wishbench_pins #(
    parameter INPUTS = 1,  // bits that the design gets
    parameter OUTPUTS = 1, // bits that it gives
    parameter [63:0] INITIAL = 64'd0
) (
    input  wire clk,
    input  wire rst,     // the design's: what its outputs do meanwhile is no edge
    input  wire sample,  // one clock: take the snapshot
    input  wire shift,   // one clock: a bit goes out, or in
    input  wire bit_in,
    input  wire apply,   // one clock: the design's inputs become what was shifted in
    output wire bit_out,
    output wire [(INPUTS > 0 ? INPUTS : 1)-1:0] to_design,
    input  wire [(OUTPUTS > 0 ? OUTPUTS : 1)-1:0] from_design
);
  localparam LENGTH = 3 * OUTPUTS > INPUTS ? 3 * OUTPUTS : INPUTS;
  reg [LENGTH-1:0] chain = {LENGTH{1'b0}};
  assign bit_out = chain[0];
  wire [LENGTH:0] moved = {bit_in, chain};

  generate
    if (OUTPUTS > 0) begin : outputs
      reg [OUTPUTS-1:0] level = {OUTPUTS{1'b0}};
      reg [OUTPUTS-1:0] rose = {OUTPUTS{1'b0}};
      reg [OUTPUTS-1:0] fell = {OUTPUTS{1'b0}};
      always @(posedge clk) begin
        level <= from_design;
        // An edge in the clock of the snapshot belongs to the next one.
        rose <= (rose & {OUTPUTS{~sample}}) | (from_design & ~level);
        fell <= (fell & {OUTPUTS{~sample}}) | (~from_design & level);
        if (rst) begin
          rose <= {OUTPUTS{1'b0}};
          fell <= {OUTPUTS{1'b0}};
        end
      end
      always @(posedge clk)
        if (sample) chain[3*OUTPUTS-1:0] <= {fell, rose, level};
        else if (shift) chain <= moved[LENGTH:1];
    end else begin : no_outputs
      always @(posedge clk) if (shift) chain <= moved[LENGTH:1];
    end

    if (INPUTS > 0) begin : inputs
      reg [INPUTS-1:0] driven = INITIAL[INPUTS-1:0];
      always @(posedge clk) if (apply) driven <= chain[LENGTH-1:LENGTH-INPUTS];
      assign to_design = driven;
    end else begin : no_inputs
      assign to_design = 1'b0;
    end
  endgenerate
endmodule
