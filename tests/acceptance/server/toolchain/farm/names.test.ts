import os from 'node:os';
import { afterAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../../../server/clock.ts';
import { silentLogger } from '../../../../../server/log.ts';
import { readFarm } from '../../../../../server/toolchain/farm/farm-view.ts';
import { BASE } from '../../../../../server/toolchain/farm/keys.ts';
import { type FarmWorker, startWorker } from '../../../../../server/toolchain/farm/worker.ts';
import type { WorkerTools } from '../../../../../server/toolchain/farm/worker-tools.ts';
import { withRedis } from '../../../../support/farm-tests.ts';
import { noRedis } from '../../../../support/redis.ts';

describe.skipIf(noRedis !== null)('workers without a configured name', () => {
  const host = os.hostname();
  const farm = withRedis();
  const workers: FarmWorker[] = [];
  const begin = async (name?: string) => {
    const worker = await startWorker({
      address: farm.redis.url,
      ...(name !== undefined && { name }),
      tools: { capabilities: async () => [], close: async () => {} } as unknown as WorkerTools,
      slots: 1,
      lease: 30,
      sharedBytes: 1,
      logger: silentLogger,
      clock: systemClock,
    });
    workers.push(worker);
    await worker.ready;
    return worker;
  };
  const names = async () =>
    (await farm.redis.with((client) => readFarm(client, 1))).workers.map(({ name }) => name).sort();

  afterAll(async () => {
    for (const worker of workers) await worker.close();
  });

  test('take unique names from their host name, even if they start at once', async () => {
    const [first] = await Promise.all([begin(), begin(), begin()]);
    expect(await names()).toEqual([host, `${host}-2`, `${host}-3`]);
    await first?.close();
    const left = await names();
    expect(left).toHaveLength(2);
    // A free name is used again.
    await begin();
    expect(await names()).toEqual([host, `${host}-2`, `${host}-3`]);
  });

  test('ignore workers with a configured name, and leave no names behind', async () => {
    await begin('build-7');
    expect(await names()).toContain('build-7');
    for (const worker of workers) await worker.close();
    expect(await farm.redis.with((client) => client.keys(`${BASE}name:*`))).toEqual([]);
    expect(await names()).toEqual([]);
  });
});
