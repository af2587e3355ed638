import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exampleSource, loadExamples } from '../../server/toolchain/examples.ts';
import { FlowBench } from './flow-bench.ts';

let bench: FlowBench;
beforeAll(async () => {
  bench = await FlowBench.start();
});
afterAll(() => bench.stop());

const ghdl = spawnSync('ghdl', ['--version']).status === 0;
const examples = loadExamples().filter(
  ({ language }) => language !== 'amaranth' && (ghdl || language !== 'vhdl'),
);
if (!ghdl) process.stdout.write('notice: ghdl is not installed, so the VHDL example is not built\n');

/** One node's examples, in order; the nodes work at the same time, so builds wait for slots. */
const shares = Array.from({ length: Math.min(10, examples.length) }, (_, node) =>
  examples.filter((_example, index) => index % 10 === node),
);

test.concurrent.each(
  shares.map((share, node) => [share.map(({ file }) => file).join(', '), share, node] as const),
)(
  '%s: on a virtual board as the index of examples says',
  async (_files, share, node) => {
    for (const example of share) {
      const job = await bench.submit(node, example.file, exampleSource(example));
      expect(job.status, job.log).toBe('complete');
      for (const { says, expect: words, fails, ...request } of example.try) {
        const run = await bench.run(node, request);
        expect(run.status, `${says}\n${run.log}`).toBe('complete');
        expect(run.ok, `${says}\n${run.log}`).toBe(!fails);
        words?.forEach((word, index) => {
          if (word !== null) expect(run.data[index], `${says}, word ${index}`).toBe(word);
        });
      }
      await bench.release(node);
      expect(await bench.state(node)).toBe('idle');
    }
  },
  180_000,
);
