/** The map, as Yosys finds it. */
const MAP = 'wishbench_signed_arithmetic.v';

/**
 * Of comparisons with constants that fit a look-up table Yosys makes one each (`cmp2lut.v`), and takes the bits of a signed constant for a
 * number without a sign: of `$signed(x) < -2`, where x has three bits, it makes `$signed(x) < 6`, which is always so. With the sign of both
 * sides inverted the same comparison has none.
 *
 * A negation of a negation that is narrower it takes for the number itself (`alumacc`): with `n = -a` of three bits, `-n` was -4 for a = -4,
 * of which n can only be -4 as well. A difference from nothing it leaves as it is.
 */
const TEXT = `(* techmap_celltype = "$lt $le $gt $ge" *)
module wishbench_negative_constant (A, B, Y);
  parameter A_SIGNED = 0;
  parameter B_SIGNED = 0;
  parameter A_WIDTH = 1;
  parameter B_WIDTH = 1;
  parameter Y_WIDTH = 1;
  parameter _TECHMAP_CELLTYPE_ = "";
  parameter [A_WIDTH-1:0] _TECHMAP_CONSTMSK_A_ = 0;
  parameter [A_WIDTH-1:0] _TECHMAP_CONSTVAL_A_ = 0;
  parameter [B_WIDTH-1:0] _TECHMAP_CONSTMSK_B_ = 0;
  parameter [B_WIDTH-1:0] _TECHMAP_CONSTVAL_B_ = 0;
  input [A_WIDTH-1:0] A;
  input [B_WIDTH-1:0] B;
  output [Y_WIDTH-1:0] Y;

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
`;

const COMPARISONS = 't:$lt t:$le t:$gt t:$ge';

/** What synthesis reads for SIGNED_ARITHMETIC. */
export const SIGNED_ARITHMETIC_FILES: Readonly<Record<string, string>> = { [MAP]: TEXT };

/** Commands of Yosys for a flat design, after which there is nothing in it of signed arithmetic that later passes get wrong. */
export const SIGNED_ARITHMETIC: readonly string[] = [
  // A constant of 32 bits is as wide as it has to be.
  `wreduce ${COMPARISONS}`,
  `techmap -map ${MAP} ${COMPARISONS} t:$neg`,
];
