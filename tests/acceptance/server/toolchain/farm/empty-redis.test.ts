import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { FarmBench, WorkerProcess } from '../../../../support/farm.ts';
import { noRedis, RedisServer } from '../../../../support/redis.ts';
import { SOAK } from '../../../../support/soak.ts';
import { temporaryFolder } from '../../../../support/temporary.ts';

describe.skipIf(noRedis !== null)('Redis that restarts empty', () => {
  const ends: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  async function start(): Promise<[RedisServer, FarmBench]> {
    const redis = await RedisServer.start();
    ends.push(() => redis.stop());
    const bench = await FarmBench.open(redis.url);
    ends.push(() => bench.close());
    return [redis, bench];
  }
  async function worker(redis: RedisServer): Promise<void> {
    const started = await WorkerProcess.stub({ url: redis.url, lease: 5 });
    ends.push(() => started.end());
  }
  const losses: [string, (redis: RedisServer) => Promise<unknown>][] = [
    ['by FLUSHALL', (redis) => redis.with((client) => client.flushall())],
    ['by a restart without its file', (redis) => redis.kill().then(() => redis.resume())],
  ];

  /** Each loss with one of the two; `npm run soak` has each with both. */
  const some = (at: number) => losses.filter((_, k) => SOAK || k === at);

  test.each(some(0))('receives the waiting builds again: %s', async (_how, lose) => {
    const [redis, bench] = await start();
    // Announces what it can build, and leaves.
    const first = await WorkerProcess.stub({ url: redis.url, lease: 5 });
    await first.end('SIGTERM');
    const builds = ['one', 'two', 'three'].map((source) => bench.build(`${source} sleep-1`));
    await Promise.all(
      builds.map((build) => expect.poll(() => build.standings.length, WAIT).toBeGreaterThan(0)),
    );
    await lose(redis);
    await Promise.all(builds.map((build) => build.says('requesting it again')));
    await worker(redis);
    const made = await Promise.all(builds.map((build) => build.result));
    expect(new Set(made.map(({ buildId }) => buildId)).size).toBe(3);
  });

  test.each(some(1))('receives the running build again: %s', async (_how, lose) => {
    const [redis, bench] = await start();
    await worker(redis);
    const gate = path.join(temporaryFolder('gate'), 'open');
    const build = bench.build(`a design gate-${gate} `);
    await build.says('builds it');
    await lose(redis);
    await build.says('requesting it again');
    expect(existsSync(gate)).toBe(false);
    writeFileSync(gate, '');
    await expect(build.result).resolves.toMatchObject({ buildId: expect.any(String) });
  });
});

const WAIT = { interval: 50 };
