import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { hasEnded, type Job } from '../../../../server/contract/jobs/jobs.ts';
import { BenchError } from '../../../../server/errors/bench-error.ts';
import { FailingFiles } from '../../../support/failing-files.ts';
import { FakeBoardPool } from '../../../support/fake-board.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { FakeToolchain } from '../../../support/fake-toolchain.ts';
import { MemoryDisk, REMAINS } from '../../../support/memory-disk.ts';
import { seeded } from '../../../support/seeded.ts';
import {
  alice,
  bob,
  design,
  ended,
  reserve,
  type TestPool,
  type TestPoolOptions,
  testPool,
  until,
} from '../../../support/test-pool.ts';

/** Jobs that any node may take. */

const benches: TestPool[] = [];
async function start(options: TestPoolOptions = {}): Promise<TestPool> {
  const bench = await testPool(options);
  benches.push(bench);
  return bench;
}
afterEach(async () => {
  // Some share a folder: none is removed while another one writes.
  for (const bench of benches) await bench.stop();
  for (const bench of benches.splice(0)) await bench.dispose();
});

/** Boards in these slots only; the other nodes are idle and empty. */
function boardsIn(...slots: number[]): FakeBoardPool {
  const boards = new FakeBoardPool();
  for (const { slot } of boards.boards) if (!slots.includes(slot)) boards.unplug(slot);
  return boards;
}

const logOf = async ({ pool }: TestPool, jobId: string): Promise<string> => {
  const { read } = await pool.openLog(null, jobId);
  const chunks: Buffer[] = [];
  for await (const chunk of read(0, 4096)) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
};

describe('placement', () => {
  test('a job goes to an idle node through the normal states, under its id', async () => {
    const bench = await start({ boards: boardsIn(3) });
    const { pool } = bench;
    const accepted = await pool.submitToAny(design(), alice);
    expect(accepted).toMatchObject({
      fpga_id: null,
      status: 'queued',
      type: 'build_and_program',
      owner: 'alice',
    });
    const job = await pool.waitForEnd(accepted.job_id, 20);
    expect(job).toMatchObject({ job_id: accepted.job_id, fpga_id: 3, status: 'complete' });
    expect(job.created_at).toBe(accepted.created_at);
    expect(pool.node(3)).toMatchObject({ state: 'reserved', session: { owner: 'alice' } });
    const states = bench.events.flatMap((event) =>
      event.type === 'node' && event.node.fpga_id === 3 ? [event.node.state] : [],
    );
    expect([...new Set(states)]).toEqual(['queued', 'building', 'programming', 'reserved']);
    const log = await logOf(bench, accepted.job_id);
    expect(log).toContain('queue] waiting for an idle node\n');
    expect(log).toContain('queue] node 3 is idle: it takes the job after');
    expect((await pool.source(3, accepted.job_id)).source.toString()).toBe(design().source.toString());
    await until(() => bench.store.jobFiles.sizes.total > 0);
    expect(await bench.store.jobFiles.jobFolders(null)).toEqual([]);
  });

  test('the least recently used node is chosen, and none without its board', async () => {
    const clock = new FakeClock();
    const { pool } = await start({ boards: boardsIn(1, 4, 6), clock });
    for (const id of [4, 1, 6]) {
      await reserve(pool, id);
      clock.advance(1000);
      await ended(pool, await pool.release(id, alice));
      clock.advance(1000);
    }
    const taken: (number | null)[] = [];
    for (let n = 0; n < 3; n++) {
      const { job_id: jobId } = await pool.submitToAny(design(), alice);
      taken.push((await pool.waitForEnd(jobId, 20)).fpga_id);
    }
    expect(taken).toEqual([4, 1, 6]);
  });

  test('without an idle node jobs wait in order of acceptance; a connected board is an idle node', async () => {
    const { pool, boards } = await start({ boards: boardsIn() });
    const ids: string[] = [];
    for (let n = 0; n < 4; n++) ids.push((await pool.submitToAny(design(`a ${n}`), alice)).job_id);
    expect(pool.allJobs({}).map(({ job_id }) => job_id)).toEqual([...ids].reverse());
    expect(pool.allJobs({}).every(({ fpga_id, status }) => fpga_id === null && status === 'queued')).toBe(
      true,
    );
    expect(pool.nodes().every(({ state }) => state === 'idle')).toBe(true);
    boards.plug(8);
    for (const [n, id] of ids.entries()) {
      const job = await pool.waitForEnd(id, 20);
      expect(job).toMatchObject({ fpga_id: 8, status: 'complete' });
      for (const later of ids.slice(n + 1)) expect(pool.findJob(later).fpga_id).toBeNull();
      await pool.release(8, alice);
    }
  });

  test('routes of a node never show an unplaced job', async () => {
    const { pool } = await start({ boards: boardsIn() });
    const { job_id: jobId } = await pool.submitToAny(design(), alice);
    expect(pool.jobs({})).toEqual([]);
    for (let id = 0; id < 10; id++)
      expect(() => pool.job(id, jobId)).toThrowError(expect.objectContaining({ code: 'job_not_found' }));
    await expect(pool.cancel(0, jobId, alice)).rejects.toMatchObject({ code: 'job_not_found' });
  });
});

