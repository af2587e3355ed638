import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { pause, systemClock } from '../../../../../server/clock.ts';
import { WorkerProcess } from '../../../../support/farm.ts';
import { withFarm } from '../../../../support/farm-tests.ts';
import { noRedis } from '../../../../support/redis.ts';
import { temporaryFolder } from '../../../../support/temporary.ts';

/** Lease of the workers here, seconds. */
const LEASE_S = 6;

describe.skipIf(noRedis !== null)('Redis that returns after an outage longer than a lease', () => {
  const farm = withFarm(['--appendonly', 'yes', '--appendfsync', 'always']);

  test('leaves the build with its worker, although another one is idle', async () => {
    const folder = temporaryFolder('away');
    const journal = path.join(folder, 'journal');
    const stub = (name: string) => WorkerProcess.stub({ url: farm.redis.url, name, journal, lease: LEASE_S });
    const workers = [await stub('w1'), await stub('w2')];
    const gate = path.join(folder, 'open');
    const build = farm.bench.build(`a design gate-${gate} `);
    await build.says('builds it');
    await farm.redis.kill();
    await pause(systemClock, 1.5 * LEASE_S * 1000);
    await farm.redis.resume();
    // Long enough for the others to be found without a worker: theirs are looked for twice in a lease.
    await pause(systemClock, 2 * LEASE_S * 1000);
    writeFileSync(gate, '');
    await expect(build.result).resolves.toMatchObject({ buildId: expect.any(String) });
    expect(build.lines.filter((line) => line.includes('builds it'))).toHaveLength(1);
    expect(build.lines.filter((line) => line.includes('no longer answers'))).toEqual([]);
    expect(readFileSync(journal, 'utf8').trim().split('\n')).toHaveLength(1);
    for (const worker of workers) await worker.end();
  });
});
