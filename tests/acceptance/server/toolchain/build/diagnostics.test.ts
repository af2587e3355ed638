import { afterAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../../../server/clock.ts';
import { checkOf } from '../../../../../server/contract/check.ts';
import { ScanResult } from '../../../../../server/contract/designs/uploads.ts';
import { type Diagnostic, Failure, MAX_DIAGNOSTICS } from '../../../../../server/contract/diagnostics.ts';
import type { SubmitOptions } from '../../../../../server/contract/jobs/jobs.ts';
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

async function failureOf(source: string, filename = 'a.v', options: SubmitOptions = {}) {
  const error = await refusal(toolchain.build(requestOf(source, filename, options), record()));
  const { code, message, remedy, diagnostics } = error;
  expect(isFailure({ error: code, message, remedy, diagnostics }), JSON.stringify(diagnostics)).toBe(true);
  expect(diagnostics.length).toBeLessThanOrEqual(MAX_DIAGNOSTICS);
  return { code, diagnostics, message };
}

const other = (name: string) => slave('  assign wb_dat_r = 1;').replace('module design', `module ${name}`);
const MASTER = 'module master(output cyc_o, output stb_o, input ack_i); assign cyc_o = ack_i; endmodule\n';

const CASES: [
  title: string,
  code: string,
  source: string,
  first: Partial<Diagnostic>,
  options?: SubmitOptions,
][] = [
  [
    'a syntax error',
    'design_invalid',
    slave('  assign wb_dat_r = nothing +;'),
    { code: 'slang_error', file: 'a.v', line: 5 },
  ],
  [
    'a module that is missing',
    'design_invalid',
    slave('  assign wb_dat_r = 0;\n  nowhere u(.a(wb_we));'),
    { code: 'slang_error', file: 'a.v', line: 6, column: 3 },
  ],
  [
    'a name of the bench',
    'design_invalid',
    other('wishbench_top'),
    { code: 'design_invalid', line: 1, module: 'wishbench_top' },
  ],
  [
    'an include',
    'design_file_reference',
    `\`include "other.vh"\n${slave('  assign wb_dat_r = 0;')}`,
    { code: 'design_file_reference', file: 'a.v', line: 1 },
  ],
  [
    'a file that only elaboration finds',
    'design_file_reference',
    slave('  integer f;\n  initial f = $fopen("x");\n  assign wb_dat_r = 0;'),
    { code: 'design_file_reference', file: 'a.v', line: 6 },
  ],
  [
    'no slave',
    'design_no_slave',
    `${MASTER}module other(input [31:0] wb_dat_w); endmodule\n`,
    { code: 'design_no_slave', file: 'a.v', line: 1, module: 'master' },
  ],
  [
    'data ports that are too wide',
    'design_no_slave',
    'module m(input stb_i, input [63:0] dat_i, output ack_o); assign ack_o = stb_i; endmodule\n',
    { code: 'design_no_slave', line: 1, module: 'm', port: 'dat_i' },
  ],
  [
    'a top that is no slave',
    'design_no_slave',
    MASTER + other('good'),
    { code: 'design_no_slave', line: 1, module: 'master' },
    { top: 'master' },
  ],
  [
    'a top that is not there',
    'design_top_unknown',
    other('good'),
    { code: 'design_top_unknown', module: 'bad' },
    { top: 'bad' },
  ],
  [
    'two slaves',
    'design_ambiguous',
    other('one') + other('two'),
    { code: 'design_ambiguous', line: 1, module: 'one' },
  ],
  [
    'a tie of an output',
    'design_bad_tie',
    other('good'),
    { code: 'design_bad_tie', module: 'good', port: 'wb_ack' },
    { ties: { wb_ack: 1 } },
  ],
  [
    'a control character',
    'design_binary',
    'module m;\n  \u0001 endmodule\n',
    { code: 'design_binary', file: 'a.v', line: 2, column: 3 },
  ],
  [
    'a memory for no block RAM',
    'build_too_large',
    slave(
      '  reg [15:0] big[0:8191];\n  always @(posedge clk) if (wb_we) big[wb_adr] <= wb_dat_w;\n  assign wb_dat_r = big[wb_adr];',
    ),
    { code: 'build_too_large', net: 'big' },
  ],
];

test.each(CASES)('%s', async (_, code, source, first, options = {}) => {
  const failure = await failureOf(source, 'a.v', options);
  expect(failure.code).toBe(code);
  expect(failure.diagnostics[0]).toMatchObject({ severity: 'error', ...first });
});

test('every module has its own reason for not being a slave', async () => {
  const { diagnostics } = await failureOf(`${MASTER}module other(input [31:0] wb_dat_w); endmodule\n`);
  expect(diagnostics.map(({ module, line, message }) => [module, line, message])).toEqual([
    [
      'master',
      1,
      'module master: its bus ports are those of a master: strobe is an output and acknowledge an input',
    ],
    ['other', 2, expect.stringMatching(/^module other: /)],
  ]);
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

test('a scan returns the same diagnostics', async () => {
  const source = `${MASTER}module other(input [31:0] wb_dat_w); endmodule\n`;
  const scan = await toolchain.scan(requestOf(source, 'a.v'), record());
  expect(isScan(scan)).toBe(true);
  expect(Object.keys(scan)).toEqual(['matched', 'modules', 'diagnostics', 'declarations']);
  expect(scan.diagnostics).toEqual((await failureOf(source)).diagnostics);
});

describe.skipIf(!ghdl)('in VHDL', () => {
  test('GHDL errors have a line and a column', async () => {
    const source = example('stopwatch.vhd').replace('wb_ack_o <= ack;', 'wb_ack_o <= nothing;');
    const line = source.split('\n').findIndex((text) => text.includes('nothing')) + 1;
    const { diagnostics } = await failureOf(source, 'bad.vhd');
    const [first] = diagnostics;
    expect(first).toMatchObject({ severity: 'error', code: 'ghdl_error', file: 'bad.vhd', line });
    expect(first?.column).toBe((source.split('\n')[line - 1] ?? '').indexOf('nothing') + 1);
  });

  test('an entity that is not a slave is reported in the uploaded file', async () => {
    const source = example('stopwatch.vhd')
      .replaceAll('wb_stb_i', 'request')
      .replaceAll('wb_cyc_i', 'cycling');
    const { code, diagnostics } = await failureOf(source, 'bad.vhd');
    expect(code).toBe('design_no_slave');
    expect(diagnostics[0]).toMatchObject({ code: 'design_no_slave', file: 'bad.vhd', module: 'stopwatch' });
  });
});
