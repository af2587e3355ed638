import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedThreads } from '../../../server/boards/virtual/fabric-threads.ts';
import { GOING_ON } from '../../../server/boards/virtual/protocol.ts';
import { exampleSource } from '../../support/capture/support.ts';
import { FlowBench } from '../../support/flow/flow-bench.ts';

/** Its word 3 counts clocks since reset. */
const { file, source } = exampleSource('timer.v');
const UPTIME = { op: 2, address: 12 } as const;
const CLOCK_HZ = 12_000_000;
let bench: FlowBench;

beforeAll(async () => {
  bench = await FlowBench.start(['timer.v']);
  sharedThreads.goingOn = GOING_ON;
});

afterAll(() => bench?.stop());

test('a design keeps running between a user’s requests, in real time if the computer is fast enough', async () => {
  const job = await bench.submit(2, file, source);
  expect(job.status, job.log).toBe('complete');
  const uptime = async () => (await bench.run(2, UPTIME)).data?.[0] ?? 0;
  const first = await uptime();
  // After each word a design has 0.12 s of its clock. With the words only, it would take longer than this waits.
  await expect
    .poll(async () => (await uptime()) - first, { interval: 4000, timeout: 100_000 })
    .toBeGreaterThan(4 * CLOCK_HZ);
});
