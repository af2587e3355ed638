import { appendFile, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Job } from '../../server/contract/jobs.ts';
import { FakeBoardPool } from '../support/fake-board.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { FakeToolchain } from '../support/fake-toolchain.ts';
import {
  alice,
  bob,
  design,
  ended,
  read,
  reserve,
  type TestPool,
  type TestPoolOptions,
  testPool,
  until,
  write,
} from '../support/test-pool.ts';

let bench: TestPool;
afterEach(() => bench.dispose());

/** Ends the service cleanly and starts it on the same directory with boards that have lost everything. */
async function restart(options: TestPoolOptions = {}): Promise<void> {
  await bench.stop();
  bench = await testPool({ ...options, folder: bench.folder });
}

const logOf = async ({ fpga_id, job_id }: Job) => (await bench.pool.readLog(fpga_id, job_id)).toString();

describe('a clean end', () => {
  test('a reserved node keeps its session, its board is programmed again, waiting runs still run', async () => {
    bench = await testPool();
    const job = await reserve(bench.pool, 2);
    const { session } = bench.pool.node(2);
    await restart();
    expect(bench.pool.node(2)).toMatchObject({
      state: 'reserved',
      session,
      design: { build_id: job.build_id },
    });
    const run = await ended(bench.pool, await bench.pool.run(2, write(8, 5), alice));
    expect(run).toMatchObject({ status: 'complete', ok: true });
    expect(bench.boards.board(2).programmed).toEqual([job.build_id]);
    expect(bench.toolchain.built).toEqual([]);
    expect(await logOf(job)).toContain('programming the board with the session’s design');
    expect(await logOf(run)).toContain('wrote 1 word');
  });

  test('a queued build waits on and is built after the restart', async () => {
    bench = await testPool({ toolchain: new FakeToolchain({ slots: 1 }) });
    await bench.pool.submit(0, design('hang-place'), alice);
    await until(() => bench.pool.node(0).state === 'building');
    const waiting = await bench.pool.submit(1, design('waits'), bob);
    expect(bench.pool.job(1, waiting.job_id).status).toBe('queued');
    await restart();
    expect(await ended(bench.pool, waiting)).toMatchObject({ status: 'complete', owner: 'bob' });
    expect(bench.pool.node(1)).toMatchObject({ state: 'reserved', session: { owner: 'bob' } });
    expect(bench.toolchain.built).toEqual(['waits']);
  });

  test('what was running is failed by name and with a line in its log; what it held is free again', async () => {
    bench = await testPool();
    const building = await bench.pool.submit(0, design('hang-place'), alice);
    bench.boards.board(1).faults.hangProgram = true;
    const programming = await bench.pool.submit(1, design(), alice);
    await reserve(bench.pool, 2);
    bench.boards.board(2).faults.hangLink = true;
    const running = await bench.pool.run(2, write(0, 1), alice);
    const behind = await bench.pool.run(2, write(4, 2), alice);
    await until(() => bench.pool.node(0).state === 'building' && bench.pool.node(1).state === 'programming');
    await until(() => bench.pool.job(2, running.job_id).status === 'running');
    const began = performance.now();
    await restart();
    expect(performance.now() - began).toBeLessThan(5000);

    for (const job of [building, programming, running]) {
      const now = bench.pool.job(job.fpga_id, job.job_id);
      expect(now).toMatchObject({ status: 'failed', failure: { error: 'service_stopped' } });
      expect(await logOf(now)).toContain('error: The service stopped while this job was running.');
    }
    expect(bench.pool.node(0).state).toBe('idle');
    // Its board was left half programmed: the service resets it by itself.
    await until(() => bench.pool.node(1).state === 'idle');
    expect(bench.boards.board(1).buildId).toMatch(/^0{64}$/);
    expect(bench.pool.node(2).state).toBe('reserved');
    expect(await ended(bench.pool, behind)).toMatchObject({ status: 'complete', ok: true });
    expect(bench.boards.board(2).writes).toEqual([{ address: 4, word: 2 }]);
  });

  test('a reset that was running is done again; its user has left', async () => {
    bench = await testPool();
    await reserve(bench.pool);
    bench.boards.board(0).faults.hangProgram = true;
    const reset = await bench.pool.release(0, alice);
    await until(() => bench.pool.job(0, reset.job_id).status === 'running');
    await restart();
    expect(bench.pool.job(0, reset.job_id).status).toBe('failed');
    await until(() => bench.pool.node(0).state === 'idle');
    expect(bench.pool.node(0).session).toBeNull();
  });

  test('a reset that was waiting runs after the restart', async () => {
    bench = await testPool();
    await reserve(bench.pool);
    bench.boards.board(0).faults.hangLink = true;
    await bench.pool.run(0, read(0), alice);
    const reset = await bench.pool.reset(0, alice);
    await restart();
    expect(await ended(bench.pool, reset)).toMatchObject({ status: 'complete' });
    expect(bench.pool.node(0).state).toBe('idle');
  });

  test('error stays error, with its reason and its session', async () => {
    bench = await testPool();
    await reserve(bench.pool);
    bench.boards.board(0).faults.failLink = 'The bridge is silent.';
    await ended(bench.pool, await bench.pool.run(0, read(0), alice));
    const before = bench.pool.node(0);
    await restart();
    expect(bench.pool.node(0)).toMatchObject({
      state: 'error',
      error: before.error,
      session: before.session,
    });
    expect(await ended(bench.pool, await bench.pool.reset(0, alice))).toMatchObject({ status: 'complete' });
  });

  test('a session that expired while the service was away is reset, not restored', async () => {
    const clock = new FakeClock();
    bench = await testPool({ clock });
    const job = await reserve(bench.pool);
    clock.advance(3_599_000);
    await bench.stop();
    clock.advance(1_000);
    bench = await testPool({ clock, folder: bench.folder });
    expect(bench.pool.node(0).session).toBeNull();
    await until(() => bench.pool.node(0).state === 'idle');
    expect(bench.boards.board(0).programmed).not.toContain(job.build_id);
  });

  test('a session that has not expired yet expires at its time after the restart', async () => {
    const clock = new FakeClock();
    bench = await testPool({ clock });
    await reserve(bench.pool);
    await bench.stop();
    clock.advance(3_000_000);
    bench = await testPool({ clock, folder: bench.folder });
    await ended(bench.pool, bench.pool.jobs({})[0] as Job);
    expect(bench.pool.node(0).session).not.toBeNull();
    clock.advance(600_000);
    await until(() => bench.pool.node(0).state === 'idle');
  });

  test('a board that is away at the start is programmed when it comes', async () => {
    bench = await testPool();
    const job = await reserve(bench.pool);
    const boards = new FakeBoardPool();
    boards.board(0).present = false;
    await restart({ boards });
    expect(bench.pool.node(0)).toMatchObject({ state: 'reserved', board: { present: false } });
    boards.plug(0);
    await until(() => boards.board(0).buildId === job.build_id);
    expect((await ended(bench.pool, await bench.pool.run(0, read(0), alice))).ok).toBe(true);
  });

  test('a session whose bitstream is not there any more ends in error and says why', async () => {
    bench = await testPool();
    await reserve(bench.pool);
    await bench.stop();
    await rm(path.join(bench.folder, 'bitstreams'), { recursive: true });
    await restart();
    await until(() => bench.pool.node(0).state === 'error');
    expect(bench.pool.node(0).error).toMatchObject({ error: 'job_data_missing' });
  });

  test('ended jobs keep their results, logs, reports and order', async () => {
    bench = await testPool();
    const build = await reserve(bench.pool);
    await ended(
      bench.pool,
      await bench.pool.run(0, write(0, ...Array.from({ length: 500 }, (_, i) => i)), alice),
    );
    const runs = [];
    for (const count of [1, 64, 65, 500])
      runs.push(await ended(bench.pool, await bench.pool.run(0, read(0, count), alice)));
    const before = bench.pool.jobs({});
    const log = await logOf(build);
    await restart();
    expect(bench.pool.jobs({})).toEqual(before);
    for (const run of runs) {
      const { data } = await bench.pool.result(0, run.job_id);
      expect([...data]).toEqual(Array.from({ length: run.run?.count ?? 0 }, (_, i) => i));
    }
    expect((await logOf(build)).startsWith(log)).toBe(true);
    expect((await bench.pool.report(0, build.job_id)).build_id).toBe(build.build_id);
    const next = await bench.pool.run(0, read(0), alice);
    expect(bench.pool.jobs({})[0]?.job_id).toBe(next.job_id);
  });

  test('takes no more requests, and has ended everything', async () => {
    bench = await testPool();
    await reserve(bench.pool);
    await bench.stop();
    await expect(bench.pool.submit(1, design(), alice)).rejects.toMatchObject({ code: 'service_stopping' });
    await expect(bench.pool.run(0, read(0), alice)).rejects.toMatchObject({ code: 'service_stopping' });
    expect(bench.boards.board(0).openLinks).toBe(0);
  });

  test('a job that does not end when it is told to does not hold up the end', async () => {
    bench = await testPool();
    // Neither the toolchain nor the board listens to the signal.
    bench.toolchain.build = (_request, context) => {
      context.started?.();
      return new Promise<never>(() => {});
    };
    const job = await bench.pool.submit(0, design(), alice);
    await until(() => bench.pool.node(0).state === 'building');
    const began = performance.now();
    await restart();
    expect(performance.now() - began).toBeLessThan(5000);
    expect(bench.pool.job(0, job.job_id)).toMatchObject({ status: 'failed' });
    expect(bench.pool.node(0).state).toBe('idle');
  });
});

