import { expect, test } from 'vitest';
import { withoutReturns } from '../../../../server/toolchain/scan/rewrites/returns.ts';
import { scanText } from '../../support.ts';
import { provesSame } from '../same-circuit.ts';

const of = (body: string) => `function automatic logic [7:0] f(input logic [7:0] x);\n${body}\nendfunction`;
const plain = (text: string) => text.replace(/\s+/g, ' ').trim();

test.each<[what: string, body: string, written: string]>([
  ['at the end', 'logic t; t = x[0]; return t;', 'logic t; t = x[0]; f = t;'],
  ['in both branches', 'if (x > 4) return 1; else return 2;', 'if (x > 4) f = 1; else f = 2;'],
  [
    'early, out of an if',
    'if (x > 4) return 1; x = x + 1; return x;',
    'if (x > 4) f = 1; else begin x = x + 1; f = x; end',
  ],
  [
    'early, out of several',
    'if (x[0]) begin x = 2; return x; end if (x[1]) return 3; return 4;',
    'if (x[0]) begin x = 2; f = x; end else begin if (x[1]) f = 3; else begin f = 4; end end',
  ],
  [
    'early in a branch at the end',
    'if (x[0]) begin if (x[1]) return 5; x = 0; end else return 6;',
    'if (x[0]) begin if (x[1]) f = 5; else begin x = 0; end end else f = 6;',
  ],
])('a value that is returned %s', (_, body, written) => {
  const text = withoutReturns(of(body));
  expect(plain(text)).toBe(plain(of(written)));
  expect(text.split('\n')).toHaveLength(of(body).split('\n').length);
});

test.each<[what: string, body: string, meant: string]>([
  [
    'out of a loop',
    'for (int i = 0; i < 8; i++) if (x[i]) return i;\n  return 8;',
    'x[0] ? 0 : x[1] ? 1 : x[2] ? 2 : x[3] ? 3 : x[4] ? 4 : x[5] ? 5 : x[6] ? 6 : x[7] ? 7 : 8',
  ],
  [
    'out of loops within each other, behind what they did',
    `for (int i = 0; i < 2; i++) begin
    for (int k = 0; k < 2; k++) begin
      x = x + 1;
      if (x[0]) return x + i;
      x = x + 4;
    end
  end
  return x;`,
    "x[0] ? x + 8'd6 : x + 8'd1",
  ],
  [
    'where the branch may also go on',
    'if (x[0]) begin if (x[1]) return 1; x = 2; end return x;',
    'x[0] ? x[1] ? 1 : 2 : x',
  ],
  [
    'out of a case at the end',
    'case (x[1:0]) 0, 3: return 1; 2: begin x = 9; return x; end default: return 2; endcase',
    'x[1:0] == 2 ? 9 : x[1:0] == 1 ? 2 : 1',
  ],
  [
    'out of a case with statements behind it',
    'unique case (x[1:0]) 0: return 1; x[7] ? 1 : 2: x = 5; default: if (x[2]) return 2; endcase x = x + 1; return x;',
    "x[1:0] == 0 ? 1 : x[1:0] == (x[7] ? 1 : 2) ? 6 : x[2] ? 2 : x + 8'd1",
  ],
  ['out of an if with an else that goes on', 'if (x[0]) return 1; else x = 2; return x;', 'x[0] ? 1 : 2'],
])('a value that is returned %s', async (_, body, meant) => {
  expect(withoutReturns(of(body)).split('\n')).toHaveLength(of(body).split('\n').length);
  await provesSame(
    `module made(input [7:0] x, output [7:0] q);\n${of(body)}\nassign q = f(x);\nendmodule\n`,
    `module meant(input [7:0] x, output [7:0] q);\nassign q = ${meant};\nendmodule\n`,
  );
});

test('a function without a value may be left as well, and one whose value is a constant', async () => {
  await provesSame(
    `module made(input [7:0] x, output logic [7:0] q);
  function automatic void f(input [7:0] a, output [7:0] b); b = 1; if (a[0]) return; b = a; endfunction
  function automatic int log(input int n); int r; r = 0; while (1) begin if ((1 << r) >= n) return r; r++; end endfunction
  logic [log(9)-1:0] w;
  always_comb begin f(x, q); w = '1; q = q + w; end
endmodule
`,
    'module meant(input [7:0] x, output [7:0] q); assign q = (x[0] ? 1 : x) + 15; endmodule\n',
  );
});

test.each([
  ['out of a `case` with ranges', 'case (x) inside [1:3]: return 1; endcase return 2;'],
  ['behind a time', '#1 return 1;'],
])('what is returned %s stays', (_, body) => {
  expect(withoutReturns(of(body))).toBe(of(body));
});

test('a design with such functions is read', async () => {
  const { modules, diagnostics } = await scanText(
    `module m(input logic [7:0] a, output logic [7:0] q);\n${of("if (x > 4) return 8'd1; return x;")}\n  assign q = f(a);\nendmodule\n`,
    'design.sv',
  );
  expect(diagnostics.map(({ code }) => code)).toEqual(['design_no_slave']);
  expect(modules).toHaveLength(1);
});