describe('a job that waits for one node', () => {
  /** Places in line of the jobs of the whole bench, in order of acceptance. */
  const line = (pool: TestPool['pool']) =>
    pool
      .allJobs({ statuses: ['queued'] })
      .reverse()
      .map(({ owner, waiting_for, place }) => [owner, waiting_for, place]);

  test('uses only that node, in order of acceptance among all jobs for it', async () => {
    const bench = await start({ boards: boardsIn(3) });
    const { pool, boards, events } = bench;
    await reserve(pool, 3);
    const first = await pool.submitToAny(design('1'), alice, 3);
    const any = await pool.submitToAny(design('2'), bob);
    const second = await pool.submitToAny(design('3'), bob, 3);
    const elsewhere = await pool.submitToAny(design('4'), alice, 5);
    expect(first).toMatchObject({ fpga_id: null, status: 'queued', waiting_for: 3, place: 1 });
    expect(line(pool)).toEqual([
      ['alice', 3, 1],
      ['bob', null, 1],
      ['bob', 3, 3],
      ['alice', 5, 2],
    ]);
    await pool.release(3, alice);
    expect(await pool.waitForEnd(first.job_id, 20)).toMatchObject({ fpga_id: 3, status: 'complete' });
    expect(pool.findJob(any.job_id).fpga_id).toBeNull();
    expect(line(pool)).toEqual([
      ['bob', null, 1],
      ['bob', 3, 2],
      ['alice', 5, 2],
    ]);
    // The others get their new places.
    await until(() =>
      events.some(
        (event) =>
          event.type === 'unplaced_job' && event.job.job_id === second.job_id && event.job.place === 2,
      ),
    );
    boards.plug(5);
    expect(await pool.waitForEnd(any.job_id, 20)).toMatchObject({ fpga_id: 5, status: 'complete' });
    await pool.release(3, alice);
    expect(await pool.waitForEnd(second.job_id, 20)).toMatchObject({ fpga_id: 3, status: 'complete' });
    expect(pool.findJob(elsewhere.job_id)).toMatchObject({ fpga_id: null, waiting_for: 5, place: 1 });
    const log = await logOf(bench, second.job_id);
    expect(log).toContain('queue] waiting for node 3\n');
    await pool.release(5, bob);
    expect(await pool.waitForEnd(elsewhere.job_id, 20)).toMatchObject({ fpga_id: 5, status: 'complete' });
    const placed = pool.job(5, elsewhere.job_id);
    expect(placed).not.toHaveProperty('waiting_for');
    expect(placed).not.toHaveProperty('place');
  });

  test('starts at once if the node is idle, and does not block jobs for any node', async () => {
    const { pool } = await start({ boards: boardsIn(1, 2) });
    await reserve(pool, 1);
    const waits = await pool.submitToAny(design('a'), alice, 1);
    const free = await pool.submitToAny(design('b'), alice, 2);
    expect(await pool.waitForEnd(free.job_id, 20)).toMatchObject({ fpga_id: 2, status: 'complete' });
    await pool.release(2, alice);
    const any = await pool.submitToAny(design('c'), bob);
    expect(await pool.waitForEnd(any.job_id, 20)).toMatchObject({ fpga_id: 2, status: 'complete' });
    expect(pool.findJob(waits.job_id)).toMatchObject({ status: 'queued', place: 1 });
  });

  test('survives a restart in its position, and can be cancelled', async () => {
    const first = await start({ boards: boardsIn(3) });
    await reserve(first.pool, 3);
    const one = await first.pool.submitToAny(design('a'), alice, 3);
    const two = await first.pool.submitToAny(design('b'), bob, 3);
    await first.stop();
    const second = await start({ boards: first.boards, folder: first.folder });
    expect(line(second.pool)).toEqual([
      ['alice', 3, 1],
      ['bob', 3, 2],
    ]);
    await second.pool.cancel(null, one.job_id, bob);
    expect(second.pool.findJob(one.job_id)).toMatchObject({
      status: 'cancelled',
      waiting_for: 3,
      place: null,
    });
    expect(second.pool.findJob(two.job_id).place).toBe(1);
    await second.pool.release(3, alice);
    expect(await second.pool.waitForEnd(two.job_id, 20)).toMatchObject({ fpga_id: 3, status: 'complete' });
  });
});

