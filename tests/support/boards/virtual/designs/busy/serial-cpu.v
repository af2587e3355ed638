// A processor that works bit by bit, 32 clocks an instruction: one full adder, registers as bits of a block RAM, a program
// of 64 words of 16 bits in another one. An instruction is op(4) rd(4) ra(4) rb(4).
module serial_cpu (
  input wire clk,
  input wire rx,
  output wire tx
);
  localparam ADD = 0, SUB = 1, XOR = 2, AND = 3, OR = 4, LESS = 5, SHIFT = 6, JUMP = 7, SKIP = 8, ONE = 9, IN = 10;
  reg [15:0] code [0:63];
  integer k;
  initial begin
    for (k = 0; k < 64; k = k + 1) code[k] = 0;
    code[0] = {4'd9, 4'd1, 8'd0};        // r1 = 1
    code[1] = {4'd0, 4'd2, 4'd1, 4'd1};  // r2 = 2
    code[2] = {4'd0, 4'd3, 4'd3, 4'd1};  // r3 += 1
    code[3] = {4'd2, 4'd4, 4'd4, 4'd3};  // r4 ^= r3
    code[4] = {4'd6, 4'd5, 4'd4, 4'd0};  // r5 = r4 >> 1
    code[5] = {4'd0, 4'd6, 4'd5, 4'd6};  // r6 += r5
    code[6] = {4'd1, 4'd7, 4'd6, 4'd4};  // r7 = r6 - r4
    code[7] = {4'd3, 4'd8, 4'd7, 4'd6};  // r8 = r7 & r6
    code[8] = {4'd4, 4'd9, 4'd8, 4'd3};  // r9 = r8 | r3
    code[9] = {4'd5, 4'd10, 4'd9, 4'd7}; // r10 = r9 < r7
    code[10] = {4'd8, 4'd0, 4'd10, 4'd0};// skip if r10
    code[11] = {4'd0, 4'd4, 4'd4, 4'd9}; // r4 += r9
    code[12] = {4'd10, 4'd11, 8'd0};     // r11 = input
    code[13] = {4'd0, 4'd4, 4'd4, 4'd11};// r4 += r11
    code[14] = {4'd7, 4'd0, 8'd2};       // jump 2
  end

  // Registers: bit `bit` of register r is at {r, bit}; read in one clock, written in the next.
  reg ram_a [0:511];
  reg ram_b [0:511];
  initial for (k = 0; k < 512; k = k + 1) begin ram_a[k] = 0; ram_b[k] = 0; end
  reg [5:0] pc = 0;
  reg [15:0] instruction = 0;
  reg [5:0] phase = 0; // 0 fetch, 1 decode, 2 to 34 bits, 35 end
  wire [3:0] op = instruction[15:12];
  wire [3:0] rd = instruction[11:8];
  wire [4:0] reading = phase[4:0] - 5'd1;
  wire [4:0] read_a = op == SHIFT ? reading + 5'd1 : reading;
  reg a = 0, b = 0;
  reg carry = 0, any = 0;
  wire active = phase >= 6'd2 && phase < 6'd34;
  wire [4:0] writing = phase[4:0] - 5'd2;
  wire first = writing == 5'd0;
  wire last = writing == 5'd31;
  wire other = (op == SUB || op == LESS) ? ~b : b;
  wire into = first ? (op == SUB || op == LESS) : carry;
  wire sum = a ^ other ^ into;
  wire next_carry = (a & other) | (into & (a | other));
  reg result;
  always @* case (op)
    ADD, SUB: result = sum;
    XOR: result = a ^ b;
    AND: result = a & b;
    OR: result = a | b;
    LESS: result = 1'b0;
    SHIFT: result = last ? 1'b0 : a;
    ONE: result = first;
    IN: result = rx;
    default: result = 1'b0;
  endcase
  // What a comparison says is known with its last bit, and becomes bit 0 then.
  wire less = op == LESS && phase == 6'd34;
  wire write = (active && op != JUMP && op != SKIP) || less;
  wire [8:0] to = {rd, less ? 5'd0 : writing};
  wire value = less ? ~carry : result;
  reg flag = 0;
  always @(posedge clk) begin
    a <= ram_a[{instruction[7:4], read_a}];
    b <= ram_b[{instruction[3:0], reading}];
    if (write) begin
      ram_a[to] <= value;
      ram_b[to] <= value;
    end
    if (active) begin
      carry <= next_carry;
      any <= first ? a : any | a;
    end
    if (active && rd == 4'd4) flag <= flag ^ result;
    phase <= phase == 6'd35 ? 6'd0 : phase + 6'd1;
    if (phase == 6'd0) instruction <= code[pc];
    if (phase == 6'd35)
      pc <= op == JUMP ? instruction[5:0] : op == SKIP && any ? pc + 6'd2 : pc + 6'd1;
  end
  assign tx = flag;
endmodule
