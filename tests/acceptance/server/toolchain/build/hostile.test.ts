import { afterAll, afterEach, expect, test } from 'vitest';
import type { Diagnostic } from '../../../../../server/contract/diagnostics.ts';
import { runningTime } from '../../../../support/running-time.ts';
import {
  example,
  freshToolchain,
  record,
  refusal,
  requestOf,
  slave,
} from '../../../../support/toolchain/build/support.ts';

/** Hostile or oversized sources. Each ends in a named error, and the next build still works. */
const { toolchain, dispose } = freshToolchain();
/** As above, for designs that would run until the deadline. */
const impatient = freshToolchain({ stageDeadline: 2 });
afterAll(() => Promise.all([dispose(), impatient.dispose()]));
afterEach(() => {
  expect(toolchain.slots).toMatchObject({ busy: 0, waiting: 0 });
});

async function refuse(source: string | Uint8Array, by = toolchain) {
  const context = record();
  const error = await refusal(by.build(requestOf(source), context));
  expect(error.message).not.toMatch(/\/(?:tmp|root|home|usr)\/|node_modules|\.js:\d/);
  return { error, log: context.text() };
}

test.each<[what: string, source: string, message: string, place: Partial<Diagnostic>]>([
  [
    'endless recursion in a constant function',
    slave(
      '  function automatic integer f; input integer x; f = f(x + 1) + 1; endfunction\n  localparam P = f(0); assign wb_dat_r = P;',
    ),
    'the function calls itself endlessly',
    { line: 5 },
  ],
  [
    'a source that is nested too deeply',
    slave(
      `  always @(posedge clk) ${'begin '.repeat(9000)} wb_ack <= 0; ${'end '.repeat(9000)}\n  assign wb_dat_r = 0;`,
    ),
    'are nested too deeply',
    { file: 'design.v' },
  ],
  [
    'endlessly nested modules',
    `${slave('  r #(.N(1)) r0(.a(wb_dat_w), .b(wb_dat_r));')}\nmodule r #(parameter N = 1)(input [31:0] a, output [31:0] b);\n  r #(.N(N + 1)) r1(.a(a), .b(b));\nendmodule`,
    'module instantiation exceeded maximum depth',
    { line: 9 },
  ],
])('rejects %s with the reason and its place', async (_, source, message, place) => {
  const { error } = await refuse(source, impatient.toolchain);
  expect(error.code).toBe('design_invalid');
  expect(error.message).toContain(message);
  expect(error.diagnostics).toContainEqual(expect.objectContaining({ severity: 'error', ...place }));
});

test('millions of gates hit the deadline or the memory limit, and earlier warnings are still reported', async () => {
  const { error } = await refuse(
    slave(
      '  wire [3:0] lost; assign undeclared = wb_we;\n  wire w = wb_dat_w[32];\n  reg [1023:0] a; always @(posedge clk) a <= {a, wb_dat_w};\n  wire [2047:0] p = a * a; assign wb_dat_r = p[1055:1024] ^ p[511:480];',
    ),
    impatient.toolchain,
  );
  expect(['tool_deadline', 'tool_memory']).toContain(error.code);
  expect(error.diagnostics).toContainEqual(
    expect.objectContaining({ severity: 'warning', file: 'design.v', line: 6 }),
  );
});

test('rejects an enormous memory at once', async () => {
  const ranFor = await runningTime();
  const { error } = await refuse(
    slave(
      '  reg [31:0] huge[0:134217727]; reg [31:0] q;\n  always @(posedge clk) begin if (wb_we) huge[wb_adr] <= wb_dat_w; q <= huge[wb_adr]; end\n  assign wb_dat_r = q;',
    ),
  );
  expect(error.code).toBe('build_too_large');
  expect(ranFor()).toBeLessThan(20_000);
});

test('afterwards an ordinary design still builds', async () => {
  const { bitstream } = await toolchain.build(requestOf(example('echo.v'), 'echo.v'), record());
  expect(bitstream.length).toBe(135_100);
});
