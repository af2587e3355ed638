import { afterAll, expect, test } from 'vitest';
import type { BuildResult } from '../../../../../server/toolchain/build-request.ts';
import type { Toolchain } from '../../../../../server/toolchain/toolchain.ts';
import {
  freshToolchain,
  record,
  refusal,
  requestOf,
  slave,
} from '../../../../support/toolchain/build/support.ts';

const used = freshToolchain();
const fresh = freshToolchain();
afterAll(async () => {
  await used.dispose();
  await fresh.dispose();
});

/** A table, and a counter so wide that ABC9 maps the design. @param first word of the table @param step of the counter */
const tableOf = (first: number, step = 1) =>
  slave(`  reg [31:0] table_ [0:511], word = 0;
  reg [79:0] count = 0;
  integer i;
  initial for (i = 0; i < 512; i = i + 1) table_[i] = i * 32'h9e3779b1 + 32'd${first};
  always @(posedge clk) begin
    count <= count + ${step};
    word <= table_[wb_adr[8:0]];
  end
  assign wb_dat_r = wb_adr[9] ? count[79:48] : word;`);

async function build(toolchain: Toolchain, source: string): Promise<{ result: BuildResult; text: string }> {
  const recording = record();
  const result = await toolchain.build(requestOf(source), recording);
  return { result, text: recording.text() };
}

const REUSED = 'reusing an earlier result';

test('an edit of a table or a comment is not placed again, and comes to the same bitstream as a whole build', async () => {
  const first = await build(used.toolchain, tableOf(1));
  expect(first.text).not.toContain(REUSED);
  const edited = `// another table\n\n${tableOf(1_234_567)}`;
  const [again, whole] = [await build(used.toolchain, edited), await build(fresh.toolchain, edited)];
  expect(again.text).toContain(REUSED);
  expect(again.text).not.toContain('Routing complete');
  expect(whole.text).toContain('Routing complete');
  expect(again.result.buildId).toBe(whole.result.buildId);
  expect(again.result.cached).toBe(false);
  expect(Buffer.from(again.result.bitstream).equals(whole.result.bitstream)).toBe(true);
  expect(Buffer.from(again.result.bitstream).equals(first.result.bitstream)).toBe(false);
  const reportOf = ({ result: { report } }: typeof again) => ({
    ...report,
    seconds: Object.keys(report.seconds).sort(),
    peak_memory_bytes: null,
  });
  expect(reportOf(again)).toEqual(reportOf(whole));
  const { buildId } = whole.result;
  expect(await used.toolchain.floorplan(buildId)).toEqual(await fresh.toolchain.floorplan(buildId));
  expect(await used.toolchain.symbols(buildId)).toEqual(await fresh.toolchain.symbols(buildId));
});

test('an edit of the logic is placed again', async () => {
  await build(used.toolchain, tableOf(1));
  const stop = new AbortController();
  const recording = record(stop.signal);
  recording.log = (_, line) => {
    expect(line).not.toContain(REUSED);
    if (line.includes('HeAP Placer')) stop.abort();
  };
  const { code } = await refusal(used.toolchain.build(requestOf(tableOf(1, 3)), recording));
  expect(code).toBe('build_aborted');
});
