import { afterEach, describe, expect, test } from 'vitest';
import type { Job } from '../../../../server/contract/jobs/jobs.ts';
import { DuplicateLines } from '../../../../server/logs/duplicate-lines.ts';
import { FakeToolchain } from '../../../support/fake-toolchain.ts';
import {
  alice,
  bob,
  closedGate,
  design,
  ended,
  reserve,
  testPool,
  until,
} from '../../../support/test-pool.ts';

let bench: Awaited<ReturnType<typeof testPool>>;
afterEach(() => bench.dispose());

const start = async (farm: boolean, folder?: string) => {
  bench = await testPool({ toolchain: new FakeToolchain({ farm }), ...(folder && { folder }) });
};
async function restart(farm: boolean): Promise<void> {
  await bench.stop();
  await start(farm, bench.folder);
}
const runs = ({ fpga_id, job_id }: Job) => until(() => bench.pool.job(fpga_id, job_id).status === 'running');

describe('remote builds across a restart of the service', () => {
  test('a replacement build resumes and then replaces the session', async () => {
    await start(true);
    const first = await reserve(bench.pool);
    const { session } = bench.pool.node(0);
    bench.toolchain.gate = closedGate().gate;
    const next = await bench.pool.replace(0, { ...design('next'), filename: 'next.v' }, alice);
    await runs(next);
    await restart(true);
    expect(await ended(bench.pool, next)).toMatchObject({ status: 'complete' });
    const { design: now, session: held } = bench.pool.node(0);
    expect([now?.filename, held?.owner]).toEqual(['next.v', 'alice']);
    expect(held?.session_id).not.toBe(session?.session_id);
    // The session of before had gone on until then.
    expect(bench.pool.activity(0, 1)).toMatchObject([{ kind: 'replaced', by: 'alice' }]);
    expect(bench.boards.board(0).programmed.at(-1)).not.toBe(first.build_id);
  });

  test('a job that was programming fails, and so does any build without its farm', async () => {
    await start(true);
    bench.boards.board(1).faults.hangProgram = true;
    const programming = await bench.pool.submit(1, design(), alice);
    await until(() => bench.pool.node(1).state === 'programming');
    const building = await bench.pool.submit(0, design('hang-place'), bob);
    await runs(building);
    await restart(true);
    expect(bench.pool.job(1, programming.job_id)).toMatchObject({ failure: { error: 'service_stopped' } });
    expect(bench.pool.job(0, building.job_id).status).toBe('running');
    await restart(false);
    expect(bench.pool.job(0, building.job_id)).toMatchObject({ failure: { error: 'service_stopped' } });
    expect(bench.pool.node(0).state).toBe('idle');
  });

  test('a resumed build can be stopped like any other', async () => {
    await start(true);
    const job = await bench.pool.submit(0, design('hang-place'), bob);
    await runs(job);
    await restart(true);
    await bench.pool.stopBuild(0, job.job_id, bob);
    expect(bench.pool.job(0, job.job_id)).toMatchObject({ failure: { error: 'stopped_by_user' } });
    expect(bench.pool.node(0).state).toBe('idle');
  });
});

describe('a build that waited when the service ended', () => {
  test('resumes after its existing log lines, without duplicates, also for followers', async () => {
    bench = await testPool({ toolchain: new FakeToolchain({ slots: 0 }) });
    const job = await bench.pool.submit(0, design(), alice);
    const log = async () => (await bench.pool.readLog(0, job.job_id)).toString('utf8');
    await until(() => bench.events.some(({ type }) => type === 'log'));
    const before = await log();
    expect(before).toMatch(/^\[ +[\d.]+ queue\] echo\.v \(\d+ bytes\) for .*\n$/);
    await bench.stop();
    bench = await testPool({ folder: bench.folder });
    expect(await ended(bench.pool, job)).toMatchObject({ status: 'complete' });

    const after = await log();
    expect(after.slice(0, before.length)).toBe(before);
    expect(after.split('bytes) for')).toHaveLength(2);
    expect(after.split('queue] the service was restarted')).toHaveLength(2);
    const seconds = [...after.matchAll(/^\[ *([\d.]+) /gm)].map(([, number]) => Number(number));
    expect(seconds).toEqual([...seconds].sort((a, b) => a - b));
    // A page that has read the file continues with the events after its end.
    const told = bench.events.flatMap((event) => (event.type === 'log' ? [event] : []));
    expect(told[0]?.offset).toBe(Buffer.byteLength(before));
    expect(before + told.map(({ text }) => text).join('')).toBe(after);
  });
});

test('repeated lines count as duplicates only as often as the log has them', () => {
  const log = (lines: string[]) =>
    lines.map((line, i) => `[${(i + 1).toFixed(3).padStart(8)} ${line}`).join('\n');
  const known = new DuplicateLines(
    log([
      'queue] waiting: 2 in line',
      'scan] begun',
      'synthesis] same',
      'scan] the queue is away',
      'synthesis] same',
    ]),
  );
  expect(known.beganAt).toBe(2000);
  const told = ['scan begun', 'synthesis same', 'synthesis same', 'synthesis same', 'scan begun'];
  const split = (line: string) => line.split(' ') as ['scan', string];
  expect(told.map((line) => known.has(...split(line)))).toEqual([true, true, true, false, false]);
  expect(known.has('queue', 'waiting: 2 in line')).toBe(true);
  expect(known.has('queue', 'waiting: 1 in line')).toBe(false);
});
