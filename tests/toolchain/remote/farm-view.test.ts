import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readFarm } from '../../../server/toolchain/remote/farm-view.ts';
import { SCRIPTS } from '../../../server/toolchain/remote/scripts.ts';
import { FarmBench, WorkerProcess } from '../../support/farm.ts';
import { noRedis, RedisServer } from '../../support/redis.ts';

/** The script as Redis is asked for it. */
const VIEW = createHash('sha1').update(SCRIPTS.view).digest('hex');

describe.skipIf(noRedis !== null)('the farm as a bench sees it', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'wishbench-view-'));
  const gate = path.join(folder, 'gate');
  let redis: RedisServer;
  let worker: WorkerProcess;
  let bench: FarmBench;
  beforeAll(async () => {
    redis = await RedisServer.start();
    worker = await WorkerProcess.stub({ url: redis.url });
    bench = await FarmBench.open(redis.url);
  });
  afterAll(async () => {
    writeFileSync(gate, '');
    await worker.end();
    await bench.close();
    await redis.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Most of the line and of what is being built that the bench reads by itself, as it does all the time. */
  const readByItself = () =>
    redis.with(async (client) => {
      const monitor = await client.monitor();
      const read: string[] = [];
      monitor.on('monitor', (_time: string, [, script, , , ...most]: string[]) => {
        if (script === VIEW) read.push(most.join(' '));
      });
      await expect.poll(() => read.length).toBeGreaterThan(0);
      monitor.disconnect();
      return new Set(read);
    });

  test('what it looks at all the time does not grow with the builds, and what was shown is known when Redis is away', async () => {
    const building = bench.build(`module a; endmodule // gate-${gate} `, { filename: 'first.v' });
    await building.says('builds it');
    bench.build('module b; endmodule', { filename: 'second.v' });
    await expect.poll(async () => (await bench.farm.look(100)).view.line.length).toBe(1);
    expect(await readByItself()).toEqual(new Set(['0 0']));
    expect(await redis.with((client) => readFarm(client, 0, 0))).toMatchObject({
      line: [],
      building: [],
      waiting: 1,
      owners: { 'lab-1': 1 },
    });
    await redis.kill();
    await expect
      .poll(async () => (await bench.farm.look(100)).problem)
      .toBe('cannot be reached, for nothing listens at that port');
    const { view } = await bench.farm.look(100);
    expect(view.building.map(({ file }) => file)).toEqual(['first.v']);
    expect(view.line.map(({ file }) => file)).toEqual(['second.v']);
    expect(view.workers).toHaveLength(1);
    await redis.resume();
    await expect.poll(async () => (await bench.farm.look(100)).problem).toBeNull();
  });
});
