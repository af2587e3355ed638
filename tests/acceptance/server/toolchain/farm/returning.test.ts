import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { FarmBench, WorkerProcess } from '../../../../support/farm.ts';
import { noRedis, RedisServer } from '../../../../support/redis.ts';
import { temporaryFolder } from '../../../../support/temporary.ts';

describe.skipIf(noRedis !== null)('a worker that responds again', () => {
  const ends: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  test('before its build is taken over delivers it once', async () => {
    const redis = await RedisServer.start();
    ends.push(() => redis.stop());
    const bench = await FarmBench.open(redis.url);
    ends.push(() => bench.close());
    const worker = await WorkerProcess.stub({ url: redis.url, lease: 2 });
    ends.push(() => worker.end());
    const gate = path.join(temporaryFolder('gate'), 'open');
    const build = bench.build(`a design gate-${gate} `);
    await build.says('builds it');
    worker.child.kill('SIGSTOP');
    await build.says('no longer answers');
    worker.child.kill('SIGCONT');
    writeFileSync(gate, '');
    await expect(build.result).resolves.toMatchObject({ buildId: expect.any(String) });
    // It began once, and nothing of it is left to build.
    expect(build.lines.filter((line) => line.includes('builds it'))).toHaveLength(1);
    expect((await bench.farm.look(10)).view).toMatchObject({ line: [], building: [], kept: { builds: 1 } });
  });
});
