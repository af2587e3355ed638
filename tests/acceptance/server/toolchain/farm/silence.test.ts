import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { pause, systemClock } from '../../../../../server/clock.ts';
import { BASE } from '../../../../../server/toolchain/farm/keys.ts';
import { WorkerProcess } from '../../../../support/farm.ts';
import { withFarm } from '../../../../support/farm-tests.ts';
import { noRedis } from '../../../../support/redis.ts';
import { temporaryFolder } from '../../../../support/temporary.ts';

/** Seconds without an answer of Redis: longer than a lease. WISHBENCH_OUTAGE_S=60 takes a minute. */
const OUTAGE_S = Number(process.env['WISHBENCH_OUTAGE_S'] ?? 10);
/** Lease of the workers here, seconds: longer than a pause of the machine. */
const LEASE_S = 8;

// In its own process, like a bench: its capabilities and view are computed once per process.
describe.skipIf(noRedis !== null)('temporary failures', () => {
  const farm = withFarm();
  const folder = temporaryFolder('silence');
  const journal = path.join(folder, 'journal');
  const stub = (name: string) => WorkerProcess.stub({ url: farm.redis.url, name, journal, lease: LEASE_S });
  /** Names of the workers that came to the end of a build since the last call. */
  const made = () => {
    const names = readFileSync(journal, 'utf8')
      .split('\n')
      .flatMap((line) => line.split(' ')[0] || []);
    writeFileSync(journal, '');
    return names;
  };
  /** Builds that had an effect, ever. */
  const effects = () =>
    farm.redis.with(async (client) => {
      let sum = 0;
      for (const key of await client.keys(`${BASE}rate:*`)) sum += Number(await client.hget(key, 'built'));
      return sum;
    });

  writeFileSync(journal, '');

  test('an unreachable Redis loses no build and repeats none', async () => {
    const worker = await stub('w1');
    const before = await effects();
    const gate = path.join(folder, 'outage');
    const running = farm.bench.build(`through it gate-${gate}`);
    await running.says('builds it');
    const waiting = farm.bench.build('waits through it');
    await expect.poll(() => waiting.standings.at(-1)?.place).toBe(1);
    // The bench caches the workers' offers briefly, so the index of results is the first request to fail.
    await farm.bench.farm.offers();
    farm.redis.freeze();
    const late = farm.bench.build('asked for while it is away');
    await late.says('cannot be reached: waiting for it');
    // The build ends while Redis is unreachable, and its lease runs out.
    writeFileSync(gate, '');
    await expect.poll(() => readFileSync(journal, 'utf8')).toContain('w1 ');
    // A bench that follows a running build sends no requests; the log still says why the build pauses.
    const away = 'scan: the queue at ';
    await Promise.all([pause(systemClock, OUTAGE_S * 1000), running.says(away)]);
    farm.redis.thaw();
    await Promise.all([running, waiting, late].map(({ result }) => result));
    const [said, ...again] = running.lines.filter((line) => line.includes(away));
    expect([said, again]).toEqual([expect.stringMatching(/cannot be reached: waiting for it$/), []]);
    expect(made()).toEqual(['w1', 'w1', 'w1']);
    expect(await effects()).toBe(before + 3);
    expect(await farm.redis.with((client) => client.keys(`${BASE}order:*`))).toEqual([]);
    await worker.end('SIGTERM');
  });

  test('a late result of a replaced worker changes nothing', async () => {
    const workers = { w1: await stub('w1'), w2: await stub('w2') };
    const before = await effects();
    const gate = path.join(folder, 'late');
    const build = farm.bench.build(`delivered twice gate-${gate}`);
    await build.says('builds it');
    const first = build.lines.some((line) => line.includes('worker w1 builds it')) ? 'w1' : 'w2';
    const second = first === 'w1' ? 'w2' : 'w1';
    workers[first].child.kill('SIGSTOP');
    await build.says(`worker ${second} builds it: ${first} did not finish it`);
    writeFileSync(gate, '');
    const result = await build.result;
    expect(made()).toEqual([second]);
    const log = [...build.lines];
    workers[first].child.kill('SIGCONT');
    // Redis reports that the build is another worker's now, or the worker learns it at the delivery.
    await expect.poll(() => workers[first].output).toMatch(/build ended|came too late/);
    expect(await effects()).toBe(before + 1);
    expect(build.lines).toEqual(log);
    expect(await farm.bench.build(`delivered twice gate-${gate}`).result).toMatchObject({
      buildId: result.buildId,
      cached: true,
    });
    await Promise.all([workers.w1.end('SIGTERM'), workers.w2.end('SIGTERM')]);
  });
});
