import { cp, rm } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { appRoot } from '../../../../server/paths.ts';
import { SCHEMA_VERSION } from '../../../../server/store/bench-data.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { alice, ended, read, type TestPool, testPool, until } from '../../../support/test-pool.ts';

/** A directory that the version with schema 1 wrote; see the fixture's own commit. */
const FIXTURE = path.join(appRoot, 'tests/support/store/fixtures/schema-1');
const WRITTEN = Date.parse('2026-11-21T20:33:56.406Z');

let folder: string;
let clock: FakeClock;
let bench: TestPool;
beforeEach(async () => {
  folder = temporaryFolder('store');
  await cp(FIXTURE, folder, { recursive: true });
  clock = new FakeClock(WRITTEN + 60_000);
});
afterEach(async () => {
  await bench.stop();
  await rm(folder, { recursive: true, force: true });
});

test('a directory of schema 1 migrates with sessions, queued jobs, histories, logs, results, settings', async () => {
  bench = await testPool({ folder, clock });
  const { pool, store } = bench;
  expect(store.notices).toEqual([]);
  expect(pool.node(2)).toMatchObject({
    state: 'reserved',
    session: { owner: 'alice', expires_at: '2026-11-21T21:33:56.084Z' },
  });
  const waiting = pool.jobs({ fpgaId: 8 })[0];
  expect(await ended(pool, waiting ?? expect.fail('the queued job is lost'))).toMatchObject({
    status: 'complete',
  });
  expect(pool.jobs({})).toHaveLength(10);
  const statuses = (fpgaId: number) => pool.jobs({ fpgaId }).map(({ status }) => status);
  expect([statuses(2), statuses(4), statuses(5), statuses(7)]).toEqual([
    Array(5).fill('complete'),
    ['failed'],
    ['complete', 'complete'],
    ['failed'],
  ]);
  const [many] = pool.jobs({ fpgaId: 2 });
  expect((await pool.result(2, many?.job_id ?? '')).data[69]).toBe(69);
  expect((await pool.readLog(2, many?.job_id ?? '')).toString()).toContain('read 70 words');
  const isObject = (value: unknown): value is object => typeof value === 'object';
  expect((await store.document('settings', {}, isObject)).value).toEqual({ sessions: { ttl_seconds: 7200 } });
  await ended(pool, await pool.run(2, read(0), alice));
  // The sizes of its jobs were not stored: the service measures them.
  await until(() => store.jobFiles.sizes.total > 3000, 'the sizes');

  await bench.stop();
  const { readFile } = await import('node:fs/promises');
  expect(await readFile(path.join(folder, 'bench.json'), 'utf8')).toContain(`{"schema":${SCHEMA_VERSION},`);
});

test('a session of schema 1 ends on time, whatever a wrong clock shows', async () => {
  bench = await testPool({ folder, clock });
  clock.advance(3_600_000 - 70_000);
  expect(bench.pool.node(2).session).not.toBeNull();
  clock.advance(70_000);
  await until(() => bench.pool.node(2).state === 'idle');

  await bench.stop();
  await cp(FIXTURE, folder, { recursive: true, force: true });
  clock = new FakeClock(WRITTEN - 1000 * 3_600_000);
  bench = await testPool({ folder, clock });
  expect(bench.pool.node(2).session?.expires_at).toBe(new Date(clock.now() + 3_600_000).toISOString());
});
