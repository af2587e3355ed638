import { readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { resourcePath } from '../../../../../server/paths.ts';
import { runScript } from '../../../../../server/toolchain/farm/connection.ts';
import { readFarm } from '../../../../../server/toolchain/farm/farm-view.ts';
import { BASE, logKey } from '../../../../../server/toolchain/farm/keys.ts';
import { keepBuilt } from '../../../../support/built.ts';
import { FAKE_ESTIMATE } from '../../../../support/fake-toolchain.ts';
import { FarmBench, type FollowedBuild, WorkerProcess } from '../../../../support/farm.ts';
import { noRedis, RedisServer } from '../../../../support/redis.ts';
import type { StubOptions } from '../../../../support/stub-worker.ts';
import { temporaryFolder } from '../../../../support/temporary.ts';

// In its own process, like a bench: its capabilities and view are computed once per process.
describe.skipIf(noRedis !== null)('builds over Redis', () => {
  const folder = temporaryFolder('remote');
  const journal = path.join(folder, 'journal');
  let redis: RedisServer;
  let worker: WorkerProcess;
  const benches: FarmBench[] = [];
  const bench = async (name = 'one', limits = { waiting: 1000, ofOwner: 1000, running: 0 }) => {
    const opened = await FarmBench.open(redis.url, name, { limits });
    benches.push(opened);
    return opened;
  };
  const view = () => redis.with((client) => readFarm(client, 100));
  const waiting = async (count: number) => {
    await expect.poll(async () => (await view()).waiting).toBe(count);
    return await view();
  };
  let gates = 0;
  const gate = () => path.join(folder, `gate${gates}`);
  /** A source whose build ends when open() is called. */
  const gated = (text: string) => `${text} gate-${gate()} `;
  const open = () => {
    writeFileSync(gate(), '');
    gates++;
  };
  /** Builds that tools have ended since the last call. */
  const made = () => {
    const ids = readFileSync(journal, 'utf8')
      .split('\n')
      .flatMap((line) => line.split(' ')[1] ?? []);
    writeFileSync(journal, '');
    return ids;
  };

  const stub = (options: Partial<StubOptions> = {}) =>
    WorkerProcess.stub({ url: redis.url, name: 'w1', journal, ...options });

  beforeAll(async () => {
    writeFileSync(journal, '');
    redis = await RedisServer.start();
    worker = await stub();
  });
  afterEach(async ({ task }) => {
    open();
    await Promise.all(benches.splice(0).map((one) => one.close()));
    if (task.result?.state === 'fail') {
      // Nothing of it affects the tests after it, nor its second try.
      await worker.end();
      await redis.with(async (client) => {
        await client.config('SET', 'maxmemory', '0');
        await client.flushall();
      });
      worker = await stub();
    }
    made();
  });
  afterAll(async () => {
    await worker.end();
    await redis.stop();
  });

  test('streams lines, progress and the estimate during a build, and a failure has its diagnostics', async () => {
    const one = await bench();
    const built = one.build('fail-route lines-100 sleep-200');
    await expect(built.result).rejects.toMatchObject({
      code: 'fake_build_failed',
      status: 422,
      diagnostics: [{ code: 'yosys_error', file: 'design.v', line: 1 }],
    });
    expect(built.started).toBe(true);
    expect(built.lines.filter((line) => line.startsWith('synthesis: line'))).toHaveLength(100);
    expect(built.progress.at(-1)).toMatch(/^route/);
    expect(built.estimates).toEqual([FAKE_ESTIMATE]);
    expect(await redis.with((client) => client.keys(`${BASE}order:*`))).toEqual([]);
  });

  test('Redis stores a bounded number of a build’s latest log entries', async () => {
    const build = 'e'.repeat(64);
    const ticket = `${build}-chatty`;
    await redis.with(async (client) => {
      await runScript(client, 'admit', [
        build,
        ticket,
        'none',
        'lab-1',
        'gone',
        0,
        'design.v',
        10,
        10,
        0,
        '{}',
      ]);
      await runScript(client, 'take', ['id', 'w', 'token', 60_000, 100_000, 'none']);
      const entry = (number: number) => Buffer.alloc(100, String(number).padStart(4, '0'));
      for (let number = 1; number <= 300; number++)
        expect(await runScript(client, 'tell', [ticket, 'token', number, entry(number), 1e5, 5000])).toBe(1);
      const kept = await client.xrange(logKey(ticket), '-', '+');
      expect(kept.length).toBeGreaterThanOrEqual(25);
      expect(kept.length).toBeLessThanOrEqual(51);
      expect(kept.at(-1)?.[1][1]).toBe(entry(300).toString());
      // Stored until the requesting bench has acknowledged it.
      await runScript(client, 'finish', [ticket, 'token', '{}', 1e5, '', '', 0, 'failed', 1]);
      expect(await client.exists(logKey(ticket))).toBe(1);
      await runScript(client, 'noted', ['gone', ticket]);
      expect(await client.keys(`*${build}*`)).toEqual([`${BASE}done:${ticket}`]);
    });
  });

  test('owners alternate in order of arrival, and batch builds come last', async () => {
    const one = await bench();
    const first = one.build('hang-place first');
    await first.says('builds it');
    const asked: [string, FollowedBuild][] = [];
    const ask = async (owner: string, options = {}) => {
      const build = one.build(`design ${asked.length}`, { owner, filename: `d${asked.length}.v`, options });
      asked.push([owner, build]);
      await waiting(asked.length);
    };
    for (let i = 0; i < 2; i++) await ask('batch', { priority: 'batch' });
    for (let i = 0; i < 5; i++) await ask('big');
    for (let i = 0; i < 3; i++) await ask('small');
    const { owners, line, building } = await view();
    expect(owners).toEqual({ batch: 2, big: 5, small: 3 });
    expect(building).toMatchObject([{ file: 'design.v', worker: 'w1' }]);
    expect(line.map(({ owner }) => owner)).toEqual(
      'big small big small big small big big batch batch'.split(' '),
    );
    await expect
      .poll(() => asked[9]?.[1].standings.at(-1))
      .toEqual({
        place: 6,
        behind: { file: 'd4.v', owner: 'big' },
        held: null,
      });
    first.stop();
    const results = await Promise.all(asked.map(([, build]) => build.result));
    const owner = new Map(results.map(({ buildId }, i) => [buildId, asked[i]?.[0]]));
    expect(made().map((id) => owner.get(id))).toEqual(line.map((entry) => entry.owner));
    expect(asked[9]?.[1].lines.join('\n')).toContain('6 in line, after d4.v of big');
  });

  test('cancels waiting and running builds, and the worker continues', async () => {
    const one = await bench();
    const running = one.build('hang-place');
    await running.says('builds it');
    const other = one.build('never begun');
    await waiting(1);
    other.stop();
    await expect(other.result).rejects.toMatchObject({ code: 'build_aborted' });
    await waiting(0);
    expect(other.started).toBe(false);
    const orders = () => redis.with((client) => client.keys(`${BASE}order:*`));
    expect(await orders()).toHaveLength(1); // of the one that runs
    running.stop();
    await expect(running.result).rejects.toMatchObject({ code: 'build_aborted' });
    await one.build('goes on').result;
    expect((await view()).building).toEqual([]);
  });

  test('two benches share one build, which continues when one of them leaves', async () => {
    const [one, two] = [await bench('one'), await bench('two')];
    const source = gated('shared');
    const asked = one.build(source);
    await asked.says('builds it');
    const joined = two.build(source);
    await joined.says('builds it');
    asked.stop();
    open();
    await joined.result;
    expect(made()).toHaveLength(1);
    expect(await one.build(source).result).toMatchObject({ cached: true });
  });

  test('a build that finishes during a bench’s cache lookup is not repeated', async () => {
    const [one, two] = [await bench('one'), await bench('two')];
    const { bitstream } = await one.build('meanwhile').result;
    vi.spyOn(two.farm, 'find').mockResolvedValueOnce(null); // it looked a moment too early
    const late = two.build('meanwhile');
    expect((await late.result).bitstream).toEqual(bitstream);
    expect(late.started).toBe(true);
    expect(made()).toHaveLength(1);
  });

  test('a restarted bench finds its builds', async () => {
    const before = await bench('one');
    const sources = [gated('again'), 'waits for it'];
    const builds = sources.map((source) => before.build(source));
    await builds[0]?.says('builds it');
    await waiting(1);
    await before.close();
    for (const { result } of builds) await expect(result).rejects.toMatchObject({ code: 'build_aborted' });
    const after = await bench('one');
    open();
    for (const source of sources) await after.build(source).result;
    expect(made()).toHaveLength(2);
  });

  test('a build waits for a full queue, and its log reports it', async () => {
    const one = await bench('one', { waiting: 1000, ofOwner: 1, running: 0 });
    const first = one.build(gated('first of all'));
    await first.says('builds it');
    const second = one.build('second');
    await waiting(1);
    const third = one.build('third');
    await third.says('the queue is full (1 build of this owner waits)');
    const other = one.build('of another', { owner: 'lab-2' });
    open();
    await Promise.all([first, second, third, other].map(({ result }) => result));
  });

  test('an owner’s limit holds further builds with a reason, without blocking other owners', async () => {
    const wide = await stub({ name: 'w2', slots: 3 });
    const one = await bench('one', { waiting: 1000, ofOwner: 1000, running: 1 });
    const alone = path.join(folder, 'alone');
    const first = one.build(`runs alone gate-${alone} `, { filename: 'first.v' });
    await first.says('builds it');
    const held = ['held', 'held too', 'given up'].map((source) => one.build(source));
    for (const build of held) await build.says('waiting: lab-1 has 1 build running, which is the limit');
    await one.build('of another', { owner: 'lab-2' }).result;
    await expect
      .poll(() => held[0]?.standings.at(-1))
      .toMatchObject({ behind: { file: 'first.v', owner: 'lab-1' }, held: 'owner_limit' });
    expect((await view()).line.map((entry) => [entry.place, entry.held])).toEqual([
      [1, true],
      [2, true],
      [3, true],
    ]);
    held[2]?.stop();
    await waiting(2);
    expect(held.map(({ started }) => started)).toEqual([false, false, false]);
    writeFileSync(alone, '');
    await Promise.all([first, ...held.slice(0, 2)].map(({ result }) => result));
    await wide.end('SIGTERM');
    const kept = await redis.with((client) => client.keys(`${BASE}*`));
    expect(kept.filter((key) => /:(running|held|order):/.test(key))).toEqual([]);
  });

  test('rebuilds a result that is damaged in the store', async () => {
    const one = await bench('one');
    await one.build('damaged').result;
    await redis.with(async (client) => {
      for (const key of await client.keys(`${BASE}artifact:*`)) await client.set(key, 'garbage');
    });
    const two = await bench('two');
    expect(await two.build('damaged').result).toMatchObject({ cached: false });
    expect(made()).toHaveLength(2);
  });

  test('dropped connections and a full memory only delay a build', async () => {
    const one = await bench('one');
    const cut = one.build(gated('cut'));
    await cut.says('builds it');
    await redis.with(async (client) => {
      await client.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
      await client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    });
    open();
    await cut.result;
    await redis.with((client) => client.config('SET', 'maxmemory', '1'));
    const full = one.build('when there is memory');
    await full.says('has no memory left');
    await redis.with((client) => client.config('SET', 'maxmemory', '0'));
    await full.result;
    expect(made()).toHaveLength(2);
  });

  test('workers of another version receive no builds; a result with another id is rejected', async () => {
    await worker.end('SIGTERM');
    await redis.with((client) => client.flushall());
    const other = await stub({ name: 'other', journal: null, flow: 'f'.repeat(64) });
    const one = await bench('one');
    const build = one.build('for nobody yet');
    await build.says('run another version of Wishbench');
    await expect.poll(() => build.standings.at(-1)).toEqual({ place: 1, behind: null, held: 'no_worker' });
    expect(build.started).toBe(false);
    await other.end('SIGTERM');
    worker = await stub({ otherIds: true });
    await expect(build.result).rejects.toMatchObject({ code: 'build_other_version' });
    await worker.end('SIGTERM');
    expect((await view()).workers).toEqual([]);
  });

  test('rejects an invalid design while it waits, and removes it from the queue', async () => {
    await worker.end('SIGTERM');
    worker = await stub();
    const one = await FarmBench.open(redis.url, 'one', { lookEarly: true });
    benches.push(one);
    const running = (await bench('two')).build(gated('holds the only slot up'));
    await running.says('builds it');
    const echo = await readFile(resourcePath('examples', 'echo.v'), 'utf8');
    // Only this test uses the stub's result.
    const good = one.build(`${echo}// waits\n`, { filename: 'echo.v' });
    await waiting(1);
    const bad = one.build('module nothing(input a, output b); assign b = a; endmodule\n');
    await expect(bad.result).rejects.toMatchObject({ code: expect.stringMatching(/^design_/) });
    expect(bad.started).toBe(true);
    await waiting(1);
    open();
    await Promise.all([running.result, good.result]);
    expect(bad.lines.join('\n')).not.toContain('builds it');
    await worker.end('SIGTERM');
  });

  test('accepts a language that only a worker can read', async () => {
    const one = await bench('one');
    const amaranth = async () =>
      (await one.toolchain.languages()).find(({ language }) => language === 'amaranth')?.refusal;
    worker = await stub({ language: 'amaranth' });
    await expect.poll(amaranth).toBeNull();
    const built = one.build('from amaranth import *\n', { filename: 'design.py' });
    await built.result;
    expect(built.lines.join('\n')).toContain('worker w1 builds it');
    await worker.end('SIGTERM');
  });

  test('a real worker builds a real design, and every other bench finds the result', async () => {
    const data = path.join(folder, 'real');
    await worker.end('SIGTERM');
    await keepBuilt(data, ['echo.v']);
    const source = await readFile(resourcePath('examples', 'echo.v'));
    worker = await WorkerProcess.real(redis.url, ['--concurrency', '1', '--data', data]);
    const one = await bench('one');
    const built = one.build(source, { filename: 'echo.v' });
    const result = await built.result;
    expect(built.started).toBe(true);
    expect(result).toMatchObject({
      cached: false,
      report: { build_id: result.buildId, board: 'virtual-hx8k' },
    });
    expect(result.bitstream.length).toBeGreaterThan(30_000);
    expect(built.lines.join('\n')).toContain(`worker ${os.hostname()} builds it`);
    expect(await one.toolchain.symbols(result.buildId)).not.toBeNull();
    expect(await one.toolchain.floorplan(result.buildId)).not.toBeNull();

    const two = await bench('two');
    const found = two.build(source, { filename: 'echo.v' });
    expect(await found.result).toMatchObject({ buildId: result.buildId, cached: true });
    expect((await found.result).bitstream).toEqual(result.bitstream);
    expect(found.lines.join('\n')).not.toContain('worker');
    expect(await two.toolchain.symbols(result.buildId)).not.toBeNull();
    expect(await worker.end('SIGTERM')).toBe(0);
  });
});
