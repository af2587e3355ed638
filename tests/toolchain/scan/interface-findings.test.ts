import { expect, test } from 'vitest';
import { scanText } from '../support.ts';
import { slave } from './slave.ts';

const INTERFACE = `interface regs_if;
  logic clk, we;
  logic [7:0] d, q;
  modport part (input clk, we, d, output q);
endinterface
`;
/** @param body of the module that has the interface as a port, in line 8 of the text */
const design = (body: string, last = '`default_nettype none') =>
  `${last}\n${INTERFACE}module part (regs_if.part b);
${body}
endmodule
${slave(`  regs_if b ();
  assign b.clk = wb_clk, b.we = wb_stb && wb_we, b.d = wb_dat_w[7:0];
  part u (.b(b));
  assign wb_dat_r = {24'd0, b.q};`).replace(/\b(input|output)\b/g, '$1 wire')}`;
const RIGHT = '  always_ff @(posedge b.clk) if (b.we) b.q[7:4] <= b.d[3:0];';

const scanned = (text: string) => scanText(text, 'design.sv');

test('a design with interfaces may want a declaration of every name', async () => {
  const { matched, diagnostics } = await scanned(design(RIGHT));
  expect(matched?.module).toBe('slave');
  expect(diagnostics).toEqual([]);
});

test.each([
  ['a signal that the interface does not have', RIGHT.replace('b.d', 'b.data'), 'b.data'],
  ['a name beside it', RIGHT.replace('b.d[3:0]', 'date'), 'date'],
])('%s is told to be declared nowhere', async (_, body, name) => {
  const { matched, diagnostics } = await scanned(design(body));
  expect(matched).toBeNull();
  expect(diagnostics[0]).toMatchObject({
    severity: 'error',
    line: 8,
    message: `${name} is declared nowhere, and \`default_nettype none wants that of every name`,
  });
});

test('without that, a name that is declared nowhere is a warning', async () => {
  const { matched, diagnostics } = await scanned(
    design(RIGHT.replace('b.d[3:0]', 'date'), '// `default_nettype none'),
  );
  expect(matched?.module).toBe('slave');
  expect(diagnostics[0]).toMatchObject({ severity: 'warning', line: 8, net: 'date' });
});

test('an index of a signal of an interface is warned of where it lies beyond its bits', async () => {
  const { diagnostics } = await scanned(design(RIGHT.replace('[3:0]', '[11:8]')));
  expect(diagnostics).toMatchObject([{ severity: 'warning', line: 8, net: 'b.d' }]);
  expect(diagnostics[0]?.message).toContain('lies beyond its bits');
});
