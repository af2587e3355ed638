import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestBench } from '../../../support/api/test-bench.ts';

let bench: TestBench;
beforeAll(async () => {
  bench = await TestBench.start();
});
afterAll(() => bench.stop());

test('requests are logged, polls by other benches are not', async () => {
  const { status } = await fetch(`${bench.url}/benches/own`);
  const { status: other } = await fetch(`${bench.url}/fpga?said`);
  expect([status, other]).toEqual([200, 200]);
  await expect.poll(() => bench.log).toContain('"path":"/fpga"');
  expect(bench.log).not.toContain('/benches/own');
});
