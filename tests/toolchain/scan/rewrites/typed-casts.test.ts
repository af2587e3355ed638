import { expect, test } from 'vitest';
import { withSignsOfTypes } from '../../../../server/toolchain/scan/rewrites/typed-casts.ts';
import { provesSame } from '../same-circuit.ts';

test('a value that is cast to a type has the sign of the type', async () => {
  await provesSame(
    `package p; typedef logic signed [7:0] s_t; typedef logic [7:0] u_t; typedef s_t other_t; typedef enum {X, Y} e_t; endpackage
module made(input [15:0] d, input signed [3:0] n, output [15:0] a, b, c, output logic e, f, g);
  typedef struct packed { logic [3:0] h, l; } pair_t;
  localparam p::u_t K = p::u_t'(16'h1ff);
  assign a = p::s_t'(d), b = p::u_t'(n) + pair_t'(d) + K, c = p::other_t'(n);
  always_comb case (p::u_t'(d)) 8'd3: g = 1; default: g = 0; endcase
  assign e = int'(d) < -1, f = p::e_t'(d[0]) > n;
endmodule
`,
    `module meant(input [15:0] d, input signed [3:0] n, output [15:0] a, b, c, output e, f, g);
  assign g = d[7:0] == 3, a = {{8{d[7]}}, d[7:0]}, b = {8'd0, {4{n[3]}}, n} + {8'd0, d[7:0]} + 16'hff, c = {{12{n[3]}}, n};
  assign e = 0, f = n[3] || {31'd0, d[0]} > {28'd0, n};
endmodule
`,
  );
});

test.each([
  ["module m; assign q = 8'(a) + W'(b) + signed'(c); endmodule"],
  ["module m; assign q = t'(a); endmodule"],
  ["module m; typedef t'(a"],
])('%j stays', (text) => {
  expect(withSignsOfTypes([text])).toEqual([text]);
});
