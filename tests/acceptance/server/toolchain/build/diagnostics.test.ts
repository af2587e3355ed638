import { afterAll, expect, test } from 'vitest';
import { systemClock } from '../../../../../server/clock.ts';
import { checkOf } from '../../../../../server/contract/check.ts';
import { ScanResult } from '../../../../../server/contract/designs/uploads.ts';
import { Failure, MAX_DIAGNOSTICS } from '../../../../../server/contract/diagnostics.ts';
import { findGhdl } from '../../../../../server/toolchain/frontends/vhdl/ghdl.ts';
import { RING } from '../../../../support/toolchain/build/ring.ts';
import {
  example,
  freshToolchain,
  record,
  refusal,
  requestOf,
  slave,
} from '../../../../support/toolchain/build/support.ts';

/** Every problem of a design is data in the error, whatever stage finds it. */
const { toolchain, dispose } = freshToolchain();
afterAll(dispose);

const isFailure = checkOf(Failure);
const isScan = checkOf(ScanResult);
const ghdl = await findGhdl(systemClock);

async function failureOf(source: string, filename = 'a.v') {
  const error = await refusal(toolchain.build(requestOf(source, filename), record()));
  const { code, message, remedy, diagnostics } = error;
  expect(isFailure({ error: code, message, remedy, diagnostics }), JSON.stringify(diagnostics)).toBe(true);
  expect(diagnostics.length).toBeLessThanOrEqual(MAX_DIAGNOSTICS);
  return { code, diagnostics, message };
}

const MASTER = 'module master(output cyc_o, output stb_o, input ack_i); assign cyc_o = ack_i; endmodule\n';

test('a control character has its line and column', async () => {
  const { code, diagnostics } = await failureOf('module m;\n  \u0001 endmodule\n');
  expect(code).toBe('design_binary');
  expect(diagnostics[0]).toMatchObject({
    ...{ severity: 'error', code: 'design_binary' },
    ...{ file: 'a.v', line: 2, column: 3 },
  });
});

test('every module has its own reason for not being a slave, also in a scan', async () => {
  const source = `${MASTER}module other(input [31:0] wb_dat_w); endmodule\n`;
  const { code, diagnostics } = await failureOf(source);
  expect(code).toBe('design_no_slave');
  expect(diagnostics.map(({ module, line, message }) => [module, line, message])).toEqual([
    [
      'master',
      1,
      'module master: its bus ports are those of a master: strobe is an output and acknowledge an input',
    ],
    ['other', 2, expect.stringMatching(/^module other: /)],
  ]);
  const scan = await toolchain.scan(requestOf(source, 'a.v'), record());
  expect(isScan(scan)).toBe(true);
  expect(Object.keys(scan)).toEqual(['matched', 'modules', 'diagnostics', 'declarations']);
  expect(scan.diagnostics).toEqual(diagnostics);
});

test('a design that does not fit includes the diagnostics of place and route', async () => {
  const source = slave(
    '  reg [31:0] ram[0:4095]; reg [31:0] q;\n  always @(posedge clk) begin if (wb_we) ram[wb_adr] <= wb_dat_w; q <= ram[wb_adr]; end\n  assign wb_dat_r = q;',
  );
  const { code, message, diagnostics } = await failureOf(source);
  expect(code).toBe('build_too_large');
  for (const said of [message, diagnostics[0]?.message])
    expect(said).toMatch(/does not fit the hx8k: it needs \d+ of 32 BRAM/);
  expect(diagnostics).toContainEqual(
    expect.objectContaining({ severity: 'error', code: 'nextpnr_error', net: expect.any(String) }),
  );
});

test('a loop that is finally allowed is a warning with its source line, not an error', async () => {
  const context = record();
  const { report, bitstream } = await toolchain.build(requestOf(RING.source, RING.filename), context);
  expect(bitstream.length).toBe(135_100);
  expect(context.text()).toMatch(/^warning: .*loop/m);
  expect(report.diagnostics).toContainEqual(
    expect.objectContaining({
      severity: 'warning',
      code: 'yosys_warning',
      message: expect.stringContaining('found logic loop'),
      file: 'ring.v',
      line: 5,
    }),
  );
  expect(report.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(report.diagnostics).toContainEqual(
    expect.objectContaining({ severity: 'warning', message: expect.stringContaining('combinational loop') }),
  );
});

test.skipIf(!ghdl)('GHDL errors have a line and a column', async () => {
  const source = example('stopwatch.vhd').replace('wb_ack_o <= ack;', 'wb_ack_o <= nothing;');
  const line = source.split('\n').findIndex((text) => text.includes('nothing')) + 1;
  const { code, message, diagnostics } = await failureOf(source, 'bad.vhd');
  expect([code, message]).toEqual(['design_invalid', `bad.vhd:${line}: \`nothing\` is not declared`]);
  expect(diagnostics[0]).toMatchObject({
    ...{ severity: 'error', code: 'ghdl_error', file: 'bad.vhd', line },
    column: (source.split('\n')[line - 1] ?? '').indexOf('nothing') + 1,
  });
});
