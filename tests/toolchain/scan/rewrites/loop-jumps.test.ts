import { expect, test } from 'vitest';
import { withoutForeach } from '../../../../server/toolchain/scan/rewrites/foreach.ts';
import { withoutLoopJumps } from '../../../../server/toolchain/scan/rewrites/loop-jumps.ts';
import { provesSame } from '../same-circuit.ts';

const process = (body: string) =>
  `module made(input [3:0] x, input s, output logic [7:0] q);\nalways_comb begin : first\nend : first\nalways_comb begin\n${body}\nend\nendmodule\n`;

test.each<[what: string, body: string, meant: string]>([
  [
    'left',
    'q = 9; for (int i = 0; i < 4; i++) begin if (x[i]) begin q = i;\n break; end q = q + 1; end',
    'x[0] ? 0 : x[1] ? 1 : x[2] ? 2 : x[3] ? 3 : 13',
  ],
  [
    'gone on with',
    'q = 0; for (int i = 0; i < 4; i++) begin if (!x[i]) continue; q += 1; end',
    'x[0] + x[1] + x[2] + x[3]',
  ],
  [
    'left and gone on with, where they are within each other and in a branch',
    `q = 0;
if (s) for (int i = 0; i < 2; i++) begin
  for (int k = 0; k < 2; k++) begin
    if (x[2 * i + k]) break;
    if (x[3]) continue;
    q += 1;
  end
  q += 16;
  if (x[0]) break;
end`,
    '!s ? 0 : x[0] ? 16 : 32 + (x[3] ? 0 : (x[1] ? 1 : 2) + (x[2] ? 0 : 2))',
  ],
])('a loop of a process is %s', async (_, body, meant) => {
  const made = process(body);
  expect(withoutLoopJumps(made).split('\n')).toHaveLength(made.split('\n').length);
  await provesSame(
    made,
    `module meant(input [3:0] x, input s, output [7:0] q);\nassign q = ${meant};\nendmodule\n`,
  );
});

test('a loop of a function may be left as well', async () => {
  await provesSame(
    `module made(input [3:0] x, output [7:0] q);
  function automatic logic [7:0] f(input [3:0] a);
    logic [7:0] n;
    n = 8;
    for (int i = 0; i < 4; i++) begin
      if (a[i]) begin n = i; break; end
      if (a == 0) return 3;
    end
    return n;
  endfunction
  assign q = f(x);
endmodule
`,
    'module meant(input [3:0] x, output [7:0] q); assign q = x[0] ? 0 : x[1] ? 1 : x[2] ? 2 : 3; endmodule\n',
  );
});

test.each([
  ['out of no loop', process('q = 0; break;')],
  ['in the middle of a text', 'module m; always_comb for (int i = 0; i < 2; i++) begin break;'],
  [
    'where no variable can be declared',
    'module m; if (A) always_comb for (int i = 0; i < 2; i++) break; endmodule',
  ],
])('a break %s stays', (_, text) => {
  expect(withoutLoopJumps(text)).toBe(text);
});

test.each<[declared: string, loop: string, written: string]>([
  ['logic [7:0] a [4]', 'foreach (a[i]) a[i] = 0;', 'for (int i = 0; i < (4); i++) a[i] = 0;'],
  [
    'logic [3:0][7:0] a',
    'foreach (a[i, k]) q ^= a[i][k];',
    'for (int i = 3; i >= 0; i--) for (int k = 7; k >= 0; k--) q ^= a[i][k];',
  ],
  [
    'logic [W-1:0] a [0:N-1]',
    'foreach (a[i,k]) q ^= a[i][k];',
    'for (int i = 0; i <= N-1; i++) for (int k = W-1; k >= 0; k--) q ^= a[i][k];',
  ],
  ['word_t a [2:1]', 'foreach (a[i]) begin end', 'for (int i = 2; i >= 1; i--) begin end'],
])('with `%s`, `%s` is a for', (declared, loop, written) => {
  const text = (body: string) => `module m; ${declared}; always_comb ${body} endmodule`;
  expect(withoutForeach(text(loop))).toBe(text(written));
});

test('the same name in two functions is not the same variable', () => {
  const text = (loop: string) =>
    `package p; function f(input [3:0] v); endfunction function g(input [7:0] v); ${loop} g ^= v[i]; endfunction endpackage`;
  expect(withoutForeach(text('foreach (v[i])'))).toBe(text('for (int i = 7; i >= 0; i--)'));
});

test.each([
  ['that is not declared', 'module m; always_comb foreach (a[i]) b = 0; endmodule'],
  ['of a type that is not seen', 'module m; word_t a; always_comb foreach (a[i]) b = 0; endmodule'],
  ['with bounds that may count down', 'module m; int a [N:M]; always_comb foreach (a[i]) b = 0; endmodule'],
  [
    'that is declared twice',
    'module m; int a [2]; function f(input int a [3]); endfunction always_comb foreach (a[i]) b = 0; endmodule',
  ],
  ['in a list of others', 'module m; logic [7:0] b, a; always_comb foreach (a[i]) b = 0; endmodule'],
  ['in a structure', 'module m; int a [2]; always_comb foreach (s.a[i]) b = 0; endmodule'],
])('a foreach over what is %s stays', (_, text) => {
  expect(withoutForeach(text)).toBe(text);
});
