import { expect, test } from 'vitest';
import { withBitsOfMembers } from '../../../../server/toolchain/scan/rewrites/function-members.ts';
import { provesSame } from '../same-circuit.ts';

const TYPES = `typedef enum logic [1:0] {IDLE, RUN, DONE} state_t;
typedef struct packed { logic signed [3:0] level; logic on; } led_t;
typedef struct packed { state_t state; led_t led; logic [7:0] count; logic odd, even; } word_t;
`;

test('what is computed as a constant has all of its members', async () => {
  await provesSame(
    `${TYPES}module made(input [7:0] d, output [16:0] a, b, c, output [3:0] e);
  function automatic word_t make(input logic [7:0] x);
    word_t v;
    v = '0; v.state = RUN; v.count = x; v.led.level = -2; v.count[0] = 1'b1; v.odd = x[0];
    return v;
  endfunction
  function word_t by_name(input [7:0] x);
    by_name.state = DONE; by_name.led = 5'd9; by_name.count = x; by_name.odd = ^x; by_name.even = ~by_name.odd;
  endfunction
  function automatic [3:0] level(input word_t v); level = v.led.level; endfunction
  localparam word_t A = make(8'h5a);
  assign a = A, b = make(d), c = by_name(8'h33) ^ by_name(d), e = level(A);
endmodule
`,
    `module meant(input [7:0] d, output [16:0] a, b, c, output [3:0] e);
  assign a = {2'd1, 4'he, 1'b0, 8'h5b, 2'b00}, b = {2'd1, 4'he, 1'b0, d[7:1], 1'b1, d[0], 1'b0}, e = 4'he;
  assign c = {2'd2, 5'd9, 8'h33, 2'b01} ^ {2'd2, 5'd9, d, ^d, ~^d};
endmodule
`,
  );
});

test('a member that has a sign keeps it where it is read', async () => {
  await provesSame(
    `${TYPES}module made(input [7:0] d, output [15:0] a, output b, output [7:0] c);
  function automatic [15:0] wide(input [7:0] x);
    led_t v; v.level = x[3:0]; v.on = x[4]; v.level += 1; wide = v.level;
  endfunction
  function automatic logic less(input [7:0] x);
    led_t v; v.level = x[3:0]; v.on = 0; less = v.level < -1;
  endfunction
  function automatic [7:0] twice(input [7:0] x);
    led_t v; {v.level, v.on} = x[4:0]; twice = {v.level, v.level};
  endfunction
  assign a = wide(d), b = less(d), c = twice(d);
endmodule
`,
    `module meant(input [7:0] d, output [15:0] a, output b, output [7:0] c);
  wire [3:0] n = d[3:0] + 4'd1;
  assign a = {{12{n[3]}}, n}, b = d[3] && d[3:0] != 15, c = {d[4:1], d[4:1]};
endmodule
`,
  );
});

test('types of packages are found', () => {
  const text = `package p; typedef logic [2:0] n_t; typedef struct packed { n_t a; logic b; } t; endpackage
module m; function p::t f(input p::n_t x); p::t v;
 v.a = x; f = v; f.b = v.a[2]; endfunction endmodule
`;
  expect(withBitsOfMembers([text])[0]?.split('\n')[2]).toBe(
    ' v[3:1] = x; f = v; f[0] = v[3]; endfunction endmodule',
  );
});

const inFunction = (body: string, types = 'typedef struct packed { logic [W-1:0] a; logic b; } t;') =>
  `module m; parameter W = 3; ${types} function t f(input t v); ${body} endfunction endmodule`;

test.each([
  ['of a width that is no number', inFunction('f.a = v.a;')],
  [
    'with an index that is no number',
    inFunction('f.a[W] = 1;', 'typedef struct packed { logic [1:0] a; logic b; } t;'),
  ],
  [
    'with an index beyond its bits',
    inFunction('f.a[2] = 1;', 'typedef struct packed { logic [1:0] a; logic b; } t;'),
  ],
  [
    'of one of two types of a name',
    inFunction(
      'f.a = 1;',
      'typedef struct packed { logic a; } t; endmodule module n; typedef struct packed { logic b, a; } t;',
    ),
  ],
  [
    'outside of a function',
    'module m; typedef struct packed { logic a; } t; t v; function f; f = 1; endfunction assign v.a = 1; endmodule',
  ],
  ['where a function has no end', 'module m; typedef struct packed { logic a; } t; function t f; f.a = 1;'],
])('a member %s stays', (_, text) => {
  expect(withBitsOfMembers([text])).toEqual([text]);
});
