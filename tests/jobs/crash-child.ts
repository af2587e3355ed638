import { writeSync } from 'node:fs';
import type { Job } from '../../server/contract/jobs.ts';
import { FakeBoardPool } from '../support/fake-board.ts';
import { FakeToolchain } from '../support/fake-toolchain.ts';
import { alice, design, ended, read, testPool, until, write } from '../support/test-pool.ts';

/** What the parent is told of; a line is in the pipe before anything else happens. */
export type CrashReport =
  | { type: 'ready' }
  /** A request was acknowledged; `word` is what a write run writes, a different one each time. */
  | { type: 'accepted'; fpga: number; job: string; kind: Job['type']; word: number | null }
  | { type: 'cancelled'; fpga: number; job: string }
  /** The job was seen ended, with this result. */
  | { type: 'ended'; fpga: number; job: string; status: Job['status']; result: number[] }
  /** The node was seen reserved by this session. */
  | { type: 'session'; fpga: number; session: string }
  /** A release is about to be asked for: the session may be gone from now on. */
  | { type: 'releasing'; fpga: number }
  /** A word is about to be written to a board. */
  | { type: 'written'; word: number };

/** Keeps ten nodes busy until it is killed: arguments are the data directory and a number for this round. */
export default async function main([folder = '', round = '0']: string[]): Promise<void> {
  const say = (report: CrashReport) => writeSync(1, `${JSON.stringify(report)}\n`);
  const boards = new FakeBoardPool();
  for (const board of boards.boards) board.onWrite = (_address, word) => say({ type: 'written', word });
  const toolchain = new FakeToolchain({ slots: 3, stageMs: 1 });
  const { pool } = await testPool({ folder, boards, toolchain, settings: { jobsPerNode: 1e6 } });
  say({ type: 'ready' });

  let words = Number(round) * 1e6;
  const accepted = (job: Job, word: number | null = null) => {
    say({ type: 'accepted', fpga: job.fpga_id, job: job.job_id, kind: job.type, word });
    return job;
  };
  const watch = async (job: Job) => {
    const { status } = await ended(pool, job);
    const { data } = await pool.result(job.fpga_id, job.job_id);
    say({ type: 'ended', fpga: job.fpga_id, job: job.job_id, status, result: [...data] });
  };

  const drive = async (fpga: number) => {
    for (let n = 0; ; n++) {
      await until(
        () => !pool.node(fpga).resetting && /idle|reserved/.test(pool.node(fpga).state),
        'rest',
        60,
      );
      if (pool.node(fpga).state === 'idle') {
        const build = accepted(
          await pool.submit(fpga, design(`design ${n % 3}${n % 5 ? '' : ' fail-place'}`), alice),
        );
        if (n % 4 === 0) {
          const gone = await pool.cancel(fpga, build.job_id, alice).then(
            () => true,
            () => false,
          );
          if (gone) say({ type: 'cancelled', fpga, job: build.job_id });
        }
        await watch(build);
        continue;
      }
      const session = pool.node(fpga).session?.session_id;
      if (session) say({ type: 'session', fpga, session });
      const runs = await Promise.all(
        Array.from({ length: 1 + ((n * 7) % 12) }, async () => {
          const word = ++words;
          return accepted(await pool.run(fpga, write(4 * (word % 1000), word), alice), word);
        }),
      );
      const last = runs.at(-1) as Job;
      const gone = await pool.cancel(fpga, last.job_id, alice).then(
        () => true,
        () => false,
      );
      if (gone) say({ type: 'cancelled', fpga, job: last.job_id });
      const many = accepted(await pool.run(fpga, read(0, n % 2 ? 10 : 200), alice));
      await Promise.all([...runs, many].map(watch));
      if (n % 3 === 2) {
        say({ type: 'releasing', fpga });
        const reset = accepted(await pool.release(fpga, alice));
        if (n % 2) await watch(reset);
      }
    }
  };
  await Promise.all(Array.from({ length: 10 }, (_, fpga) => drive(fpga)));
}
