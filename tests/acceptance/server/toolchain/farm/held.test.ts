import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { pause, systemClock } from '../../../../../server/clock.ts';
import { runScript } from '../../../../../server/toolchain/farm/connection.ts';
import { BASE, PREFIX } from '../../../../../server/toolchain/farm/keys.ts';
import { FarmBench, WorkerProcess } from '../../../../support/farm.ts';
import { noRedis, RedisServer } from '../../../../support/redis.ts';
import { SlowLine } from '../../../../support/slow-line.ts';

describe.skipIf(noRedis !== null)('builds held at the owner’s limit', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await RedisServer.start();
  });
  beforeEach(() => redis.with((client) => client.flushall()));
  afterAll(() => redis.stop());

  /** The requests of benches and workers to Redis for builds `a`, `b` …, without their timing. */
  async function asking(running: number, work: (farm: Asking) => Promise<void>): Promise<void> {
    await redis.with(async (client) => {
      const id = (name: string) => name.repeat(64);
      const ticket = (name: string) => `${id(name)}-try`;
      const job = (name: string, queue: string) => `${PREFIX}:${queue}:${ticket(name)}`;
      const put = async (name: string, queue: string, priority: number) => {
        await client.set(job(name, queue), 'job');
        await client.zadd(`${PREFIX}:${queue}:prioritized`, priority, ticket(name));
      };
      await work({
        async ask(name, queue = 'q') {
          const args = [id(name), ticket(name), queue, 'alice', 'bench', 0, `${name}.v`, 100, 100, running];
          const [kind, , priority] = (await runScript(client, 'admit', args)) as [string, string, number];
          expect(kind).toBe('new');
          await put(name, queue, priority);
        },
        async begin(name, queue = 'q') {
          await client.zrem(`${PREFIX}:${queue}:prioritized`, ticket(name));
          const [kind] = (await runScript(client, 'begin', [ticket(name), name, 'w', 'w', 100])) as [string];
          return kind;
        },
        async park(name, queue = 'q') {
          await client.del(job(name, queue));
          await runScript(client, 'parked', [ticket(name)]);
        },
        async end(name) {
          await runScript(client, 'finish', [ticket(name), name, '{}', 100, '', '', 0, 'failed', 1]);
        },
        async leave(name) {
          return runScript(client, 'leave', [ticket(name), 'bench']);
        },
        async comesBack(name, queue = 'q') {
          const standing = (await runScript(client, 'standing', [ticket(name)])) as [string, string, number];
          if (standing[0] !== 'waiting' || standing[2] === 1) return null;
          await put(name, queue, Number(standing[1]));
          return Number(standing[1]);
        },
        keys: () => client.keys(`${BASE}*`),
      });
    });
  }

  test('a build requested while others are held starts after them', () =>
    asking(1, async (farm) => {
      for (const name of ['a', 'b', 'c']) await farm.ask(name);
      expect(await farm.begin('a')).toBe('begun');
      for (const name of ['b', 'c']) {
        expect(await farm.begin(name)).toBe('held');
        await farm.park(name);
      }
      // The queue is empty by now, and its rounds begin anew.
      await farm.ask('d');
      expect(await farm.begin('d')).toBe('held');
      await farm.park('d');
      for (const [ended, next] of ['ab', 'bc', 'cd'].map((pair) => [...pair] as [string, string])) {
        await farm.end(ended);
        for (const other of ['d', 'c', 'b']) if (other > next) expect(await farm.comesBack(other)).toBeNull();
        // It does not wait for builds that joined the queue meanwhile.
        expect(await farm.comesBack(next)).toBe(1);
        expect(await farm.begin(next)).toBe('begun');
      }
      await farm.end('d');
      expect((await farm.keys()).filter((key) => /:(running|held|own|order|owners)\b/.test(key))).toEqual([]);
    }));

  test('the worker whose request came first builds', () =>
    asking(1, async (farm) => {
      for (const name of ['a', 'b', 'c']) await farm.ask(name);
      expect(await farm.begin('a')).toBe('begun');
      await farm.end('a');
      // The worker that took b is slow.
      expect(await farm.begin('c')).toBe('held');
      expect(await farm.begin('b')).toBe('begun');
      await farm.park('c');
      expect(await farm.comesBack('c')).toBeNull();
      await farm.end('b');
      expect(await farm.comesBack('c')).not.toBeNull();
    }));

  test('no other build takes a released build’s slot before it returns to the queue', () =>
    asking(2, async (farm) => {
      for (const name of ['a', 'b', 'c']) await farm.ask(name);
      expect(await farm.begin('a')).toBe('begun');
      expect(await farm.begin('b')).toBe('begun');
      expect(await farm.begin('c')).toBe('held');
      await farm.ask('d', 'another');
      await farm.end('a');
      // The worker has the job of c for a moment yet.
      expect(await farm.begin('d', 'another')).toBe('held');
      await farm.park('d', 'another');
      await farm.park('c');
      expect(await farm.comesBack('d', 'another')).toBeNull();
      expect(await farm.comesBack('c')).not.toBeNull();
      expect(await farm.begin('c')).toBe('begun');
      expect(await farm.leave('b')).toBe('stopping');
      await farm.end('b');
      expect(await farm.comesBack('d', 'another')).not.toBeNull();
    }));

  test('a cancelled build makes room for the next', () =>
    asking(1, async (farm) => {
      for (const name of ['a', 'b', 'c']) await farm.ask(name);
      expect(await farm.begin('a')).toBe('begun');
      for (const name of ['b', 'c']) {
        await farm.begin(name);
        await farm.park(name);
      }
      await farm.end('a');
      expect(await farm.comesBack('c')).toBeNull();
      expect(await farm.leave('b')).toBe('removed');
      expect(await farm.comesBack('c')).not.toBeNull();
    }));

  test('builds start in the order of their requests, however late the messages', async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'wishbench-held-'));
    const journal = path.join(folder, 'journal');
    let delay = () => 0;
    const lines = await Promise.all([1, 2, 3].map(() => SlowLine.open(redis.port, () => delay())));
    const [first, second, ofBench] = lines.map(({ url }) => url) as [string, string, string];
    const workers = await Promise.all(
      [first, second].map((url, i) => WorkerProcess.stub({ url, name: `w${i}`, slots: 2, journal })),
    );
    const bench = await FarmBench.open(ofBench, 'one', {
      limits: { waiting: 1000, ofOwner: 1000, running: 1 },
    });
    let round = 0;
    try {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 5, maxLength: 30 }),
          fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 6, maxLength: 6 }),
          async (delays, pauses) => {
            writeFileSync(journal, '');
            let next = 0;
            delay = () => delays[next++ % delays.length] ?? 0;
            round++;
            const builds = [];
            for (const [i, milliseconds] of pauses.entries()) {
              builds.push(bench.build(`round ${round} build ${i} sleep-${(i % 3) * 10}`).result);
              await pause(systemClock, milliseconds);
            }
            const ids = (await Promise.all(builds)).map(({ buildId }) => buildId);
            const made = readFileSync(journal, 'utf8')
              .split('\n')
              .flatMap((line) => line.split(' ')[1] ?? []);
            expect(made.map((id) => ids.indexOf(id))).toEqual(ids.map((_id, i) => i));
          },
        ),
        { numRuns: 3 },
      );
    } finally {
      await bench.close();
      await Promise.all(workers.map((worker) => worker.end()));
      for (const line of lines) line.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

interface Asking {
  ask(name: string, queue?: string): Promise<void>;
  begin(name: string, queue?: string): Promise<string>;
  /** The worker learned that the job is held, and has released it. */
  park(name: string, queue?: string): Promise<void>;
  end(name: string): Promise<void>;
  leave(name: string): Promise<unknown>;
  /** Its bench checks it, and queues it again where allowed: its priority then, else null. */
  comesBack(name: string, queue?: string): Promise<number | null>;
  keys(): Promise<string[]>;
}
