import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { FakeBoardPool } from '../fake-board.ts';
import { FakeToolchain } from '../fake-toolchain.ts';
import { MemoryDisk, REMAINS } from '../memory-disk.ts';
import { testPool } from '../test-pool.ts';
import { type CrashReport, keepBusy } from './busy-nodes.ts';
import { Ledger, type Survival } from './survival.ts';

/** Runs the service in a process of its own and kills it after this many accepted requests. */
async function killed(folder: string, round: number, requests: number): Promise<CrashReport[]> {
  const child = spawn(
    process.execPath,
    ['tests/support/run-typescript.mjs', 'tests/support/jobs/crash-child.ts', folder, String(round)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const exit = once(child, 'exit');
  const reports: CrashReport[] = [];
  let accepted = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    // The last line may be torn: it does not count.
    if (!line.endsWith('}')) break;
    const report = JSON.parse(line) as CrashReport;
    reports.push(report);
    if (report.type === 'accepted' && ++accepted === requests)
      setTimeout(() => child.kill('SIGKILL'), Math.random() * 20);
  }
  const [code, signal] = await exit;
  if (signal !== 'SIGKILL') throw new Error(`the service ended by itself: ${code}`);
  return reports;
}

/** Jobs that are checked after every end of the service. */
const LOOKED_AT = 2000;

/** Kills a service at random moments, with one data directory for all rounds. */
export async function killRounds(
  folder: string,
  rounds: number,
  until = Number.POSITIVE_INFINITY,
): Promise<Survival> {
  const ledger = new Ledger();
  for (let round = 1; round <= rounds && performance.now() < until; round++) {
    ledger.hear(await killed(folder, round, Math.ceil(20 + Math.random() * 500)));
    const bench = await testPool({ folder, settings: { jobsPerNode: 1e6 } });
    await ledger.check(bench);
    await bench.stop();
    ledger.forget(LOOKED_AT);
  }
  return ledger.conclude();
}

/**
 * Cuts the power of a service at random moments, on a disk in memory, which then loses all or part of what was not
 * durable.
 */
export async function cutRounds(
  rounds: number,
  random: () => number,
  until = Number.POSITIVE_INFINITY,
): Promise<Survival> {
  const ledger = new Ledger();
  const folder = '/bench';
  const settings = { jobsPerNode: 40 };
  let disk = new MemoryDisk(random);
  for (let round = 1; round <= rounds && performance.now() < until; round++) {
    const boards = new FakeBoardPool();
    const toolchain = new FakeToolchain({ slots: 3, stageMs: 1 });
    const reports: CrashReport[] = [];
    let dark = false;
    const bench = await testPool({ folder, files: disk.files, boards, toolchain, settings });
    const ended = keepBusy({
      pool: bench.pool,
      boards,
      round,
      // Without power, messages reach nobody.
      say: (report) => dark || reports.push(report),
    }).catch(() => {});
    const [steps, end] = [50 + Math.floor(random() * 1500), performance.now() + 20_000];
    for (const began = disk.steps; disk.steps - began < steps && performance.now() < end; )
      await new Promise((resolve) => setTimeout(resolve, 1));
    dark = true;
    disk.cut();
    disk = disk.afterCut(REMAINS[round % REMAINS.length] ?? 'nothing');
    await bench.stop();
    void ended;
    ledger.hear(reports);
    ledger.forget(100);
    const again = await testPool({ folder, files: disk.files, settings: { jobsPerNode: 1e6 } });
    await ledger.check(again);
    await again.stop();
    disk = disk.afterCut('everything');
  }
  return ledger.conclude();
}
