import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { pause, systemClock } from '../../../../../server/clock.ts';
import { FarmBench, WorkerProcess } from '../../../../support/farm.ts';
import { noRedis, RedisServer } from '../../../../support/redis.ts';
import { temporaryFolder } from '../../../../support/temporary.ts';

/** Lease of the workers here, seconds. */
const LEASE_S = 6;

describe.skipIf(noRedis !== null)('Redis that returns after an outage longer than a lease', () => {
  const ends: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  test('leaves the build with its worker, although another one is idle', async () => {
    const redis = await RedisServer.start(['--appendonly', 'yes', '--appendfsync', 'always']);
    ends.push(() => redis.stop());
    const bench = await FarmBench.open(redis.url);
    ends.push(() => bench.close());
    const folder = temporaryFolder('away');
    const journal = path.join(folder, 'journal');
    for (const name of ['w1', 'w2']) {
      const worker = await WorkerProcess.stub({ url: redis.url, name, journal, lease: LEASE_S });
      ends.push(() => worker.end());
    }
    const gate = path.join(folder, 'open');
    const build = bench.build(`a design gate-${gate} `);
    await build.says('builds it');
    await redis.kill();
    await pause(systemClock, 1.5 * LEASE_S * 1000);
    await redis.resume();
    // Long enough for the others to be found without a worker: theirs are looked for twice in a lease.
    await pause(systemClock, 2 * LEASE_S * 1000);
    writeFileSync(gate, '');
    await expect(build.result).resolves.toMatchObject({ buildId: expect.any(String) });
    expect(build.lines.filter((line) => line.includes('builds it'))).toHaveLength(1);
    expect(build.lines.filter((line) => line.includes('no longer answers'))).toEqual([]);
    expect(readFileSync(journal, 'utf8').trim().split('\n')).toHaveLength(1);
  });
});
