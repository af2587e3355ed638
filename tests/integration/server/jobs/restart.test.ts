import { appendFile, mkdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Job } from '../../../../server/contract/jobs/jobs.ts';
import { FakeBoardPool } from '../../../support/fake-board.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { FakeToolchain } from '../../../support/fake-toolchain.ts';
import { runningTime } from '../../../support/running-time.ts';
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
} from '../../../support/test-pool.ts';

let bench: TestPool;
afterEach(() => bench.dispose());

/** Ends the service cleanly and starts it on the same directory with boards that have lost everything. */
async function restart(options: TestPoolOptions = {}): Promise<void> {
  await bench.stop();
  bench = await testPool({ ...options, folder: bench.folder });
}

const logOf = async ({ fpga_id, job_id }: Job) => (await bench.pool.readLog(fpga_id, job_id)).toString();

describe('a clean shutdown', () => {
  test('a reserved node retains its session, its board is reprogrammed, and waiting runs still run', async () => {
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

  test('a queued build keeps waiting and is built after the restart', async () => {
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

  test('running work fails with a code and a log line, and releases its nodes', async () => {
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
    const ranFor = await runningTime();
    await restart();
    expect(ranFor()).toBeLessThan(5000);

    for (const job of [building, programming, running]) {
      const now = bench.pool.job(job.fpga_id, job.job_id);
      expect(now).toMatchObject({ status: 'failed', failure: { error: 'service_stopped' } });
      expect(await logOf(now)).toContain('error: The service stopped while this job was running.');
    }
    expect(bench.pool.node(0).state).toBe('idle');
    // Its board was half programmed: the service resets it by itself.
    await until(() => bench.pool.node(1).state === 'idle');
    expect(bench.boards.board(1).buildId).toMatch(/^0{64}$/);
    expect(bench.pool.node(2).state).toBe('reserved');
    expect(await ended(bench.pool, behind)).toMatchObject({ status: 'complete', ok: true });
    expect(bench.boards.board(2).writes).toEqual([{ address: 4, word: 2 }]);
  });

  test('an interrupted reset is repeated, and its user is not restored', async () => {
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

  test('a node in error stays in error, with its reason and its session', async () => {
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

  test('a session that expired during downtime is reset, not restored', async () => {
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

  test('an unexpired session expires at its time after the restart', async () => {
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

  test('a board absent at the start is programmed when it is connected', async () => {
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

  for (const hangs of ['hangProgram', 'hangLink'] as const)
    test(`a reset does not wait for a board being restored (${hangs})`, async () => {
      bench = await testPool();
      const job = await reserve(bench.pool);
      const boards = new FakeBoardPool();
      const board = boards.board(0);
      board.faults[hangs] = true;
      await restart({ boards });
      await until(() => board.busy && (hangs === 'hangProgram' || board.openLinks > 0));
      board.faults = {};
      const reset = await ended(bench.pool, await bench.pool.release(0, alice));
      expect(reset).toMatchObject({ status: 'complete' });
      expect(bench.pool.node(0)).toMatchObject({ state: 'idle', session: null, error: null });
      expect(board.buildId).toMatch(/^0{64}$/);
      expect(await logOf(job)).toContain('stopped: the node is being reset');
      expect(bench.pool.activity(0, 9).map(({ kind }) => kind)).not.toContain('restored');
    });

  test('a reset waits until a board has aborted its restoration', async () => {
    bench = await testPool();
    await reserve(bench.pool);
    const boards = new FakeBoardPool();
    const board = boards.board(0);
    let notice = () => {};
    board.faults = {
      hangProgram: true,
      endsLate: new Promise((resolve) => {
        notice = resolve;
      }),
    };
    await restart({ boards });
    await until(() => board.busy);
    board.faults = {};
    const release = await bench.pool.release(0, alice);
    await until(() => bench.pool.job(0, release.job_id).status === 'running');
    notice();
    expect(await ended(bench.pool, release)).toMatchObject({ status: 'complete' });
    expect(bench.pool.node(0)).toMatchObject({ state: 'idle', error: null });
  });

  test('a session whose bitstream is missing ends in error with a reason', async () => {
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

  test('refuses new requests, and has ended all work', async () => {
    bench = await testPool();
    await reserve(bench.pool);
    await bench.stop();
    await expect(bench.pool.submit(1, design(), alice)).rejects.toMatchObject({ code: 'service_stopping' });
    await expect(bench.pool.run(0, read(0), alice)).rejects.toMatchObject({ code: 'service_stopping' });
    expect(bench.boards.board(0).openLinks).toBe(0);
  });

  test('a job that ignores its abort signal does not delay shutdown', async () => {
    bench = await testPool();
    // Neither the toolchain nor the board listens to the signal.
    bench.toolchain.build = (_request, context) => {
      context.started?.();
      return new Promise<never>(() => {});
    };
    const job = await bench.pool.submit(0, design(), alice);
    await until(() => bench.pool.node(0).state === 'building');
    const ranFor = await runningTime();
    await restart();
    expect(ranFor()).toBeLessThan(5000);
    expect(bench.pool.job(0, job.job_id)).toMatchObject({ status: 'failed' });
    expect(bench.pool.node(0).state).toBe('idle');
  });
});

describe('damaged files', () => {
  const file = (name: string) => path.join(bench.folder, name);

  const session = (fpgaId: number) => bench.pool.node(fpgaId).session?.session_id;

  test('a truncated store is set aside whole, and its previous generation supplies the lost records', async () => {
    bench = await testPool();
    const job = await reserve(bench.pool, 8);
    const held = session(8);
    await bench.stop();
    const damaged = (await readFile(file('bench.json'), 'utf8')).slice(0, 300);
    await writeFile(file('bench.json'), damaged);
    await restart();
    const [notice] = bench.store.notices;
    expect(notice?.message).toMatch(
      /^bench\.json holds records that cannot be read \(.*node 8.*these were taken from its previous generation: .*node 8.*It was set aside as bench\.json\.damaged-/,
    );
    expect(await readFile(file(notice?.kept ?? ''), 'utf8')).toBe(damaged);
    expect(bench.pool.node(8)).toMatchObject({ state: 'reserved', session: { session_id: held } });
    expect(bench.pool.job(8, job.job_id).status).toBe('complete');
    await reserve(bench.pool);
  });

  test('any single broken byte loses no session and no queued job', async () => {
    bench = await testPool({ toolchain: new FakeToolchain({ slots: 1 }) });
    await reserve(bench.pool, 4);
    const held = session(4);
    await bench.pool.submit(0, design('hang-place'), alice);
    await until(() => bench.pool.node(0).state === 'building');
    const waiting = await bench.pool.submit(6, design('waits'), bob);
    await bench.stop();
    const text = await readFile(file('bench.json'));
    const { parseBench } = await import('../../../../server/store/bench-data.ts');
    const previous = await readFile(file('bench.previous.json'), 'utf8');
    for (let at = 0; at < text.length; at += 7) {
      const broken = Buffer.from(text);
      broken[at] = 0x07;
      const parsed = parseBench(broken.toString('utf8'), previous);
      if (parsed.kind !== 'whole' && parsed.kind !== 'partial') throw new Error(`byte ${at}: ${parsed.kind}`);
      // A byte inside a name or a text is no damage that anybody can see.
      const node = parsed.data.nodes[4];
      expect(node?.state, `byte ${at}`).toBe('reserved');
      if (parsed.kind === 'partial') expect(node?.session?.session_id).toBe(held);
      // A job that has ended since may be in the earlier generation; its history wins.
      expect(parsed.data.jobs.has(waiting.job_id) || parsed.kind === 'whole', `byte ${at}`).toBe(true);
    }
    const one = Buffer.from(text);
    one[text.indexOf(waiting.job_id) - 9] = 0x07;
    await writeFile(file('bench.json'), one);
    await restart();
    expect(bench.store.notices[0]?.message).toContain('(1 of its jobs)');
    expect(bench.pool.node(4)).toMatchObject({ state: 'reserved', session: { session_id: held } });
    expect(await ended(bench.pool, waiting)).toMatchObject({ status: 'complete', owner: 'bob' });
  });

  test('without a previous generation only the malformed record is lost', async () => {
    bench = await testPool();
    await reserve(bench.pool, 4);
    await reserve(bench.pool, 5);
    await bench.stop();
    const text = await readFile(file('bench.json'), 'utf8');
    await writeFile(
      file('bench.json'),
      text.replace('"fpga_id":4,"state":"reserved"', '"fpga_id":4,"state":"melted"'),
    );
    await rm(file('bench.previous.json'));
    await restart();
    expect(bench.store.notices[0]?.message).toContain('(node 4)');
    expect(bench.pool.node(4)).toMatchObject({ state: 'idle', session: null });
    expect(bench.pool.node(5)).toMatchObject({ state: 'reserved', session: { owner: 'alice' } });
  });

  test('a missing store with existing histories is reported, and its previous generation is used', async () => {
    bench = await testPool();
    await reserve(bench.pool, 3);
    const held = session(3);
    await bench.stop();
    await rm(file('bench.json'));
    await restart();
    expect(bench.store.notices[0]?.message).toBe('bench.json is missing; its previous generation is used.');
    expect(bench.pool.node(3)).toMatchObject({ state: 'reserved', session: { session_id: held } });
    await bench.stop();
    for (const name of ['bench.json', 'bench.previous.json']) await rm(file(name));
    await restart();
    expect(bench.store.notices[0]?.message).toBe('bench.json is missing; the bench starts without it.');
  });

  test('damage never replaces the previous generation', async () => {
    bench = await testPool();
    await reserve(bench.pool, 3);
    await bench.stop();
    const before = await readFile(file('bench.previous.json'), 'utf8');
    await writeFile(file('bench.json'), 'no longer what it was');
    bench = await testPool({ folder: bench.folder });
    expect(await readFile(file('bench.previous.json'), 'utf8')).not.toContain('no longer');
    expect(before).toContain('reserved');
    await bench.stop();
    expect(await readFile(file('bench.previous.json'), 'utf8')).toContain('reserved');
  });

  test('a node whose state contradicts its jobs is not stuck', async () => {
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

  /** Jobs of every kind on node 0; what they were, by id. */
  async function jobsOfEveryKind(): Promise<Map<string, Job>> {
    bench = await testPool();
    const { pool } = bench;
    const jobs = [await ended(pool, await pool.submit(0, design('fail-place'), bob)), await reserve(pool)];
    const words = Array.from({ length: 70 }, (_, i) => i);
    for (const run of [write(16, 7), read(16, 2), write(0, ...words), read(0, 70), read(0x8000_0000)])
      jobs.push(await ended(pool, await pool.run(0, run, alice)));
    jobs.push(await ended(pool, await pool.release(0, alice)));
    await bench.stop();
    return new Map(jobs.map((job) => [job.job_id, job]));
  }

  const DAMAGES: [string, (history: string) => Promise<void>][] = [
    ['is empty', (history) => truncate(history, 0)],
    ['is cut in its first line', (history) => truncate(history, 40)],
    ['is missing', (history) => rm(history)],
    ['has lost its last lines', (history) => truncate(history, 700)],
    [
      'has a line that cannot be read',
      async (history) => {
        const lines = (await readFile(history, 'utf8')).split('\n');
        const record = lines.filter((line) => line.startsWith('{"job"'))[5];
        await writeFile(history, lines.map((line) => (line === record ? line.slice(5) : line)).join('\n'));
      },
    ],
  ];

  for (const [damage, spoil] of DAMAGES)
    test(`a history that ${damage} is rebuilt from its job folders, and nothing is removed`, async () => {
      const before = await jobsOfEveryKind();
      await spoil(file('history/0.jsonl'));
      const stray = file('jobs/4/00000000-0000-4000-8000-000000000000');
      await mkdir(stray, { recursive: true });
      await writeFile(path.join(stray, 'source'), 'of a request that was under way');
      await restart();
      const messages = bench.store.notices.map(({ message }) => message).join('\n');
      expect(messages).toMatch(/history\/0\.jsonl has fewer jobs than the job folders/);
      const jobs = bench.pool.jobs({ fpgaId: 0 });
      expect(jobs.map(({ job_id }) => job_id).sort()).toEqual([...before.keys()].sort());
      for (const job of jobs) {
        const was = before.get(job.job_id);
        const told = ({ type, status, ok, submit, run, build_id }: Job) => ({
          type,
          status,
          ok,
          filename: submit?.filename,
          run: status === 'complete' && ok ? run : undefined,
          build_id,
        });
        expect(told(job)).toEqual(told(was as Job));
        expect(await logOf(job)).not.toBe('');
        expect(await bench.pool.result(0, job.job_id)).toBeDefined();
      }
      await bench.stop();
      expect(await readFile(path.join(stray, 'source'), 'utf8')).toContain('under way');
      // From then on it is a history like any other.
      await restart();
      expect(bench.store.notices).toEqual([]);
      expect(bench.pool.jobs({ fpgaId: 0 })).toEqual(jobs);
    });

  test('a history with a truncated last line is no damage', async () => {
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

  test('an empty store, as after a full disk, is set aside', async () => {
    bench = await testPool();
    await bench.stop();
    await truncate(file('bench.json'), 0);
    await restart();
    expect(bench.store.notices).toHaveLength(1);
    expect(bench.pool.nodes().every(({ state }) => state === 'idle')).toBe(true);
  });

  for (const name of ['bench.json', 'history/3.jsonl', 'settings.json'])
    test(`a folder in place of ${name} yields one sentence at the start, not a stack`, async () => {
      bench = await testPool();
      await bench.stop();
      await rm(file(name), { force: true });
      await mkdir(file(name));
      const opening = testPool({ folder: bench.folder }).then(({ store, stop }) =>
        store.document('settings', {}, (value): value is object => typeof value === 'object').finally(stop),
      );
      await expect(opening).rejects.toMatchObject({
        code: 'store_unreadable',
        message: expect.stringMatching(/ in the data directory cannot be read: /),
      });
    });

  test('a directory or damaged file in place of a job file reads as missing', async () => {
    bench = await testPool();
    const job = await reserve(bench.pool);
    const many = await ended(bench.pool, await bench.pool.run(0, read(0, 100), alice));
    for (const name of [`jobs/0/${job.job_id}/report.json`, `jobs/0/${many.job_id}/result`]) {
      await rm(file(name));
      await mkdir(file(name));
    }
    await expect(bench.pool.report(0, job.job_id)).rejects.toMatchObject({ code: 'no_build_report' });
    await expect(bench.pool.result(0, many.job_id)).rejects.toMatchObject({ code: 'job_data_missing' });
    await rm(file(`jobs/0/${job.job_id}/report.json`), { recursive: true });
    for (const damage of ['', '{"build_id":', '[]', '{"diagnostics":7}', '\u0000'.repeat(300)]) {
      await writeFile(file(`jobs/0/${job.job_id}/report.json`), damage);
      await expect(bench.pool.report(0, job.job_id)).rejects.toMatchObject({ code: 'no_build_report' });
    }
  });
});
