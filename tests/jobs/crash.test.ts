import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JobStatus } from '../../server/contract/jobs.ts';
import { temporaryFolder, testPool, until } from '../support/test-pool.ts';
import type { CrashReport } from './crash-child.ts';

const ROUNDS = 8;

let folder: string;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs the service in a process of its own and kills it when it has accepted so many requests. */
async function killed(round: number, requests: number): Promise<CrashReport[]> {
  const child = spawn(
    process.execPath,
    ['tests/support/run-typescript.mjs', 'tests/jobs/crash-child.ts', folder, String(round)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const exit = once(child, 'exit');
  const reports: CrashReport[] = [];
  let accepted = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    // The last line may be torn: what it says was not said.
    if (!line.endsWith('}')) break;
    const report = JSON.parse(line) as CrashReport;
    reports.push(report);
    if (report.type === 'accepted' && ++accepted === requests)
      setTimeout(() => child.kill('SIGKILL'), Math.random() * 20);
  }
  const [code, signal] = await exit;
  expect({ code, signal }).toEqual({ code: null, signal: 'SIGKILL' });
  return reports;
}

test('killed at random moments, the service loses nothing that it has acknowledged and does nothing twice', async () => {
  const words = new Map<string, number>();
  const known = new Map<string, { fpga: number; status: JobStatus | null; result: number[] | null }>();
  const written: number[] = [];
  let acknowledged = 0;

  for (let round = 1; round <= ROUNDS; round++) {
    const reports = await killed(round, Math.ceil(20 + Math.random() * 500));
    const sessions = new Map<number, string>();
    for (const report of reports) {
      switch (report.type) {
        case 'accepted':
          acknowledged++;
          known.set(report.job, { fpga: report.fpga, status: null, result: null });
          if (report.word !== null) words.set(report.job, report.word);
          break;
        case 'cancelled':
          acknowledged++;
          known.set(report.job, { fpga: report.fpga, status: 'cancelled', result: [] });
          break;
        case 'ended':
          known.set(report.job, { fpga: report.fpga, status: report.status, result: report.result });
          break;
        case 'session':
          sessions.set(report.fpga, report.session);
          break;
        case 'releasing':
          sessions.delete(report.fpga);
          break;
        case 'written':
          written.push(report.word);
          break;
        case 'ready':
      }
    }

    const bench = await testPool({ folder, settings: { jobsPerNode: 1e6 } });
    const { pool, store, boards } = bench;
    expect(store.notices).toEqual([]);
    for (const [fpga, session] of sessions)
      expect(pool.node(fpga)).toMatchObject({ state: 'reserved', session: { session_id: session } });
    await until(
      () =>
        pool.jobs({ statuses: ['queued', 'running'] }).length === 0 &&
        pool.nodes().every(({ state, resetting }) => !resetting && /idle|reserved/.test(state)),
      'every node at rest, every job ended',
    );
    for (const board of boards.boards) written.push(...board.writes.map(({ word }) => word));

    for (const [jobId, before] of known) {
      const job = pool.job(before.fpga, jobId);
      const { data } = await pool.result(before.fpga, jobId);
      if (before.status === null) known.set(jobId, { ...before, status: job.status, result: [...data] });
      else
        expect({ status: job.status, result: [...data] }).toEqual({
          status: before.status,
          result: before.result,
        });
      expect(['complete', 'failed', 'cancelled']).toContain(job.status);
    }
    await bench.stop();
  }

  expect(new Set(written).size).toBe(written.length);
  const done = new Set(written);
  for (const [jobId, word] of words) {
    const status = known.get(jobId)?.status;
    if (status === 'complete') expect(done.has(word)).toBe(true);
    if (status === 'cancelled') expect(done.has(word)).toBe(false);
  }
  expect(acknowledged).toBeGreaterThan(20 * ROUNDS);
}, 120_000);
