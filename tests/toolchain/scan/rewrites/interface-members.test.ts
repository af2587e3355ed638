import { expect, test } from 'vitest';
import { withInterfaceMembers } from '../../../../server/toolchain/scan/rewrites/interface-members.ts';
import { provesSame } from '../same-circuit.ts';

const written = (text: string) => withInterfaceMembers([text])[0];

test.each<[what: string, text: string, read: string]>([
  [
    'by their places',
    'interface i(input logic clk, input [3:0] a, b); endinterface module m; i x(c, d + 1); endmodule',
    'interface i(); logic clk; logic [3:0] a; logic [3:0] b; endinterface module m; i x(); assign x.clk = c; assign x.a = d + 1; endmodule',
  ],
  [
    'by their names, over lines',
    'interface i #(W = 1) (\n  input wire clk,\n  output logic [W-1:0] q); endinterface\nmodule m; i #(.W(2)) x (\n.clk, .q(y[1:0])), z(.*); endmodule',
    'interface i #(W = 1) (); logic clk; logic [W-1:0] q;\n\n endinterface\nmodule m; i #(.W(2)) x ()\n, z(); assign x.clk = clk; assign y[1:0] = x.q; assign z.clk = clk; assign q = z.q; endmodule',
  ],
])('ports of an interface that are connected %s are members', (_, text, read) => {
  expect(written(text)).toBe(read);
});

test.each([
  ['without ports', 'interface i; logic a; endinterface module m; i x(); endmodule'],
  ['with a port that is an interface', 'interface i(j.m a); endinterface module m; i x(b); endmodule'],
  ['with a port that is an array', 'interface i(input logic a[2]); endinterface'],
  ['with its directions in its body', 'interface i(a); input a; endinterface module m; i x(b); endmodule'],
  ['of which there is an array', 'interface i(input a); endinterface module m; i x[2](b); endmodule'],
  ['with a port that it does not have', 'interface i(input a); endinterface module m; i x(.b(c)); endmodule'],
  ['that is declared twice', 'interface i(input a); endinterface interface i(input a); endinterface'],
])('an interface %s stays', (_, text) => {
  expect(written(text)).toBe(text);
});

test('what is connected to an interface is there where it is used', async () => {
  await provesSame(
    `interface bus(input logic c, input logic [3:0] m, output [3:0] o);
  logic [3:0] d;
  modport part(input c, m, d, output o);
endinterface
module sub(bus.part b, output [3:0] y);
  assign y = b.c ? b.d : b.m, b.o = b.d ^ b.m;
endmodule
module made(input [3:0] a, e, input s, output [3:0] y, o);
  bus b(.c(s & a[0]), .m(e), .o);
  assign b.d = a;
  sub u(.b(b), .y(y));
endmodule
`,
    `module meant(input [3:0] a, e, input s, output [3:0] y, o);
  assign y = s & a[0] ? a : e, o = a ^ e;
endmodule
`,
  );
});