describe('a waiting job', () => {
  test('survives a restart, and is then placed', async () => {
    const first = await start({ boards: boardsIn() });
    const ids = [
      (await first.pool.submitToAny(design('a'), alice)).job_id,
      (await first.pool.submitToAny(design('b'), bob)).job_id,
    ];
    await first.stop();
    const second = await start({ boards: boardsIn(), folder: first.folder });
    expect(second.pool.allJobs({}).map(({ job_id, owner }) => [job_id, owner])).toEqual([
      [ids[1], 'bob'],
      [ids[0], 'alice'],
    ]);
    second.boards.plug(5);
    expect(await second.pool.waitForEnd(ids[0] ?? '', 20)).toMatchObject({ fpga_id: 5, status: 'complete' });
    await second.stop();
    const third = await start({ boards: boardsIn(5), folder: first.folder });
    expect(third.pool.findJob(ids[0] ?? '')).toMatchObject({ fpga_id: 5, status: 'complete' });
    expect(third.pool.findJob(ids[1] ?? '')).toMatchObject({ fpga_id: null, status: 'queued' });
    expect(third.store.notices).toEqual([]);
  });

  test('survives the loss of both bench.json generations, with owner, options and position', async () => {
    const first = await start({ boards: boardsIn() });
    const one = await first.pool.submitToAny({ ...design('a'), options: { addressing: 'word' } }, alice);
    const two = await first.pool.submitToAny(design('b'), bob);
    const three = await first.pool.submitToAny(design('c'), bob);
    await first.pool.cancel(null, two.job_id, bob);
    await first.stop();
    for (const name of ['bench.json', 'bench.previous.json'])
      await writeFile(path.join(first.folder, name), 'no longer what it was');
    const second = await start({ boards: boardsIn(), folder: first.folder });
    expect(second.store.notices).not.toEqual([]);
    expect(second.pool.allJobs({})).toMatchObject([
      { job_id: three.job_id, owner: 'bob', status: 'queued' },
      { job_id: one.job_id, owner: 'alice', submit: { options: { addressing: 'word' } } },
    ]);
    second.boards.plug(5);
    expect(await second.pool.waitForEnd(one.job_id, 20)).toMatchObject({ fpga_id: 5, status: 'complete' });
    expect((await second.pool.source(5, one.job_id)).source.toString()).toBe(design('a').source.toString());
    await second.pool.release(5, alice);
    expect(await second.pool.waitForEnd(three.job_id, 20)).toMatchObject({ fpga_id: 5, status: 'complete' });
  });

  test('can be cancelled, which survives a restart with its log and result', async () => {
    const bench = await start({ boards: boardsIn() });
    const { pool, folder } = bench;
    const { job_id: jobId } = await pool.submitToAny(design(), alice);
    await expect(pool.result(null, jobId)).rejects.toMatchObject({ code: 'job_not_complete' });
    const waiting = pool.waitForChange(jobId, 30);
    await pool.cancel(null, jobId, bob);
    expect(await waiting).toMatchObject({ fpga_id: null, status: 'cancelled' });
    const nothing = { code: 'job_not_cancellable', remedy: 'There is nothing to cancel.' };
    await expect(pool.cancel(null, jobId, bob)).rejects.toMatchObject(nothing);
    expect(await pool.result(null, jobId)).toEqual({ ok: false, data: new Uint32Array(0) });
    await bench.stop();
    const again = await start({ folder });
    expect(again.pool.findJob(jobId)).toMatchObject({ fpga_id: null, status: 'cancelled' });
    expect(await logOf(again, jobId)).toMatch(
      /^\[ {3}0\.000 queue\] waiting for an idle node\n\[ *[\d.]+ queue\] cancelled by bob before it started\n$/,
    );
    expect(again.pool.nodes().every(({ state }) => state === 'idle')).toBe(true);
  });

  test('cancelling a placed job acts on its node', async () => {
    const { pool } = await start({ boards: boardsIn(2), toolchain: new FakeToolchain({ slots: 0 }) });
    const { job_id: jobId } = await pool.submitToAny(design(), alice);
    await until(() => pool.findJob(jobId).fpga_id === 2);
    await pool.cancel(null, jobId, alice);
    expect(pool.job(2, jobId).status).toBe('cancelled');
    expect(pool.node(2).state).toBe('idle');
  });

  test('its log is followed from waiting to the end, without gaps or repetition', async () => {
    const bench = await start({ boards: boardsIn() });
    const { job_id: jobId } = await bench.pool.submitToAny(design(), alice);
    let text = '';
    const following = (async () => {
      for await (const chunk of bench.pool.followLog(null, jobId)) text += chunk.toString();
    })();
    await until(() => text.includes('waiting'));
    bench.boards.plug(0);
    await following;
    expect(text.match(/waiting for an idle node/g)).toHaveLength(1);
    expect(text.replace(/^\[ *[\d.]+/, '')).toBe((await logOf(bench, jobId)).replace(/^\[ *[\d.]+/, ''));
  });

  test('are limited for each owner and in total', async () => {
    const { pool } = await start({ boards: boardsIn(), settings: { unplaced: 5, unplacedPerOwner: 3 } });
    const answers = await Promise.allSettled(
      Array.from({ length: 20 }, () => pool.submitToAny(design(), alice)),
    );
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    for (const answer of answers)
      if (answer.status === 'rejected')
        expect(answer.reason).toMatchObject({ code: 'too_many_jobs', status: 429 });
    await pool.submitToAny(design(), bob);
    const { job_id: jobId } = await pool.submitToAny(design(), bob);
    const full = { code: 'queue_full', status: 503 };
    await expect(pool.submitToAny(design(), { owner: 'carol' })).rejects.toMatchObject(full);
    await pool.cancel(null, jobId, bob);
    await pool.submitToAny(design(), { owner: 'carol' });
  });

  test('only the newest cancelled ones are retained, up to the limit', async () => {
    const { pool, events } = await start({ boards: boardsIn(), settings: { jobsPerNode: 2 } });
    const ids: string[] = [];
    for (let n = 0; n < 4; n++) {
      ids.push((await pool.submitToAny(design(), alice)).job_id);
      await pool.cancel(null, ids[n] ?? '', alice);
    }
    expect(pool.allJobs({}).map(({ job_id }) => job_id)).toEqual([ids[3], ids[2]]);
    expect(events.flatMap((event) => (event.type === 'unplaced_job_removed' ? [event.job_id] : []))).toEqual(
      ids.slice(0, 2),
    );
  });

  test('stays queued when the disk refuses writes, and is retried', async () => {
    const clock = new FakeClock();
    const disk = new FailingFiles();
    const { pool, boards } = await start({ boards: boardsIn(), clock, files: disk.files });
    const { job_id: jobId } = await pool.submitToAny(design(), alice);
    disk.failing = 'sync';
    await expect(pool.submitToAny(design(), alice)).rejects.toMatchObject({ code: 'store_unavailable' });
    boards.plug(7);
    await until(() => clock.pending > 0);
    expect(pool.findJob(jobId).fpga_id).toBeNull();
    expect(pool.node(7).state).toBe('idle');
    disk.failing = null;
    await until(() => {
      clock.advance(1000);
      return pool.findJob(jobId).fpga_id === 7;
    });
    expect((await pool.waitForEnd(jobId, 20)).status).toBe('complete');
  });
});

type Action =
  | { do: 'submit'; owner: string; text: string }
  | { do: 'cancel'; which: number }
  | { do: 'release' | 'plug' | 'unplug' | 'take' | 'fault'; node: number }
  | { do: 'pause'; turns: number }
  | { do: 'restart' }
  | { do: 'crash'; remains: (typeof REMAINS)[number] };

const NODES = 3;
const node = fc.nat({ max: NODES - 1 });
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constant('submit' as const),
      owner: fc.constantFrom('alice', 'bob'),
      text: fc.constantFrom('a', 'b', 'fail-scan'),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('cancel' as const), which: fc.nat({ max: 9 }) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'release' as const,
        'release' as const,
        'release' as const,
        'plug' as const,
        'unplug' as const,
        'take' as const,
        'fault' as const,
      ),
      node,
    }),
  },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('pause' as const), turns: fc.nat({ max: 6 }) }) },
  { weight: 1, arbitrary: fc.constant({ do: 'restart' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('crash' as const), remains: fc.constantFrom(...REMAINS) }),
  },
);

