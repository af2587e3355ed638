import { afterAll, beforeAll, expect, test } from 'vitest';
import { exampleSource } from '../../../server/toolchain/examples.ts';
import { FlowBench } from '../../support/flow/flow-bench.ts';

let bench: FlowBench;
beforeAll(async () => {
  bench = await FlowBench.start(['echo.v']);
});
afterAll(() => bench.stop());

const echo = exampleSource({ file: 'echo.v' }).toString();
/** The same design with another answer, so that the cache has nothing of it. */
const inverting = echo.replace(/(\bmemory\[[^\]]+\]\s*<=\s*)([^;]+);/, '$1~($2);');

test('a changed file replaces the running design, which answers until then', async () => {
  expect(inverting).not.toBe(echo);
  const first = await bench.submit(0, 'echo.v', echo);
  expect(first.status, first.log).toBe('complete');
  await bench.run(0, { op: 1, address: 0, data: [0x1234] });
  const before = await bench.client.getNodeDetails({ fpga_id: 0 });

  const began = performance.now();
  const file = { name: 'echo.v', contents: inverting };
  const { job_id } = await bench.client.submitDesign({ fpga_id: 0, replace: true, body: { file } });
  // The old design answers while the new one builds.
  let asked = 0;
  for (;;) {
    const node = await bench.client.getNodeDetails({ fpga_id: 0 });
    const job = await bench.client.getJobDetails({ fpga_id: 0, job_id, wait: 0.25 });
    if (job.stage === 'program' || job.status === 'complete' || node.state !== 'reserved') break;
    const run = await bench.run(0, { op: 2, address: 0, count: 1 }).catch(() => null);
    if (run === null || run.status !== 'complete') break;
    const after = await bench.client.getNodeDetails({ fpga_id: 0 });
    if (after.session?.session_id !== before.session?.session_id) break;
    expect([...run.data]).toEqual([0x1234]);
    asked++;
  }
  const job = await bench.ended(0, job_id);
  const seconds = (performance.now() - began) / 1000;
  process.stdout.write(
    `replaced in ${seconds.toFixed(2)} s, the old design answered ${asked} times meanwhile\n`,
  );
  expect(job.status, job.log).toBe('complete');
  expect(asked).toBeGreaterThan(0);
  const node = await bench.client.getNodeDetails({ fpga_id: 0 });
  expect(node.session?.owner).toBe(before.session?.owner);
  expect(node.session?.session_id).not.toBe(before.session?.session_id);
  await bench.run(0, { op: 1, address: 0, data: [0x1234] });
  const answer = await bench.run(0, { op: 2, address: 0, count: 1 });
  expect([...answer.data]).toEqual([~0x1234 >>> 0]);
});
