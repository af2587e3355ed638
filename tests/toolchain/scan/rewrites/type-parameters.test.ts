import { expect, test } from 'vitest';
import { withoutTypeParameters } from '../../../../server/toolchain/scan/rewrites/type-parameters.ts';
import { scanText, withoutSlang } from '../../support.ts';
import { provesSame } from '../same-circuit.ts';

const plain = (text: string | undefined) => (text ?? '').replace(/\s+/g, ' ').trim();

test.each<[what: string, text: string, read: string]>([
  [
    'among others',
    'module m #(\n parameter type t = logic [7:0],\n parameter int W = 8) (input t a);\n t b; endmodule',
    'typedef logic [7:0] m__t; module m #( parameter int W = 8) (input m__t a); m__t b; endmodule',
  ],
  [
    'behind others, one of another',
    'module m #(parameter W = 8, parameter type t = logic [7:0], u = t) (input u a); assign x.t = a; endmodule',
    'typedef logic [7:0] m__t; typedef m__t m__u; module m #(parameter W = 8 ) (input m__u a); assign x.t = a; endmodule',
  ],
  [
    'alone, with an instance that has the default',
    'module m #(parameter type t = p::w) (t a); endmodule module n; m u(b); m #() v(b); endmodule',
    'typedef p::w m__t; module m (m__t a); endmodule module n; m u(b); m #() v(b); endmodule',
  ],
  [
    'in a body',
    'module m #(parameter W = 8); localparam type t = logic [W-1:0]; t b; endmodule',
    'module m #(parameter W = 8); typedef logic [W-1:0] t; t b; endmodule',
  ],
])('a type that is a parameter %s', (_, text, read) => {
  const [written] = withoutTypeParameters([text]);
  expect(plain(written)).toBe(read);
  expect(written?.split('\n')).toHaveLength(text.split('\n').length);
});

const HEAD = 'module m #(parameter type t = logic [7:0]) (input t a); endmodule';
test.each([
  ['that an instance sets', `${HEAD} module n; m #(.t(logic)) u(b); endmodule`],
  ['that an instance may set by its place', `${HEAD} module n; m #(logic) u(b); endmodule`],
  [
    'that depends on a number',
    'module m #(parameter W = 8, parameter type t = logic [W-1:0]) (input t a); endmodule',
  ],
  ['with an attribute in front of its module', `(* keep *) ${HEAD}`],
  ['without an end', 'module m #(parameter type t = logic'],
])('one %s stays', (_, text) => {
  expect(withoutTypeParameters([text])).toEqual([text]);
});

test('what has the type of a parameter does the same', async () => {
  await provesSame(
    `module made #(parameter type t = logic signed [7:0], localparam t LOW = -3) (input t a, output t q, output logic s);
  assign q = a + LOW, s = a < LOW;
endmodule
`,
    'module meant(input signed [7:0] a, output [7:0] q, output s); assign q = a - 3, s = a < -3; endmodule\n',
  );
});

test('one that an instance sets is told with its line and what to write', async () => {
  const { diagnostics } = await scanText(
    `${HEAD}\nmodule n; m #(.t(logic)) u(.a(1'b0)); endmodule\n`,
    'design.sv',
    {},
    withoutSlang,
  );
  expect(diagnostics[0]).toMatchObject({ severity: 'error', line: 1 });
  expect(diagnostics[0]?.message).toContain('give a width as a parameter');
});
