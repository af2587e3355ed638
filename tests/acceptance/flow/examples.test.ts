import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exampleSource, loadExamples } from '../../../server/toolchain/examples.ts';
import { FlowBench } from '../../support/flow/flow-bench.ts';
import { SOAK } from '../../support/soak.ts';

const ghdl = spawnSync('ghdl', ['--version']).status === 0;
/** One of each language, one with pins, one of several files; the soak builds all. */
const BUILT = ['echo.v', 'uart.v', 'crc32.sv', 'stopwatch.vhd', 'tone.zip'];
const examples = loadExamples().filter(
  ({ file, language }) =>
    (SOAK || BUILT.includes(file)) && language !== 'amaranth' && (ghdl || language !== 'vhdl'),
);
if (!ghdl) process.stdout.write('notice: ghdl is not installed, so the VHDL example is not built\n');

let bench: FlowBench;
beforeAll(async () => {
  bench = await FlowBench.start(
    examples.map((example) => ({ filename: example.file, source: exampleSource(example) })),
  );
}, 1_200_000);
afterAll(() => bench?.stop());

/** One node's examples, in order; the nodes work at the same time. */
const shares = Array.from({ length: Math.min(10, examples.length) }, (_, node) =>
  examples.filter((_example, index) => index % 10 === node),
);

test.concurrent.each(
  shares.map((share, node) => [share.map(({ file }) => file).join(', '), share, node] as const),
)('%s: passes its script from the example index on a virtual board', async (_files, share, node) => {
  for (const example of share) {
    const job = await bench.submit(node, example.file, exampleSource(example));
    expect(job.status, job.log).toBe('complete');
    const report = await bench.client.runScript({ fpga_id: node, body: { script: example.script } });
    expect(
      report.steps.filter(({ ok }) => !ok),
      example.file,
    ).toEqual([]);
    expect(report.passed).toBe(report.steps.length);
    await bench.release(node);
    expect(await bench.state(node)).toBe('idle');
  }
});
