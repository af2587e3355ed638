import { expect, test } from 'vitest';
import { withPackageEnums } from '../../../../server/toolchain/scan/rewrites/package-enums.ts';
import { provesSame } from '../same-circuit.ts';

test('functions of a package have the values of its enumerations', async () => {
  await provesSame(
    `package p;
  typedef enum logic [1:0] {IDLE, RUN, DONE = 3} state_t;
  localparam state_t FIRST = RUN;
  function automatic state_t next(input state_t now, input go);
    case (now) IDLE: return go ? RUN : IDLE; RUN: return DONE; default: return IDLE; endcase
  endfunction
  function automatic logic [3:0] sum(input [1:0] x); sum = {DONE, x} + FIRST; endfunction
endpackage
module made import p::*; (input [1:0] s, input go, output [1:0] n, output [3:0] a, b);
  localparam [3:0] A = sum(2'd1);
  assign n = next(state_t'(s), go), a = A, b = sum(s);
endmodule
`,
    `module meant(input [1:0] s, input go, output [1:0] n, output [3:0] a, b);
  assign n = s == 0 ? {1'b0, go} : s == 1 ? 2'd3 : 2'd0, a = 4'd14, b = {2'b11, s} + 4'd1;
endmodule
`,
  );
});

const inPackage = (body: string) => `package p; typedef enum {A, B} e; ${body} endpackage`;

test.each([
  ['function f; f = p::A + q::A + x.A; endfunction'],
  ['function f(input A); logic [1:0] B; f = A + B; endfunction'],
  ['localparam C = A;'],
])('%j stays', (body) => {
  expect(withPackageEnums(inPackage(body))).toBe(inPackage(body));
});

test('names stand in any place of an expression', () => {
  const given = inPackage(
    'function f; if (x == A) f = {A, B}; else f = a[B] ? A : g(B); return B; endfunction',
  );
  expect(withPackageEnums(given)).toBe(
    inPackage(
      'function f; if (x == p::A) f = {p::A, p::B}; else f = a[p::B] ? p::A : g(p::B); return p::B; endfunction',
    ),
  );
});
