import { afterAll, beforeAll } from 'vitest';
import { FarmBench } from './farm.ts';
import { RedisServer } from './redis.ts';

/** Starts a Redis for the tests of a block, and ends it with them. @param args further options */
export function withRedis(args: readonly string[] = []): { readonly redis: RedisServer } {
  let server: RedisServer | null = null;
  beforeAll(async () => {
    server = await RedisServer.start(args);
  });
  afterAll(() => server?.stop());
  return {
    get redis() {
      return server!;
    },
  };
}

/** The same with a bench that has its builds made over this Redis. */
export function withFarm(args: readonly string[] = []) {
  const farm = withRedis(args);
  let opened: FarmBench | null = null;
  beforeAll(async () => {
    opened = await FarmBench.open(farm.redis.url);
  });
  afterAll(async () => {
    farm.redis.thaw();
    await opened?.close();
  });
  return {
    get redis() {
      return farm.redis;
    },
    get bench() {
      return opened!;
    },
  };
}
