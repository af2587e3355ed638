/** File name of the map for techmap. */
const MAP = 'wishbench_signed_arithmetic.v';

/** Parameters and ports of a cell with two operands. */
const OPERANDS = `  parameter A_SIGNED = 0;
  parameter B_SIGNED = 0;
  parameter A_WIDTH = 1;
  parameter B_WIDTH = 1;
  parameter Y_WIDTH = 1;
  input [A_WIDTH-1:0] A;
  input [B_WIDTH-1:0] B;
  output [Y_WIDTH-1:0] Y;`;

/**
 * A techmap for operations on signed numbers that Yosys gets wrong:
 *
 * - A comparison with a constant in one look-up table (`cmp2lut.v`): Yosys takes a signed constant as unsigned. For x of
 *   three bits `$signed(x) < -2` becomes `$signed(x) < 6`, which is always true. The map inverts both signs and compares
 *   unsigned.
 * - A negation of a narrower negation (`alumacc`): Yosys takes it for the number itself. With `n = -a` of three bits and
 *   a = -4, n is -4 and `-n` must be 4. The map subtracts from 0, which Yosys leaves alone.
 * - A shift by a sum with a constant, `s >> (n + 1)` (`peepopt`, shiftadd): Yosys cuts off the operand's lowest bit, and
 *   sign-extends the rest to the width of the result. The map extends the operand first.
 * - A signed divisor of one bit is -1 unless it is 0. As a constant Yosys takes it for 1 (`opt_expr`). The map negates.
 * - A power with a base other than two: Yosys makes no circuit. The map multiplies. Negative exponents give fractions,
 *   which are 0 except for the bases 1 and -1.
 */
const TEXT = `(* techmap_celltype = "$lt $le $gt $ge" *)
module wishbench_negative_constant (A, B, Y);
${OPERANDS}
  parameter _TECHMAP_CELLTYPE_ = "";
  parameter [A_WIDTH-1:0] _TECHMAP_CONSTMSK_A_ = 0;
  parameter [A_WIDTH-1:0] _TECHMAP_CONSTVAL_A_ = 0;
  parameter [B_WIDTH-1:0] _TECHMAP_CONSTMSK_B_ = 0;
  parameter [B_WIDTH-1:0] _TECHMAP_CONSTVAL_B_ = 0;

  localparam WIDTH = A_WIDTH > B_WIDTH ? A_WIDTH : B_WIDTH;
  localparam [WIDTH-1:0] SIGN = 1 << (WIDTH - 1);
  wire [WIDTH-1:0] a = $signed(A);
  wire [WIDTH-1:0] b = $signed(B);
  wire [WIDTH-1:0] left = a ^ SIGN;
  wire [WIDTH-1:0] right = b ^ SIGN;
  wire _TECHMAP_FAIL_ = !A_SIGNED || !B_SIGNED ||
    !(&_TECHMAP_CONSTMSK_A_ && _TECHMAP_CONSTVAL_A_[A_WIDTH-1]) &&
    !(&_TECHMAP_CONSTMSK_B_ && _TECHMAP_CONSTVAL_B_[B_WIDTH-1]);
  generate
    case (_TECHMAP_CELLTYPE_)
      "$lt": assign Y = left < right;
      "$le": assign Y = left <= right;
      "$gt": assign Y = left > right;
      default: assign Y = left >= right;
    endcase
  endgenerate
endmodule

(* techmap_celltype = "$neg" *)
module wishbench_negation (A, Y);
  parameter A_SIGNED = 0;
  parameter A_WIDTH = 1;
  parameter Y_WIDTH = 1;
  input [A_WIDTH-1:0] A;
  output [Y_WIDTH-1:0] Y;

  wire [Y_WIDTH-1:0] extended;
  generate
    if (A_SIGNED) assign extended = $signed(A);
    else assign extended = A;
  endgenerate
  assign Y = 1'b0 - extended;
endmodule

(* techmap_celltype = "$div" *)
module wishbench_division_by_minus_one (A, B, Y);
${OPERANDS}

  wire [Y_WIDTH-1:0] extended = $signed(A);
  wire _TECHMAP_FAIL_ = !A_SIGNED || !B_SIGNED || B_WIDTH != 1;
  assign Y = 1'b0 - extended;
endmodule

(* techmap_celltype = "$shr $shift" *)
module wishbench_signed_operand (A, B, Y);
${OPERANDS}
  parameter _TECHMAP_CELLTYPE_ = "";

  localparam WIDTH = A_WIDTH > Y_WIDTH ? A_WIDTH : Y_WIDTH;
  wire [WIDTH-1:0] extended = $signed(A);
  wire _TECHMAP_FAIL_ = !A_SIGNED;
  generate
    if (_TECHMAP_CELLTYPE_ == "$shr") assign Y = extended >> B;
    else
      \\$shift #(.A_SIGNED(0), .B_SIGNED(B_SIGNED), .A_WIDTH(WIDTH), .B_WIDTH(B_WIDTH), .Y_WIDTH(Y_WIDTH))
        shift (.A(extended), .B(B), .Y(Y));
  endgenerate
endmodule

(* techmap_celltype = "$pow" *)
module wishbench_power (A, B, Y);
${OPERANDS}

  localparam WIDTH = A_WIDTH > Y_WIDTH ? A_WIDTH : Y_WIDTH;
  wire [WIDTH-1:0] base;
  wire [(B_WIDTH+1)*Y_WIDTH-1:0] squares, powers;
  generate
    if (A_SIGNED) assign base = $signed(A);
    else assign base = A;
    genvar i;
    for (i = 0; i < B_WIDTH; i = i + 1) begin : steps
      wire [Y_WIDTH-1:0] square = squares[i*Y_WIDTH +: Y_WIDTH];
      wire [Y_WIDTH-1:0] power = powers[i*Y_WIDTH +: Y_WIDTH];
      assign squares[(i+1)*Y_WIDTH +: Y_WIDTH] = square * square;
      assign powers[(i+1)*Y_WIDTH +: Y_WIDTH] = B[i] ? power * square : power;
    end
  endgenerate
  assign squares[Y_WIDTH-1:0] = base;
  assign powers[Y_WIDTH-1:0] = 1;
  wire fraction = B_SIGNED && B[B_WIDTH-1] && base != 1 && !(A_SIGNED && &base);
  assign Y = fraction ? 0 : powers[B_WIDTH*Y_WIDTH +: Y_WIDTH];
endmodule
`;

const COMPARISONS = 't:$lt t:$le t:$gt t:$ge';

/** Files that SIGNED_ARITHMETIC reads. */
export const SIGNED_ARITHMETIC_FILES: Readonly<Record<string, string>> = { [MAP]: TEXT };

/** Yosys commands for a flat design that replace the signed operations which later passes get wrong. */
export const SIGNED_ARITHMETIC: readonly string[] = [
  // Cuts a 32-bit constant to the width that it needs.
  `wreduce ${COMPARISONS}`,
  `techmap -map ${MAP} ${COMPARISONS} t:$neg t:$div t:$shr t:$shift t:$pow`,
];
