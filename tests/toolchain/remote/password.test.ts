import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WorkerProcess } from '../../support/farm.ts';
import { noRedis, RedisServer } from '../../support/redis.ts';

describe.skipIf(noRedis !== null)('a queue with a password', { timeout: 300_000 }, () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await RedisServer.start(['--requirepass', 'right']);
  });
  afterAll(() => redis.stop());

  test('a worker that is refused says so without the password', async () => {
    const url = redis.url.replace('//', '//bench:not-to-be-shown@');
    const worker = await WorkerProcess.stub({ url });
    try {
      await worker.says('WRONGPASS');
      expect(worker.output).toContain(redis.url);
      expect(worker.output).not.toContain('not-to-be-shown');
    } finally {
      await worker.end();
    }
  });
});
