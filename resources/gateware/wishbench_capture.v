// The capture core: writes signals of the design into block RAM clock by clock, around a trigger, for the host to read.
//
// One chain of bits does all the talking. What is written into it is the trigger, and is used where it lies while the core
// looks for it; when the samples are there the chain brings them to the line, the newest first, each with where the core
// stands behind it. While nobody has asked for samples no register changes.
module wishbench_capture #(
    parameter BITS = 1,      // of a sample
    parameter DEPTH_LOG2 = 8 // of the number of samples
) (
    input  wire clk,
    input  wire [BITS-1:0] probes,
    input  wire sample,  // one clock: the first word of a read is asked for
    input  wire stop,    // of that read: no more samples
    input  wire next,    // of that read: go on to the sample before
    input  wire shift,   // one clock: a bit goes out, or in
    input  wire writes,  // the bits go in
    input  wire bit_in,
    input  wire apply,   // one clock: what was shifted in is what to look for, from now on
    output wire bit_out
);
  // Words of 32 bits that a sample takes on the line.
  localparam WORDS = (BITS + 31) / 32;
  localparam EVERY_WIDTH = 16;

  // The chain while it is a trigger, and while it is an answer.
  localparam MASK_AT = BITS, LAST_AT = 2 * BITS, EVERY_AT = LAST_AT + DEPTH_LOG2, EDGE_AT = EVERY_AT + EVERY_WIDTH;
  localparam ASKED = EDGE_AT + 1;
  localparam ANSWER = BITS + EVERY_WIDTH + 2 * DEPTH_LOG2 + 4;
  localparam LENGTH = ASKED > ANSWER ? ASKED : ANSWER;
  reg [LENGTH-1:0] chain = {LENGTH{1'b0}};
  wire [LENGTH:0]  moved = {bit_in & writes, chain};
  // What goes in last stays: the trigger is the upper end of the chain.
  wire [ASKED-1:0] asked = chain[LENGTH-1:LENGTH-ASKED];
  wire [BITS-1:0]        value = asked[BITS-1:0];
  wire [BITS-1:0]        mask = asked[LAST_AT-1:MASK_AT];
  wire [DEPTH_LOG2-1:0]  last = asked[EVERY_AT-1:LAST_AT];  // samples from the trigger's on, less one
  wire [EVERY_WIDTH-1:0] every = asked[EDGE_AT-1:EVERY_AT]; // clocks from sample to sample, less one
  wire                   only_edge = asked[EDGE_AT];        // the clock before must not fit

  reg armed = 1'b0;
  reg running = 1'b0; // a clock behind: `seen` is of a clock in which it was armed
  reg fresh = 1'b0;   // nothing is written yet
  reg fired = 1'b0;
  reg fitted = 1'b0;  // in the clock before
  reg wrapped = 1'b0; // samples have been written over
  reg [DEPTH_LOG2-1:0]  at = {DEPTH_LOG2{1'b0}};             // where the next sample goes
  reg [DEPTH_LOG2:0]    behind = {(DEPTH_LOG2 + 1) {1'b0}};  // samples from the trigger's on
  reg [EVERY_WIDTH-1:0] waited = {EVERY_WIDTH{1'b0}};        // clocks since the last sample
  reg [EVERY_WIDTH-1:0] lag = {EVERY_WIDTH{1'b0}};           // the same at the trigger
  reg [BITS-1:0]        seen = {BITS{1'b0}};

  wire fits = ~|((seen ^ value) & mask);
  wire fires = running & ~fired & fits & ~(only_edge & fitted);
  wire takes = running & (fires | fresh | waited == every);
  wire ends = takes & (fired | fires) & behind[DEPTH_LOG2-1:0] == last;

  // Nothing is read while samples are written.
  (* no_rw_check *)
  reg [BITS-1:0] memory [0:(1 << DEPTH_LOG2)-1];
  reg [BITS-1:0] kept;
  always @(posedge clk) begin
    if (takes) memory[at] <= seen;
    kept <= memory[at];
  end

  // ---- Reading: the answer is in the chain two clocks after it was asked for, in time for its first bit --------------
  reg busy = 1'b0;           // of the read under way: it began before the samples were there, and says nothing but that
  reg [1:0] part = 2'd0;     // words of the sample that are on the line already
  reg [1:0] loading = 2'b00;
  wire begins = sample & ~armed & (~next | part == 2'd0);
  assign bit_out = busy | chain[0];

  always @(posedge clk) begin
    loading <= {loading[0], begins};
    if (sample) begin
      busy <= armed;
      part <= ~next | part == WORDS - 1 ? 2'd0 : part + 1'b1;
    end
    if (loading[1]) chain[ANSWER-1:0] <= {1'b0, fired, lag, behind, wrapped, at, kept};
    else if (shift & (writes | ~busy)) chain <= moved[LENGTH:1];
  end

  always @(posedge clk) begin
    if (armed) seen <= probes;
    running <= armed & ~ends;
    if (running) begin
      fresh <= 1'b0;
      fitted <= fits;
      waited <= takes ? {EVERY_WIDTH{1'b0}} : waited + 1'b1;
    end
    if (fires) begin
      fired <= 1'b1;
      lag <= waited;
    end
    if (takes) begin
      at <= at + 1'b1;
      wrapped <= wrapped | &at;
      if (fired | fires) behind <= behind + 1'b1;
    end
    // The chain is no trigger any more while bits go into it.
    if (ends | sample & stop | shift & writes) begin
      armed <= 1'b0;
      running <= 1'b0;
    end
    if (begins & next) at <= at - 1'b1;
    if (apply) begin
      armed <= 1'b1;
      fresh <= 1'b1;
      fired <= 1'b0;
      fitted <= 1'b1;
      wrapped <= 1'b0;
      at <= {DEPTH_LOG2{1'b0}};
      behind <= {(DEPTH_LOG2 + 1) {1'b0}};
      waited <= {EVERY_WIDTH{1'b0}};
    end
  end
endmodule
