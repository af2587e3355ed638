import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { pause, systemClock } from '../../../../../server/clock.ts';
import { type FollowedBuild, WorkerProcess } from '../../../../support/farm.ts';
import { withFarm } from '../../../../support/farm-tests.ts';
import { noRedis } from '../../../../support/redis.ts';
import { temporaryFolder } from '../../../../support/temporary.ts';

/** Lease of the workers here, seconds: longer than a pause of the machine. */
const LEASE_S = 8;

// In its own process, like a bench: its capabilities and view are computed once per process.
describe.skipIf(noRedis !== null)('workers and Redis that die', () => {
  const farm = withFarm(['--appendonly', 'yes']);
  const folder = temporaryFolder('faults');
  const journal = path.join(folder, 'journal');
  const stub = (name: string, options = {}, node: string[] = []) =>
    WorkerProcess.stub({ url: farm.redis.url, name, journal, lease: LEASE_S, ...options }, node);
  const made = () => readFileSync(journal, 'utf8').split('\n').filter(Boolean);

  writeFileSync(journal, '');

  test('another worker takes over the build of a killed worker, as the log reports', async () => {
    const workers = { w1: await stub('w1'), w2: await stub('w2') };
    const holder = async (build: FollowedBuild, of: number): Promise<'w1' | 'w2'> => {
      const begun = () => build.lines.flatMap((line) => /worker (w[12]) builds it/.exec(line)?.[1] ?? []);
      await expect.poll(() => begun().length).toBe(of);
      return begun().at(-1) === 'w1' ? 'w1' : 'w2';
    };
    const build = farm.bench.build(`killed gate-${path.join(folder, 'first')}`);
    const first = await holder(build, 1);
    await workers[first].end('SIGKILL');
    const second = await holder(build, 2);
    expect(second).not.toBe(first);
    expect(build.lines.join('\n')).toContain(`worker ${second} builds it: ${first} did not finish it`);
    // A worker that ends in order returns its build at once.
    workers[first] = await stub(first);
    await workers[second].end('SIGTERM');
    expect(await holder(build, 3)).toBe(first);
    writeFileSync(path.join(folder, 'first'), '');
    await build.result;
    expect(made()).toMatchObject([expect.stringMatching(new RegExp(`^${first} `))]);
    await workers[first].end('SIGTERM');
  });

  test('a design that kills two workers is set aside, and the third worker survives', async () => {
    const victims = [await stub('v1'), await stub('v2')];
    const build = farm.bench.build('kill-worker');
    await Promise.all(victims.map((victim) => victim.ended));
    const third = await stub('v3');
    await expect(build.result).rejects.toMatchObject({ code: 'worker_lost' });
    await farm.bench.build('something else').result;
    await third.end('SIGTERM');
  });

  test('a killed Redis loses nothing when it returns, even if the workers’ clock is a day ahead', async () => {
    const shift = path.join(folder, 'shift.mjs');
    writeFileSync(shift, 'const now = Date.now; Date.now = () => now() + 86_400_000;\n');
    const worker = await stub('ahead', {}, ['--import', shift]);
    const before = made().length;
    const running = farm.bench.build(`through it gate-${path.join(folder, 'through')}`);
    await running.says('builds it');
    const waiting = farm.bench.build('waits through it');
    await expect.poll(() => waiting.standings.at(-1)?.place).toBe(1);
    await farm.redis.kill();
    const late = farm.bench.build('asked for while it is away');
    await late.says('cannot be reached, because nothing listens on that port: waiting for it');
    // The build ends while Redis is unreachable, and the lease runs out.
    writeFileSync(path.join(folder, 'through'), '');
    await expect.poll(() => made().length).toBe(before + 1);
    await pause(systemClock, (LEASE_S + 1) * 1000);
    await farm.redis.resume();
    await Promise.all([running, waiting, late].map(({ result }) => result));
    expect(made().slice(before)).toHaveLength(3);
    await worker.end('SIGTERM');
  });
});
