import { hasEnded, type Job } from '../../../server/contract/jobs/jobs.ts';
import { BenchError } from '../../../server/errors/bench-error.ts';
import type { NodePool } from '../../../server/jobs/node-pool.ts';
import type { FakeBoardPool } from '../fake-board.ts';
import { alice, design, ended, read, until, write } from '../test-pool.ts';

/** A report to the parent; a line is in the pipe before the next action. */
export type CrashReport =
  | { type: 'ready' }
  /** A request was acknowledged, for any node where there is none; `word` is what a write run writes, a different one each time. */
  | { type: 'accepted'; fpga: number | null; job: string; kind: Job['type']; word: number | null }
  | { type: 'cancelled'; fpga: number | null; job: string }
  /** The job was seen ended, with this result and this log. */
  | { type: 'ended'; fpga: number; job: string; status: Job['status']; result: number[]; log: string }
  /** The node was seen reserved by this session. */
  | { type: 'session'; fpga: number; session: string }
  /** A release is about to be requested: the session may be gone from now on. */
  | { type: 'releasing'; fpga: number }
  /** The session may be another one from now on; there is always one. */
  | { type: 'replacing'; fpga: number }
  /** A word is about to be written to a board. */
  | { type: 'written'; word: number };

export interface BusyOptions {
  pool: NodePool;
  boards: FakeBoardPool;
  /** Distinguishes the words of one start of the service from those of others. */
  round: number;
  say(report: CrashReport): void;
}

/** Keeps ten nodes busy with all kinds of requests, and reports every acknowledgement. Ends only by an error. */
export async function keepBusy({ pool, boards, round, say }: BusyOptions): Promise<void> {
  for (const board of boards.boards) board.onWrite = (_address, word) => say({ type: 'written', word });
  say({ type: 'ready' });

  let words = round * 1e6;
  const accepted = (job: Job, word: number | null = null) => {
    say({ type: 'accepted', fpga: job.fpga_id, job: job.job_id, kind: job.type, word });
    return job;
  };
  const watch = async (job: Job) => {
    const { status } = await ended(pool, job);
    const { data } = await pool.result(job.fpga_id, job.job_id);
    const log = (await pool.readLog(job.fpga_id, job.job_id)).toString();
    say({ type: 'ended', fpga: job.fpga_id, job: job.job_id, status, result: [...data], log });
  };

  const drive = async (fpga: number) => {
    for (let n = 0; ; n++) {
      await until(
        () => !pool.node(fpga).resetting && /idle|reserved/.test(pool.node(fpga).state),
        'rest',
        60,
      );
      if (pool.node(fpga).state === 'idle') {
        const source = design(`design ${n % 3}${n % 5 ? '' : ' fail-place'}`);
        const submitted = await pool.submit(fpga, source, alice).catch((error: unknown) => {
          // A job that waited for any node was faster.
          if (error instanceof BenchError && error.code === 'fpga_not_idle') return null;
          throw error;
        });
        if (!submitted) {
          // The request is still on its way to the node: it needs a turn of the event loop.
          await new Promise(setImmediate);
          continue;
        }
        const build = accepted(submitted);
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
      if (n % 3 === 1) {
        say({ type: 'replacing', fpga });
        const next = design(`next ${n % 4}${n % 2 ? '' : ' fail-place'}`);
        const build = accepted(await pool.replace(fpga, next, alice));
        const beside = accepted(await pool.run(fpga, read(0, 3), alice).catch(() => build));
        await Promise.all([...new Set([build, beside])].map(watch));
      }
      if (n % 3 === 2) {
        say({ type: 'releasing', fpga });
        const reset = accepted(await pool.release(fpga, alice));
        if (n % 2) await watch(reset);
      }
    }
  };
  /** Jobs for any node: a few wait at every moment, some are cancelled. */
  const driveUnplaced = async () => {
    for (let n = 0; ; n++) {
      const { job_id: job } = await pool.submitToAny(design(`any ${n % 3}`), alice);
      say({ type: 'accepted', fpga: null, job, kind: 'build_and_program', word: null });
      if (n % 8 === 1) {
        const gone = await pool.cancel(null, job, alice).then(
          () => true,
          () => false,
        );
        if (gone) say({ type: 'cancelled', fpga: null, job });
      }
      await until(() => hasEnded(pool.findJob(job).status), 'the end of a job for any node', 60);
      const { fpga_id: fpga, status } = pool.findJob(job);
      if (fpga === null) continue;
      const log = (await pool.readLog(fpga, job)).toString();
      say({ type: 'ended', fpga, job, status, result: [], log });
    }
  };
  await Promise.all([
    ...Array.from({ length: 10 }, (_, fpga) => drive(fpga)),
    ...Array.from({ length: 4 }, driveUnplaced),
  ]);
}
