import { expect, test } from 'vitest';
import { withoutAutomatic } from '../../../../server/toolchain/scan/rewrites/block-variables.ts';
import { withoutEndLabels } from '../../../../server/toolchain/scan/rewrites/end-labels.ts';
import { provesSame } from '../same-circuit.ts';

test('variables of functions and blocks may have values where they are declared', async () => {
  const made = `module automatic made(input [7:0] x, input s, output logic [7:0] q);
  function automatic logic [7:0] ones(input logic [7:0] v);
    int unsigned n = 0, m;
    logic [7:0] rest = v,
      all = {rest,
        8'h0};
    m = 1;
    for (int i = 0; i < 8; i++) begin n += rest[0]; rest >>= 1; end
    return n + m + all;
  endfunction : ones
  always_comb begin
    automatic logic [7:0] t = ones(x);
    q = 0;
    if (s) begin
      automatic logic [7:0] u;
      u = t + 1;
      q = u;
    end
  end
endmodule : made
`;
  expect(withoutAutomatic(made).split('\n')).toHaveLength(made.split('\n').length);
  await provesSame(
    made,
    `module meant(input [7:0] x, input s, output [7:0] q);
  assign q = s ? x[0] + x[1] + x[2] + x[3] + x[4] + x[5] + x[6] + x[7] + 2 : 0;
endmodule
`,
  );
});

test.each([
  ['is given once', 'function int f(input automatic_t x); int n = 0; n = n + 1; f = n; endfunction'],
  ['keeps its value', 'function automatic int f(); static int n = 0; n = n + 1; f = n; endfunction'],
  ['is made by a macro', 'function automatic int f(); int n = `N; f = n; endfunction'],
])('a value that %s stays where it is declared', (_, text) => {
  expect(withoutAutomatic(text)).toBe(text);
});

test.each([
  [
    'function automatic int f(input x); f = x; endfunction : f',
    'function automatic int f(input x); f = x; endfunction',
  ],
  ['task t; endtask\n: t', 'task t; endtask'],
  ['interface i #(W = 1) (input c); endinterface : i', 'interface i #(W = 1) (input c); endinterface'],
  ['function f(); endfunction : g', 'function f(); endfunction : g'],
  ['package p; endpackage : p', 'package p; endpackage : p'],
])('the name behind the end of %j', (text, written) => {
  expect(withoutEndLabels(text).trim()).toBe(written);
});
