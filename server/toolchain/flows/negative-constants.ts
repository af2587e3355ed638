/** The map of comparisons, as Yosys finds it. */
const MAP = 'wishbench_negative_constants.v';

/** Both sides get the sign inverted, and are compared without one. */
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
`;

const COMPARISONS = 't:$lt t:$le t:$gt t:$ge';

/** What synthesis reads for WITHOUT_NEGATIVE_CONSTANTS. */
export const NEGATIVE_CONSTANTS: Readonly<Record<string, string>> = { [MAP]: TEXT };

/**
 * Commands of Yosys for a flat design, after which no comparison has a constant below zero. Of comparisons with constants that fit a
 * look-up table Yosys makes one each (`cmp2lut.v`), and takes the bits of a signed constant for a number without a sign: of
 * `$signed(x) < -2`, where x has three bits, it makes `$signed(x) < 6`, which is always so.
 */
export const WITHOUT_NEGATIVE_CONSTANTS: readonly string[] = [
  // A constant of 32 bits is as wide as it has to be.
  `wreduce ${COMPARISONS}`,
  `techmap -map ${MAP} ${COMPARISONS}`,
];
