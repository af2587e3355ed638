// A 32-bit soft CPU of several clocks an instruction: base integer instructions of RISC-V, multiplication and division
// step by step, counters, a block of memory and a register file in block RAM. With BARREL it shifts by any distance in one
// clock. To measure and compare busy designs with.
module soft_cpu #(parameter BARREL = 0) (input clk, input [15:0] in, output reg [31:0] signature, output reg flag);
  localparam FETCH = 0, DECODE = 1, READ = 2, EXECUTE = 3, SHIFT = 4, MULTIPLY = 5, DIVIDE = 6,
             ACCESS = 7, LOAD = 8, STORE = 9, WRITE = 10;
  initial begin signature = 0; flag = 0; end

  reg [3:0]  state = FETCH;
  reg [31:0] pc = 0, instruction = 0, a = 0, b = 0, result = 0, address = 0;
  reg [63:0] cycles = 0, retired = 0;
  reg        write_back = 0;

  // Memory: 4 KiB, a bank for each byte.
  reg [7:0] bank0 [0:1023], bank1 [0:1023], bank2 [0:1023], bank3 [0:1023];
  reg [31:0] word = 0;
  reg [3:0]  strobe = 0;
  reg [31:0] data = 0;
  wire [9:0] at = state == FETCH ? pc[11:2] : address[11:2];
  always @(posedge clk) begin
    word <= {bank3[at], bank2[at], bank1[at], bank0[at]};
    if (strobe[0]) bank0[address[11:2]] <= data[7:0];
    if (strobe[1]) bank1[address[11:2]] <= data[15:8];
    if (strobe[2]) bank2[address[11:2]] <= data[23:16];
    if (strobe[3]) bank3[address[11:2]] <= data[31:24];
  end

  // Registers: two copies, so that two can be read at a time.
  reg [31:0] left [0:31], right [0:31];
  reg [31:0] read_a = 0, read_b = 0;
  wire [4:0] rd = instruction[11:7];
  always @(posedge clk) begin
    read_a <= left[word[19:15]];
    read_b <= right[word[24:20]];
    if (write_back) begin
      left[rd] <= result;
      right[rd] <= result;
    end
  end

  integer i;
  initial begin
    for (i = 0; i < 32; i = i + 1) begin left[i] = 0; right[i] = 0; end
    for (i = 0; i < 1024; i = i + 1) begin bank0[i] = 0; bank1[i] = 0; bank2[i] = 0; bank3[i] = 0; end
    // PROGRAM
  end

  // What the instruction is.
  reg [31:0] immediate = 0;
  reg is_load = 0, is_store = 0, is_branch = 0, is_jal = 0, is_jalr = 0, is_lui = 0, is_auipc = 0, is_op = 0,
      is_imm = 0, is_system = 0, is_mul = 0, is_div = 0;
  wire [2:0] funct = instruction[14:12];
  wire       alternative = instruction[30];

  wire [31:0] second = is_op | is_branch ? b : immediate;
  wire        subtracts = is_branch | (is_op & alternative & funct == 0) | ((is_op | is_imm) & funct[2:1] == 1);
  wire [32:0] sum = {1'b0, a} + {1'b0, second ^ {32{subtracts}}} + {32'b0, subtracts};
  wire        equal = a == second;
  wire        less_unsigned = ~sum[32];
  wire        less_signed = a[31] == second[31] ? less_unsigned : a[31];
  wire        taken = (funct[2] ? (funct[1] ? less_unsigned : less_signed) : equal) ^ funct[0];

  reg [31:0] computed;
  always @* case (funct)
    0: computed = sum[31:0];
    2: computed = {31'b0, less_signed};
    3: computed = {31'b0, less_unsigned};
    4: computed = a ^ second;
    6: computed = a | second;
    7: computed = a & second;
    default: computed = a;
  endcase

  wire [4:0]  distance = is_imm ? immediate[4:0] : b[4:0];
  wire [31:0] shifted = funct[2] ? $signed({alternative & a[31], a}) >>> distance : a << distance;

  reg [4:0]  shifts = 0;
  reg [5:0]  steps = 0;
  reg [63:0] product = 0;
  reg [31:0] divisor = 0, remainder = 0, quotient = 0;
  reg        negative = 0;
  wire [32:0] difference = {remainder, quotient[31]} - {1'b0, divisor};
  wire [32:0] partial = {1'b0, product[63:32]} + {1'b0, product[0] ? b : 32'd0};

  always @(posedge clk) begin
    cycles <= cycles + 1;
    strobe <= 0;
    write_back <= 0;
    case (state)
      FETCH: state <= DECODE;
      DECODE: begin
        instruction <= word;
        is_load <= word[6:0] == 7'h03;
        is_store <= word[6:0] == 7'h23;
        is_branch <= word[6:0] == 7'h63;
        is_jal <= word[6:0] == 7'h6f;
        is_jalr <= word[6:0] == 7'h67;
        is_lui <= word[6:0] == 7'h37;
        is_auipc <= word[6:0] == 7'h17;
        is_imm <= word[6:0] == 7'h13;
        is_system <= word[6:0] == 7'h73;
        is_op <= word[6:0] == 7'h33;
        is_mul <= word[6:0] == 7'h33 & word[31:25] == 1 & ~word[14];
        is_div <= word[6:0] == 7'h33 & word[31:25] == 1 & word[14];
        case (word[6:0])
          7'h23: immediate <= {{21{word[31]}}, word[30:25], word[11:7]};
          7'h63: immediate <= {{20{word[31]}}, word[7], word[30:25], word[11:8], 1'b0};
          7'h6f: immediate <= {{12{word[31]}}, word[19:12], word[20], word[30:21], 1'b0};
          7'h37, 7'h17: immediate <= {word[31:12], 12'b0};
          default: immediate <= {{21{word[31]}}, word[30:20]};
        endcase
        state <= READ;
      end
      READ: begin
        a <= is_auipc | is_jal ? pc : read_a;
        b <= read_b;
        state <= EXECUTE;
      end
      EXECUTE: begin
        pc <= pc + 4;
        state <= WRITE;
        address <= sum[31:0];
        if (is_lui) result <= immediate;
        else if (is_auipc) result <= sum[31:0];
        else if (is_jal | is_jalr) begin
          result <= pc + 4;
          pc <= is_jal ? pc + immediate : {sum[31:1], 1'b0};
        end else if (is_branch) begin
          if (taken) pc <= pc + immediate;
        end else if (is_load | is_store) begin
          address <= a + immediate;
          state <= is_load ? ACCESS : STORE;
        end else if (is_system) begin
          case (instruction[31:20])
            12'hc00: result <= cycles[31:0];
            12'hc80: result <= cycles[63:32];
            12'hc02: result <= retired[31:0];
            default: result <= retired[63:32];
          endcase
        end else if (is_mul) begin
          product <= {32'b0, a};
          steps <= 32;
          state <= MULTIPLY;
        end else if (is_div) begin
          negative <= ~funct[0] & (funct[1] ? a[31] : a[31] ^ b[31]);
          quotient <= ~funct[0] & a[31] ? -a : a;
          divisor <= ~funct[0] & b[31] ? -b : b;
          remainder <= 0;
          steps <= 32;
          state <= DIVIDE;
        end else if (funct[1:0] == 1 && BARREL) result <= shifted;
        else if (funct[1:0] == 1) begin
          result <= a;
          shifts <= distance;
          state <= SHIFT;
        end else result <= computed;
      end
      SHIFT: begin
        if (shifts >= 4) begin
          shifts <= shifts - 4;
          result <= funct[2] ? {{4{alternative & result[31]}}, result[31:4]} : {result[27:0], 4'b0};
        end else if (shifts != 0) begin
          shifts <= shifts - 1;
          result <= funct[2] ? {alternative & result[31], result[31:1]} : {result[30:0], 1'b0};
        end else state <= WRITE;
      end
      MULTIPLY: begin
        steps <= steps - 1;
        product <= {partial, product[31:1]};
        result <= funct == 0 ? product[31:0] : product[63:32];
        if (steps == 0) begin
          product <= product;
          state <= WRITE;
        end
      end
      DIVIDE: begin
        steps <= steps - 1;
        remainder <= difference[32] ? {remainder[30:0], quotient[31]} : difference[31:0];
        quotient <= {quotient[30:0], ~difference[32]};
        if (steps == 0) begin
          remainder <= remainder;
          quotient <= quotient;
          result <= funct[1] ? (negative ? -remainder : remainder) : (negative ? -quotient : quotient);
          state <= WRITE;
        end
      end
      ACCESS: state <= LOAD;
      LOAD: begin
        case (funct[1:0])
          0: result <= {{24{~funct[2] & (address[1] ? (address[0] ? word[31] : word[23]) : (address[0] ? word[15] : word[7]))}},
                        address[1] ? (address[0] ? word[31:24] : word[23:16]) : (address[0] ? word[15:8] : word[7:0])};
          1: result <= {{16{~funct[2] & (address[1] ? word[31] : word[15])}}, address[1] ? word[31:16] : word[15:0]};
          default: result <= address[31] ? {16'b0, in} : word;
        endcase
        state <= WRITE;
      end
      STORE: begin
        if (address[31]) flag <= b[0];
        else strobe <= funct[1:0] == 0 ? 4'd1 << address[1:0] : funct[1:0] == 1 ? (address[1] ? 4'd12 : 4'd3) : 4'd15;
        data <= funct[1:0] == 0 ? {4{b[7:0]}} : funct[1:0] == 1 ? {2{b[15:0]}} : b;
        state <= WRITE;
      end
      default: begin
        write_back <= ~is_branch & ~is_store & rd != 0;
        retired <= retired + 1;
        signature <= {signature[30:0], signature[31]} ^ result ^ pc;
        state <= FETCH;
      end
    endcase
  end
endmodule

// For comparison: what it does is seen at every bit of the output.
module top (input clk, input [15:0] in, output [31:0] out);
  wire flag;
  soft_cpu cpu (.clk(clk), .in(in), .signature(out), .flag(flag));
endmodule

// On a board: the flag is the only thing that is seen.
module board (input clk, input rx, output tx);
  wire [31:0] signature;
  wire flag;
  reg sent = 1;
  always @(posedge clk) sent <= flag;
  assign tx = sent;
  soft_cpu cpu (.clk(clk), .in({15'b0, rx}), .signature(signature), .flag(flag));
endmodule
