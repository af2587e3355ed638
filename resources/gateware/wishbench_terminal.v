// The other end of the design's serial line: what the host writes goes to the design byte by byte, and what the design
// sends waits here until the host reads it. docs/gateware.md has the words.
//
// Words come and go bit by bit, in the order of the line, as in the port block.
module wishbench_terminal #(
    parameter [15:0] BIT_CLOCKS = 16'd103 // clocks a bit, less one, in the beginning
) (
    input  wire       clk,
    input  wire       rst,       // the design's: what comes out of it meanwhile is no byte
    input  wire       selected,  // the address is one of these words
    input  wire       rate,      // it is that of the rate
    input  wire [2:0] bytes,     // bytes of each word that is written
    input  wire       writes,
    input  wire       shift,     // one clock: a bit goes out, or in
    input  wire       bit_in,
    input  wire       apply,     // one clock: the rate becomes what was shifted in
    output wire       bit_out,
    input  wire       from_design,
    output wire       to_design
);
  localparam DEPTH_LOG2 = 9; // one block RAM each way

  reg [15:0] bit_clocks = BIT_CLOCKS;
  reg [15:0] taken = 16'd0;
  reg [4:0]  place = 5'd0; // bit of the word
  wire       byte_end = shift & (&place[2:0]);
  wire       last_byte = &place[4:3];

  always @(posedge clk) begin
    place <= selected ? place + {4'd0, shift} : 5'd0;
    if (shift & writes) taken <= {bit_in, taken[15:1]};
    if (apply) bit_clocks <= taken;
  end

  // ---- From the host to the design ----------------------------------------------------------------------------
  reg        push = 1'b0;
  wire       waiting, full_out;
  wire [7:0] next;
  reg [8:0]  frame = 9'h1ff; // the start bit first, then the byte; ones follow
  reg [3:0]  left = 4'd0;    // bits of the frame, with its stop bit
  reg [15:0] countdown = 16'd0;
  wire       load = waiting & left == 4'd0;
  assign to_design = frame[0];

  wishbench_fifo #(
      .DEPTH_LOG2(DEPTH_LOG2)
  ) outgoing (
      .clk(clk),
      .clear(1'b0),
      .push(push & ~full_out),
      .push_data(taken[15:8]),
      .full(full_out),
      .overrun(),
      .pop(load),
      .data(next),
      .valid(waiting)
  );

  always @(posedge clk) begin
    push <= byte_end & writes & ~rate & {1'b0, place[4:3]} < bytes;
    if (load) begin
      frame <= {next, 1'b0};
      left <= 4'd10;
      countdown <= bit_clocks;
    end else if (countdown != 16'd0) begin
      countdown <= countdown - 1'b1;
    end else if (left != 4'd0) begin
      frame <= {1'b1, frame[8:1]};
      left <= left - 1'b1;
      if (left != 4'd1) countdown <= bit_clocks;
    end
  end

  // ---- From the design to the host: three bytes a word, and in its last byte how many of them there are -------
  wire [7:0] heard, held;
  wire       received, broken, valid, full_in;
  reg        have = 1'b0;           // the byte that is sent is one
  reg [1:0]  count = 2'd0;          // of those in this word
  reg        lost = 1'b0, damaged = 1'b0; // since the last word
  reg [1:0]  after = 2'b00;         // clocks after a bit: then the memory has caught up
  wire       told = shift & ~writes & (&place);
  assign bit_out = ~last_byte ? have & held[place[2:0]]
      : place[2:0] == 3'd0 ? count[0]
      : place[2:0] == 3'd1 ? count[1]
      : place[2:0] == 3'd2 ? lost
      : place[2:0] == 3'd3 ? damaged
      : place[2:0] == 3'd4 & left == 4'd0 & ~waiting; // all is sent

  wishbench_uart_rx #(
      .BIT_WIDTH(16)
  ) receiver (
      .clk(clk),
      .line(from_design | rst),
      .bit_clocks(bit_clocks),
      .data(heard),
      .received(received),
      .broken(broken)
  );

  wishbench_fifo #(
      .DEPTH_LOG2(DEPTH_LOG2)
  ) incoming (
      .clk(clk),
      .clear(1'b0),
      .push(received & ~full_in),
      .push_data(heard),
      .full(full_in),
      .overrun(),
      .pop(byte_end & ~writes & ~last_byte & have),
      .data(held),
      .valid(valid)
  );

  always @(posedge clk) begin
    after <= {after[0], shift};
    // Decided once for each byte, before its first bit.
    if (~selected | after[1] & ~|place[2:0]) have <= valid;
    if (~selected | told) count <= 2'd0;
    else if (byte_end & ~writes & ~last_byte & have) count <= count + 1'b1;
    lost <= received & full_in | lost & ~told;
    damaged <= broken | damaged & ~told;
  end
endmodule
