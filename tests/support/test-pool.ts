import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { type Clock, systemClock } from '../../server/clock.ts';
import { DEFAULT_SETTINGS } from '../../server/contract/bench/settings.ts';
import type { BenchEvent } from '../../server/contract/events/events.ts';
import type { Job, SubmitOptions } from '../../server/contract/jobs/jobs.ts';
import { EventHub } from '../../server/events/events.ts';
import type { NodePool } from '../../server/jobs/node-pool.ts';
import { createNodePool } from '../../server/jobs/node-pool.ts';
import type { PoolSettings, RunInput, SubmitInput } from '../../server/jobs/pool.ts';
import { silentLogger } from '../../server/log.ts';
import type { FileSystem } from '../../server/store/filesystem.ts';
import { openStore, type Store } from '../../server/store/index.ts';
import { FakeBoardPool } from './fake-board.ts';
import { FakeToolchain } from './fake-toolchain.ts';
import { temporaryFolder } from './temporary.ts';

const { sessions, limits } = DEFAULT_SETTINGS;
export const SETTINGS: PoolSettings = {
  sessionTtlSeconds: sessions.ttl_seconds,
  logBytes: limits.log_bytes,
  jobsPerNode: limits.jobs_per_node,
  jobDays: limits.job_days,
  jobsBytes: limits.jobs_bytes,
  queuedPerNode: 4096,
  queuedPerOwner: 8192,
  unplaced: 1000,
  unplacedPerOwner: 250,
};

export const alice = { owner: 'alice' };
export const bob = { owner: 'bob' };

export interface TestPoolOptions {
  /** A data directory of before; a new one, removed by `dispose`, when absent. */
  folder?: string;
  boards?: FakeBoardPool;
  toolchain?: FakeToolchain;
  clock?: Clock;
  /** A disk other than the computer's; it has no locks. */
  files?: FileSystem;
  settings?: Partial<PoolSettings>;
}

export interface TestPool {
  pool: NodePool;
  store: Store;
  boards: FakeBoardPool;
  toolchain: FakeToolchain;
  events: BenchEvent[];
  hub: EventHub;
  folder: string;
  /** Ends the service cleanly; the data directory stays. */
  stop(): Promise<void>;
  /** Ends the service and removes the data directory. */
  dispose(): Promise<void>;
}

/** A pool on fake boards and a fake toolchain, with a real store on a real disk. */
export async function testPool(options: TestPoolOptions = {}): Promise<TestPool> {
  const folder = options.folder ?? temporaryFolder('pool');
  const boards = options.boards ?? new FakeBoardPool();
  const toolchain = options.toolchain ?? new FakeToolchain();
  const hub = new EventHub((error) => {
    throw error;
  });
  const events: BenchEvent[] = [];
  hub.subscribe((event) => events.push(event));
  const logger = silentLogger;
  const store = await openStore(folder, {
    logger,
    ...(options.files ? { files: options.files, lock: async () => async () => {} } : {}),
  });
  const pool = await createNodePool({
    store,
    boards,
    toolchain,
    events: hub,
    logger,
    clock: options.clock ?? systemClock,
    newId: randomUUID,
    settings: { ...SETTINGS, ...options.settings },
  });
  let stopped = false;
  const stop = async () => {
    if (stopped) return;
    stopped = true;
    await pool.close();
    await store.close();
  };
  return {
    pool,
    store,
    boards,
    toolchain,
    events,
    hub,
    folder,
    stop,
    async dispose() {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export const design = (text = 'module echo;', options: SubmitOptions = {}): SubmitInput => ({
  filename: 'echo.v',
  source: Buffer.from(text),
  options,
});

export const read = (address: number, count = 1): RunInput => ({
  op: 2,
  address,
  data: new Uint32Array(0),
  count,
  fixed_address: false,
});

export const write = (address: number, ...words: number[]): RunInput => ({
  op: 1,
  address,
  data: Uint32Array.from(words),
  count: 0,
  fixed_address: false,
});

/** Waits until a job has ended and returns it. */
export async function ended(
  pool: NodePool,
  { fpga_id, job_id }: Pick<Job, 'fpga_id' | 'job_id'>,
): Promise<Job> {
  for (;;) {
    await pool.waitForChange(job_id, 30);
    const job = pool.job(fpga_id, job_id);
    if (job.status !== 'queued' && job.status !== 'running') return job;
  }
}

/** Submits a design and waits until the node is reserved. */
export async function reserve(pool: NodePool, fpgaId = 0, input = design(), caller = alice): Promise<Job> {
  const job = await ended(pool, await pool.submit(fpgaId, input, caller));
  if (job.status !== 'complete') throw new Error(`The design was not accepted: ${job.failure?.message}`);
  return job;
}

/** Resolves when `condition` holds; checks at every turn of the event loop. */
export async function until(condition: () => boolean, what = 'the condition', seconds = 60): Promise<void> {
  const end = performance.now() + seconds * 1000;
  while (!condition()) {
    if (performance.now() > end) throw new Error(`${what} did not come about within ${seconds} s`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

/** Holds a fake board's operation until it is opened: for events during a job. */
export function closedGate(): { gate: Promise<void>; open: () => void } {
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { gate, open };
}
