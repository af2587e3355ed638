import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { pause, systemClock } from '../../../../../server/clock.ts';
import { runScript } from '../../../../../server/toolchain/farm/connection.ts';
import { BASE } from '../../../../../server/toolchain/farm/keys.ts';
import { FarmBench, WorkerProcess } from '../../../../support/farm.ts';
import { withRedis } from '../../../../support/farm-tests.ts';
import { noRedis } from '../../../../support/redis.ts';
import { SlowLine } from '../../../../support/slow-line.ts';
import { temporaryFolder } from '../../../../support/temporary.ts';

describe.skipIf(noRedis !== null)('builds held at the owner’s limit', () => {
  const farm = withRedis();
  beforeEach(() => farm.redis.with((client) => client.flushall()));

  /** The requests of benches and workers to Redis for builds `a`, `b` …, without their timing. */
  async function asking(running: number, work: (farm: Asking) => Promise<void>): Promise<void> {
    await farm.redis.with(async (client) => {
      const id = (name: string) => name.repeat(64);
      const ticket = (name: string) => `${id(name)}-try`;
      await work({
        async ask(name, owner = 'alice') {
          const args = [id(name), ticket(name), 'q', owner, 'bench', 0, `${name}.v`, 100, 100, running, '{}'];
          expect(await runScript(client, 'admit', args)).toEqual(['new', ticket(name)]);
        },
        async take() {
          const taken = await runScript(client, 'take', ['w', 'w', 'token', 60_000, 100, 'q']);
          return taken === null ? null : String((taken as string[])[1]).slice(0, 1);
        },
        async end(name) {
          const args = [ticket(name), 'token', '{}', 100, '', '', 0, 'failed', 1];
          expect(await runScript(client, 'finish', args)).toBe(1);
        },
        async leave(name) {
          return runScript(client, 'leave', [ticket(name), 'bench']);
        },
        keys: () => client.keys(`${BASE}*`),
      });
    });
  }

  test('a build requested while others are held starts after them, and before later ones of others', () =>
    asking(1, async (farm) => {
      for (const name of ['a', 'b', 'c']) await farm.ask(name);
      expect(await farm.take()).toBe('a');
      expect(await farm.take()).toBeNull();
      // The queue is empty by now, and its rounds begin anew.
      await farm.ask('d');
      expect(await farm.take()).toBeNull();
      for (const [ended, next] of ['ab', 'bc', 'cd'].map((pair) => [...pair] as [string, string])) {
        const other = `${Number(next === 'b') + 2 * Number(next === 'c')}`;
        await farm.ask(other, 'bob');
        await farm.end(ended);
        expect(await farm.take()).toBe(next);
        expect(await farm.take()).toBe(other);
        expect(await farm.take()).toBeNull();
        await farm.end(other);
      }
      await farm.end('d');
      expect(
        (await farm.keys()).filter((key) => /:(running|held|line|leases|order|owners)\b/.test(key)),
      ).toEqual([]);
    }));

  test('a cancelled build makes room for the next', () =>
    asking(1, async (farm) => {
      for (const name of ['a', 'b', 'c']) await farm.ask(name);
      expect(await farm.take()).toBe('a');
      expect(await farm.take()).toBeNull();
      expect(await farm.leave('b')).toBe('removed');
      expect(await farm.leave('a')).toBe('stopping');
      expect(await farm.take()).toBeNull();
      await farm.end('a');
      expect(await farm.take()).toBe('c');
    }));

  test('builds start in the order of their requests, however late the messages', async () => {
    const journal = path.join(temporaryFolder('held'), 'journal');
    let delay = () => 0;
    const lines = await Promise.all([1, 2, 3].map(() => SlowLine.open(farm.redis.port, () => delay())));
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
    }
  });
});

interface Asking {
  ask(name: string, owner?: string): Promise<void>;
  /** The build that a free worker gets; null for none. */
  take(): Promise<string | null>;
  end(name: string): Promise<void>;
  leave(name: string): Promise<unknown>;
  keys(): Promise<string[]>;
}