describe('damaged files', () => {
  const file = (name: string) => path.join(bench.folder, name);

  test('a store that is no JSON is set aside whole; histories are still there', async () => {
    bench = await testPool();
    const job = await reserve(bench.pool);
    await bench.stop();
    const damaged = (await readFile(file('bench.json'), 'utf8')).slice(0, 300);
    await writeFile(file('bench.json'), damaged);
    await restart();
    const [notice] = bench.store.notices;
    expect(notice?.message).toMatch(
      /^bench\.json cannot be read; .* It was set aside as bench\.json\.damaged-/,
    );
    expect(await readFile(file(notice?.kept ?? ''), 'utf8')).toBe(damaged);
    expect(bench.pool.nodes().every(({ state }) => state === 'idle')).toBe(true);
    expect(bench.pool.job(0, job.job_id).status).toBe('complete');
    await reserve(bench.pool);
  });

  test('records that can be read are kept when others cannot', async () => {
    bench = await testPool();
    await reserve(bench.pool, 4);
    await reserve(bench.pool, 5);
    await bench.stop();
    const text = await readFile(file('bench.json'), 'utf8');
    await writeFile(
      file('bench.json'),
      text.replace('"fpga_id":4,"state":"reserved"', '"fpga_id":4,"state":"melted"'),
    );
    await restart();
    expect(bench.store.notices[0]?.message).toContain('(node 4)');
    expect(bench.pool.node(4)).toMatchObject({ state: 'idle', session: null });
    expect(bench.pool.node(5)).toMatchObject({ state: 'reserved', session: { owner: 'alice' } });
  });

  test('a node whose state and job do not fit together is not stuck', async () => {
    bench = await testPool();
    await bench.stop();
    const text = await readFile(file('bench.json'), 'utf8');
    await writeFile(
      file('bench.json'),
      text.replace('"fpga_id":3,"state":"idle"', '"fpga_id":3,"state":"queued"'),
    );
    await restart();
    expect(bench.pool.node(3).state).toBe('idle');
    await reserve(bench.pool, 3);
  });

  test('a line of a history that cannot be read costs that line', async () => {
    bench = await testPool();
    await reserve(bench.pool);
    const runs: Job[] = [];
    for (let i = 0; i < 5; i++) runs.push(await ended(bench.pool, await bench.pool.run(0, read(0), alice)));
    await bench.stop();
    const lines = (await readFile(file('history/0.jsonl'), 'utf8')).split('\n');
    const spoiled = lines.map((line) =>
      line.includes(`"job_id":"${runs[2]?.job_id}"`) ? line.slice(5) : line,
    );
    await writeFile(file('history/0.jsonl'), spoiled.join('\n'));
    await restart();
    expect(bench.store.notices[0]?.message).toContain(
      'one record that cannot be read; the other 5 were kept',
    );
    expect(bench.pool.jobs({ fpgaId: 0 }).map(({ job_id }) => job_id)).not.toContain(runs[2]?.job_id);
    expect(bench.pool.jobs({ fpgaId: 0 })).toHaveLength(5);
    await restart();
    expect(bench.store.notices).toEqual([]);
  });

  test('a history that ends in the middle of a line is no damage', async () => {
    bench = await testPool();
    const job = await reserve(bench.pool);
    await bench.stop();
    await appendFile(file('history/0.jsonl'), '{"job":{"job_id":"3f');
    await restart();
    expect(bench.store.notices).toEqual([]);
    const run = await ended(bench.pool, await bench.pool.run(0, read(0), alice));
    await restart();
    expect(bench.store.notices).toEqual([]);
    expect(bench.pool.jobs({}).map(({ job_id }) => job_id)).toEqual([run.job_id, job.job_id]);
  });

  test('an empty store, as a full disk of another program may leave it, is set aside', async () => {
    bench = await testPool();
    await bench.stop();
    await truncate(file('bench.json'), 0);
    await restart();
    expect(bench.store.notices).toHaveLength(1);
    expect(bench.pool.nodes().every(({ state }) => state === 'idle')).toBe(true);
  });
});
