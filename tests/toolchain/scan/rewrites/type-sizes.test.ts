import { expect, test } from 'vitest';
import { withSizesOfTypes } from '../../../../server/toolchain/scan/rewrites/type-sizes.ts';
import { provesSame } from '../same-circuit.ts';

test('the size of a type is a constant', async () => {
  await provesSame(
    `package p; typedef struct packed { logic [6:0] a; logic b; } pair_t; localparam N = $bits(pair_t); endpackage
module made(output [7:0] a, b, c, d);
  typedef enum logic [2:0] {X, Y} e_t;
  wire [p::N+1:0] w;
  logic [$bits(e_t)-1:0] v;
  assign a = $bits(p::pair_t), b = $bits(w), c = $bits(e_t) + $bits(e_t), d = $bits(v);
endmodule
`,
    'module meant(output [7:0] a, b, c, d); assign a = 8, b = 10, c = 6, d = 3; endmodule\n',
  );
});

test.each([
  [
    'of a type that is declared twice',
    'module m; typedef logic t; assign q = $bits(t); endmodule module n; typedef logic t; endmodule',
  ],
  ['of a variable', 'module m; typedef logic t; t x; assign q = $bits(x) + $bits(x[0]) + $bits(t; endmodule'],
])('a size %s stays', (_, text) => {
  expect(withSizesOfTypes([text])).toEqual([text]);
});