/** Plays against a bench of three boards, whose power may go at any moment. */
async function play(actions: Action[], seed: number): Promise<void> {
  const folder = '/bench';
  let disk = new MemoryDisk(seeded(seed));
  let boards = boardsIn(0, 1, 2);
  let dark = false;
  const open = () =>
    testPool({ folder, files: disk.files, boards, toolchain: new FakeToolchain({ slots: 2 }) });
  let bench = await open();
  /** Acknowledged jobs, in the order of acceptance, and what was acknowledged of them. */
  const accepted = new Map<string, { cancelled: boolean }>();
  const order = new Map<string, number>();
  /** The node of every job that was seen with one. */
  const places = new Map<string, number>();
  const requests: Promise<unknown>[] = [];

  /** No job is placed twice, and none overtakes more jobs than there are nodes. */
  const look = () => {
    for (const event of bench.events.splice(0)) {
      if (event.type !== 'job' || !event.job.submit) continue;
      const { job_id: id, fpga_id: fpgaId } = event.job;
      const before = places.get(id);
      if (before !== undefined) expect([id, before]).toEqual([id, fpgaId]);
      places.set(id, fpgaId);
    }
    const waiting = bench.pool.unplacedJobs({ limit: 1000 }).filter(({ status }) => status === 'queued');
    const placed = [...places.keys()].map((id) => order.get(id) ?? -1);
    for (const { job_id: id } of waiting) {
      expect(places.has(id)).toBe(false);
      const mine = order.get(id);
      if (mine === undefined) continue;
      const overtaken = placed.filter((other) => other > mine).length;
      expect(overtaken).toBeLessThan(NODES);
    }
  };

  let asked = 0;
  for (const step of actions) {
    const { pool } = bench;
    const told = (done: () => void) => () => {
      // Without power, messages reach nobody.
      if (!dark) done();
    };
    const refused = (error: unknown) => {
      if (!(error instanceof BenchError)) throw error;
    };
    switch (step.do) {
      case 'submit': {
        const at = asked++;
        requests.push(
          pool.submitToAny(design(step.text), { owner: step.owner }).then((job) => {
            if (dark) return;
            accepted.set(job.job_id, { cancelled: false });
            order.set(job.job_id, at);
          }, refused),
        );
        break;
      }
      case 'cancel': {
        const id = [...accepted.keys()].at(-1 - step.which);
        if (id === undefined) break;
        requests.push(
          pool.cancel(null, id, alice).then(
            told(() => accepted.set(id, { cancelled: true })),
            refused,
          ),
        );
        break;
      }
      case 'release':
        requests.push(pool.release(step.node, alice).catch(refused));
        break;
      case 'take':
        requests.push(pool.submit(step.node, design('taken'), bob).catch(refused));
        break;
      case 'plug':
      case 'unplug':
        boards[step.do](step.node);
        break;
      case 'fault':
        boards.board(step.node).faults = { failProgram: 'asked for' };
        break;
      case 'pause':
        for (let i = 0; i < step.turns; i++) await new Promise((resolve) => setTimeout(resolve, 1));
        break;
      case 'restart':
        await bench.stop();
        look();
        bench = await open();
        break;
      case 'crash':
        look();
        dark = true;
        disk.cut();
        disk = disk.afterCut(step.remains);
        await bench.stop();
        await Promise.all(requests.splice(0));
        dark = false;
        boards = boardsIn(0, 1, 2);
        bench = await open();
    }
    look();
  }

  await Promise.all(requests);
  for (let id = 0; id < NODES; id++) {
    boards.board(id).faults = {};
    boards.plug(id);
  }
  const { pool } = bench;
  const open_ = () => pool.allJobs({ statuses: ['queued', 'running'] }).length;
  for (const end = performance.now() + 20_000; open_() > 0 && performance.now() < end; ) {
    for (let id = 0; id < NODES; id++) {
      const { state, resetting } = pool.node(id);
      if ((state === 'reserved' || state === 'error') && !resetting)
        await pool.reset(id, alice).catch(() => {});
    }
    await new Promise((resolve) => setTimeout(resolve, 2));
    look();
  }
  expect(pool.allJobs({ statuses: ['queued', 'running'] })).toEqual([]);
  for (const [id, { cancelled }] of accepted) {
    const job = pool.findJob(id);
    expect([id, hasEnded(job.status)]).toEqual([id, true]);
    if (cancelled) expect([id, job.status]).toEqual([id, 'cancelled']);
    if (job.status === 'failed') expect(job.fpga_id).not.toBeNull();
  }
  // A remaining record would come back once the job's own is removed.
  const waiting = pool.unplacedJobs({ limit: 1000 }).map(({ job_id }) => job_id);
  expect([...bench.store.bench.unplaced.keys()].sort()).toEqual(waiting.sort());
  const known: Job[] = pool.jobs({});
  expect(new Set(known.map(({ job_id }) => job_id)).size).toBe(known.length);
  await bench.stop();
}

test('under random actions no job is lost or placed twice, and the order holds', async () => {
  await fc.assert(fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 50 }), fc.nat(), play), {
    numRuns: Number(process.env['WISHBENCH_CHAOS_RUNS'] ?? 15),
    endOnFailure: true,
  });
}, 600_000);
