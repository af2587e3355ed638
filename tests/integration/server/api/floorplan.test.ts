import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Floorplan } from '../../../../server/contract/signals/floorplan.ts';
import { TestBench } from '../../../support/api/test-bench.ts';

let bench: TestBench;
beforeAll(async () => {
  bench = await TestBench.start();
});
afterAll(() => bench.stop());

const floorplan = (buildId: string): Floorplan => ({
  version: 1,
  build_id: buildId,
  part: 'hx8k-ct256',
  tiles: ['.I.', 'ILI', '.I.'],
  modules: [
    {
      path: '',
      module: 'echo',
      whose: 'design',
      file: 0,
      line: 1,
      cells: 1,
      lut: 1,
      ff: 1,
      carry: 0,
      ram: 0,
    },
  ],
  files: ['design.v'],
  cells: [
    { name: 'q[3]', kind: 'logic', parts: ['lut', 'ff'], x: 1, y: 1, z: 0, module: 0, file: 0, line: 7 },
  ],
  paths: { all: [0], design: [] },
});

test('a build’s floorplan is served for its job, and for the node while it runs there', async () => {
  const job = await bench.reserve(3);
  const plan = floorplan(job.build_id ?? '');
  bench.toolchain.floorplanOf.set(plan.build_id, plan);
  const ofJob = await bench.get(`/fpga/3/jobs/${job.job_id}/floorplan`);
  expect([ofJob.status, ofJob.body]).toEqual([200, plan]);
  expect((await bench.get('/fpga/3/floorplan')).body).toEqual(plan);
  const client = bench.client();
  await client.jobEnded(await client.releaseSession({ fpga_id: 3 }));
  const free = await bench.get<{ detail: { error: string } }>('/fpga/3/floorplan');
  expect([free.status, free.body.detail.error]).toEqual([409, 'fpga_not_reserved']);
  expect((await bench.get(`/fpga/3/jobs/${job.job_id}/floorplan`)).status).toBe(200);
});

test('an uncached build, a failed build, a run and an unknown job return an error with a remedy', async () => {
  const job = await bench.reserve(4, {}, 'module other(); // another');
  const run = await bench.run(4, { op: 2, address: 0 });
  const failed = await bench.submit(5, 'fail-synthesis');
  await bench.ended(5, failed.body.job_id);
  const refusal = async (route: string) => {
    const { status, body } = await bench.get<{ detail: { error: string } }>(route);
    return [status, body.detail.error];
  };
  expect(await refusal('/fpga/4/floorplan')).toEqual([404, 'no_floorplan']);
  expect(await refusal(`/fpga/4/jobs/${job.job_id}/floorplan`)).toEqual([404, 'no_floorplan']);
  expect(await refusal(`/fpga/4/jobs/${run}/floorplan`)).toEqual([404, 'no_floorplan']);
  expect(await refusal(`/fpga/5/jobs/${failed.body.job_id}/floorplan`)).toEqual([404, 'no_floorplan']);
  expect(await refusal(`/fpga/4/jobs/${randomUUID()}/floorplan`)).toEqual([404, 'job_not_found']);
});
