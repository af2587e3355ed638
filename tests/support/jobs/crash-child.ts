import { writeSync } from 'node:fs';
import { FakeBoardPool } from '../fake-board.ts';
import { FakeToolchain } from '../fake-toolchain.ts';
import { testPool } from '../test-pool.ts';
import { type CrashReport, keepBusy } from './busy-nodes.ts';

/** Keeps ten nodes busy until it is killed: arguments are the data directory and a number for this round. */
export default async function main([folder = '', round = '0']: string[]): Promise<void> {
  const say = (report: CrashReport) => {
    let line = Buffer.from(`${JSON.stringify(report)}\n`);
    // The pipe is full while the parent is busy; a report is in it before the next action.
    while (line.length > 0) line = line.subarray(written(line));
  };
  const boards = new FakeBoardPool();
  const toolchain = new FakeToolchain({ slots: 3, stageMs: 1 });
  const { pool } = await testPool({ folder, boards, toolchain, settings: { jobsPerNode: 1e6 } });
  await keepBusy({ pool, boards, round: Number(round), say });
}

/** Bytes of a line that the pipe has taken. */
function written(line: Buffer): number {
  try {
    return writeSync(1, line);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 0;
    throw error;
  }
}
