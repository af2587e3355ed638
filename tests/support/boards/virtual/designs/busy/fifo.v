// Four queues of 512 words of 16 bits in block RAM, one behind the other; each fills and drains at a rhythm of its own.
module fifo (
  input wire clk,
  input wire rx,
  output wire tx
);
  reg [15:0] source = 16'h1d0d;
  reg [7:0] rhythm = 0;
  always @(posedge clk) rhythm <= rhythm + 8'd1;
  wire [15:0] word [0:4];
  wire [4:0] valid;
  wire [4:0] ready;
  assign word[0] = source;
  assign valid[0] = 1'b1;
  always @(posedge clk) if (ready[0]) source <= {source[14:0], source[15] ^ source[13] ^ source[12] ^ source[10] ^ rx};

  genvar i;
  generate
    for (i = 0; i < 4; i = i + 1) begin : queue
      reg [15:0] memory [0:511];
      reg [9:0] head = 0, tail = 0;
      reg [15:0] out = 0;
      reg full_out = 0;
      wire empty = head == tail;
      wire full = head[8:0] == tail[8:0] && head[9] != tail[9];
      wire go = i[0] ? rhythm[7:4] != 4'd3 : rhythm[5:3] != 3'd6;
      wire take = !empty && go && (!full_out || ready[i + 1]);
      assign ready[i] = !full;
      always @(posedge clk) begin
        if (valid[i] && !full) begin
          memory[head[8:0]] <= word[i];
          head <= head + 10'd1;
        end
        if (full_out && ready[i + 1]) full_out <= 1'b0;
        if (take) begin
          out <= memory[tail[8:0]];
          tail <= tail + 10'd1;
          full_out <= 1'b1;
        end
      end
      assign word[i + 1] = out;
      assign valid[i + 1] = full_out;
    end
  endgenerate
  assign ready[4] = rhythm[1:0] != 2'd0;
  reg [15:0] signature = 0;
  always @(posedge clk) if (valid[4] && ready[4]) signature <= {signature[14:0], signature[15]} ^ word[4];
  assign tx = ^signature;
endmodule
