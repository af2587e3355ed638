import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { pause, systemClock } from '../../../../../server/clock.ts';
import { runScript } from '../../../../../server/toolchain/farm/connection.ts';
import { readFarm } from '../../../../../server/toolchain/farm/farm-view.ts';
import { BASE, PREFIX } from '../../../../../server/toolchain/farm/keys.ts';
import { noRedis, RedisServer } from '../../../../support/redis.ts';
import { SOAK } from '../../../../support/soak.ts';

const RUNS = SOAK ? 100 : 5;
/** More than two sweeps cover. */
const WAITING = 1100;

const id = (i: number) => String(i).padStart(64, '0');
const ticket = (i: number) => `${id(i)}-try`;

describe.skipIf(noRedis !== null)('requested builds that a bench never queued', () => {
  let redis: RedisServer;
  let client: Redis;
  beforeAll(async () => {
    redis = await RedisServer.start();
    client = new Redis(redis.url);
  });
  beforeEach(() => client.flushall());
  afterAll(async () => {
    client.disconnect();
    await redis.stop();
  });

  /** Requests builds; those in `left` have no job. */
  async function ask(count: number, left: ReadonlySet<number>): Promise<void> {
    const ask = async (i: number) => {
      const limits = [10_000, 10_000, 0];
      const args = [id(i), ticket(i), 'q', `owner-${i % 3}`, 'bench', 0, 'd.v', ...limits];
      await runScript(client, 'admit', args);
      if (!left.has(i)) await client.set(`${PREFIX}:q:${ticket(i)}`, 'job');
    };
    await Promise.all(Array.from({ length: count }, (_, i) => ask(i)));
    // They must be older than the age that a sweep spares: here none.
    await pause(systemClock, 2);
  }
  const sweep = () => runScript(client, 'sweep', [0, 60_000]);

  test('are removed from any position in the line, and no others are', () =>
    fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.nat(WAITING - 1), { maxLength: WAITING }), async (which) => {
        await client.flushall();
        const left = new Set(which);
        await ask(WAITING, left);
        // The last sweep of a round reaches the end of the queue, and the next one begins again.
        let cleared = 0;
        for (let i = 0; i < 4; i++) {
          await client.del(`${BASE}sweeping`);
          cleared += Number(await sweep());
        }
        expect(cleared).toBe(left.size);
        const rest = await client.zrange(`${BASE}waiting`, 0, '-1');
        expect(rest.filter((one) => left.has(Number(one)))).toEqual([]);
        const { waiting, owners } = await readFarm(client, 0, 0);
        expect(waiting).toBe(WAITING - left.size);
        expect(Object.values(owners).reduce((sum, count) => sum + count, 0)).toBe(waiting);
        expect(await client.keys(`${BASE}order:*`)).toHaveLength(waiting);
      }),
      { numRuns: RUNS, examples: [[Array.from({ length: WAITING }, (_, i) => i)], [[WAITING - 1]]] },
    ));

  test('are swept by one bench at a time', async () => {
    await ask(3, new Set([0, 1, 2]));
    await client.set(`${BASE}sweeping`, 1);
    expect(await sweep()).toBe(0);
    await client.del(`${BASE}sweeping`);
    expect(await sweep()).toBe(3);
    expect(await client.pttl(`${BASE}sweeping`)).toBeGreaterThan(0);
    await ask(1, new Set([0]));
    expect(await sweep()).toBe(0);
  });
});
