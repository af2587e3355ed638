import { expect, test } from 'vitest';
import { withoutReturns } from '../../../server/toolchain/scan/returns.ts';
import { scanText } from '../support.ts';

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

test.each([
  ['out of a loop', 'for (int i = 0; i < 8; i++) if (x[i]) return i; return 8;'],
  ['where the branch may also go on', 'if (x[0]) begin if (x[1]) return 1; x = 2; end return x;'],
  ['out of a case', 'case (x) 0: return 1; default: return 2; endcase'],
  ['without a value', 'x = 1; return;'],
  ['out of an if with an else that goes on', 'if (x[0]) return 1; else x = 2; return x;'],
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
