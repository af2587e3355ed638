import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { WorkerProcess } from '../../../../support/farm.ts';
import { withFarm } from '../../../../support/farm-tests.ts';
import { noRedis } from '../../../../support/redis.ts';
import { temporaryFolder } from '../../../../support/temporary.ts';

/** Lease of the workers here, seconds: longer than a pause of the machine. */
const LEASE_S = 8;
/** Interval of polls over some leases, ms. */
const SOON = { interval: 100 };

describe.skipIf(noRedis !== null)('a build whose worker is disconnected while all others are busy', () => {
  const farm = withFarm();
  const folder = temporaryFolder('lost');
  const gate = (name: string) => `${name} gate-${path.join(folder, name)}`;
  const open = (name: string) => writeFileSync(path.join(folder, name), '');

  test('is shown as waiting at the head of the queue, with the other builds after it', async () => {
    const cut = await WorkerProcess.stub({ url: farm.redis.url, name: 'cut', lease: LEASE_S });
    const lost = farm.bench.build(gate('lost'), { filename: 'lost.v' });
    await lost.says('worker cut builds it');
    const busy = await WorkerProcess.stub({ url: farm.redis.url, name: 'busy', lease: LEASE_S });
    const held = farm.bench.build(gate('held'), { filename: 'held.v' });
    await held.says('worker busy builds it');
    const next = farm.bench.build('next', { filename: 'next.v' });
    await expect.poll(() => next.standings.at(-1)?.place, SOON).toBe(1);
    await cut.end('SIGKILL');

    await expect.poll(() => lost.lines.join('\n'), SOON).toContain('scan: worker cut no longer answers');
    await expect
      .poll(async () => {
        const { view } = await farm.bench.farm.look(100);
        return [
          view.building.map(({ file }) => file),
          view.line.map(({ file, place, building }) => [file, place, building]),
          view.waiting,
        ];
      }, SOON)
      .toEqual([
        ['held.v'],
        [
          ['lost.v', 1, null],
          ['next.v', 2, null],
        ],
        2,
      ]);
    expect((await farm.bench.farm.look(1)).view.line.map(({ file }) => file)).toEqual(['lost.v']);
    await expect
      .poll(() => next.standings.at(-1), SOON)
      .toMatchObject({ place: 2, behind: { file: 'lost.v', owner: 'lab-1' } });
    await expect.poll(() => lost.standings.at(-1), SOON).toEqual({ place: 1, behind: null, held: null });
    expect(farm.bench.farm.slots).toMatchObject({ busy: 1, waiting: 2 });

    open('lost');
    open('held');
    await Promise.all([held, lost, next].map(({ result }) => result));
    expect(lost.lines).toContainEqual(
      expect.stringMatching(/worker busy builds it: cut did not finish it, so it starts over \(start 2\)/),
    );
    await busy.end('SIGTERM');
  });

  test('is not shown as running when it was the only worker', async () => {
    const only = await WorkerProcess.stub({ url: farm.redis.url, name: 'only', lease: LEASE_S });
    const build = farm.bench.build(gate('alone'), { filename: 'alone.v' });
    await build.says('worker only builds it');
    await only.end('SIGKILL');
    await expect
      .poll(async () => {
        const { view } = await farm.bench.farm.look(100);
        return [view.building.length, view.line.map(({ file }) => file), view.waiting];
      }, SOON)
      .toEqual([0, ['alone.v'], 1]);
    await build.says('worker only no longer answers');
    const other = await WorkerProcess.stub({ url: farm.redis.url, name: 'other' });
    open('alone');
    await build.result;
    await other.end('SIGTERM');
  });

  test('is delivered once if its worker responds again before another takes it', async () => {
    const worker = await WorkerProcess.stub({ url: farm.redis.url, name: 'stopped', lease: 2 });
    const build = farm.bench.build(gate('again'));
    await build.says('worker stopped builds it');
    worker.child.kill('SIGSTOP');
    await build.says('no longer answers');
    worker.child.kill('SIGCONT');
    open('again');
    await expect(build.result).resolves.toMatchObject({ buildId: expect.any(String) });
    // It began once, and nothing of it is left to build.
    expect(build.lines.filter((line) => line.includes('builds it'))).toHaveLength(1);
    expect((await farm.bench.farm.look(10)).view).toMatchObject({ line: [], building: [] });
    await worker.end('SIGTERM');
  });
});
