import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { BuildsView } from '../../../../server/contract/bench/builds.ts';
import type { Job } from '../../../../server/contract/jobs/jobs.ts';
import { type Refusal, TestBench } from '../../../support/api/test-bench.ts';
import { FarmBench, WorkerProcess } from '../../../support/farm.ts';
import { noRedis, RedisServer } from '../../../support/redis.ts';

test('GET /builds without a queue: lists this bench, its current build and the waiting ones', async () => {
  const bench = await TestBench.start({ fakeToolchain: { slots: 1 } });
  try {
    const first = await bench.submit(0, 'hang-place');
    await expect.poll(async () => (await bench.node(0)).state).toBe('building');
    const second = await bench.submit(1, 'hang-place too');
    const { body } = await bench.get<BuildsView>('/builds');
    expect(body).toMatchObject({
      queue: null,
      problem: null,
      workers: [{ slots: 1, busy: 1 }],
      building: [{ file: 'design.v' }],
      waiting: 1,
      line: [{ place: 1, kind: 'here' }],
      rates: null,
    });
    expect((await bench.get<BuildsView>('/builds?limit=0')).body.line).toEqual([]);
    expect((await bench.get('/builds?limit=-1')).status).toBe(422);
    expect([first.status, second.status]).toEqual([202, 202]);
  } finally {
    await bench.stop();
  }
});

describe.skipIf(noRedis !== null)('with a queue', () => {
  let redis: RedisServer;
  let worker: WorkerProcess;
  let farm: FarmBench;
  let bench: TestBench;
  beforeAll(async () => {
    redis = await RedisServer.start();
    worker = await WorkerProcess.stub({ url: redis.url, name: 'w1' });
    farm = await FarmBench.open(redis.url, 'api', { limits: { waiting: 100, ofOwner: 2 } });
    bench = await TestBench.start({ toolchain: async () => farm.toolchain });
  });
  afterEach(async () => {
    await expect.poll(async () => (await bench.get<BuildsView>('/builds')).body.waiting).toBe(0);
  });
  afterAll(async () => {
    await bench.stop();
    await worker.end();
    await redis.stop();
  });

  test('a worker builds a submitted design, and GET /builds lists the running and waiting builds', async () => {
    const { job_id: running } = (await bench.submit(0, 'hang-place')).body;
    await expect.poll(async () => (await bench.node(0)).state).toBe('building');
    const own = { 'x-api-key': 'lab-1' };
    const waiting = [
      (await bench.submit(1, 'first', {}, own)).body.job_id,
      (await bench.submit(2, 'second', {}, own)).body.job_id,
    ];
    await expect
      .poll(async () => (await bench.get<Job>(`/fpga/2/jobs/${waiting[1]}/details`)).body.in_queue)
      .toEqual({ place: 2, behind: { file: 'design.v', owner: 'lab-1' }, held: null });
    const { body } = await bench.get<BuildsView>('/builds');
    expect(body).toMatchObject({
      queue: redis.url,
      problem: null,
      workers: [{ name: 'w1', slots: 1, leaving: false }],
      building: [{ file: 'design.v', worker: 'w1' }],
      waiting: 2,
      owners: [{ owner: 'lab-1', waiting: 2 }],
      line: [
        { place: 1, owner: 'lab-1', kind: 'ice40 embedded verilog', held: null },
        { place: 2, owner: 'lab-1' },
      ],
    });
    const short = (await bench.get<BuildsView>('/builds?limit=0')).body;
    expect([short.line, short.building.length, short.waiting]).toEqual([[], 1, 2]);
    // At one owner's limit: refused with a time to try again, and nothing changes.
    await expect.poll(() => farm.farm.full('lab-1')).not.toBeNull();
    const refused = await bench.submit(3, 'one too many', {}, own);
    expect(refused.status).toBe(503);
    expect((refused.body as unknown as Refusal).detail.error).toBe('build_queue_full');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect((await bench.node(3)).state).toBe('idle');
    await bench.ask('POST', `/fpga/0/jobs/${running}/stop`);
    for (const [i, job] of waiting.entries())
      expect((await bench.get<Job>(`/fpga/${i + 1}/jobs/${job}?wait=60`)).body.status).not.toBe('cancelled');
    await expect.poll(async () => (await bench.node(2)).state).toBe('reserved');
    const log = await (await fetch(`${bench.url}/fpga/2/jobs/${waiting[1]}/logs`)).text();
    expect(log).toContain('worker w1 builds it');
    expect((await bench.get<Job>(`/fpga/2/jobs/${waiting[1]}/details`)).body).not.toHaveProperty('in_queue');
  });
});
