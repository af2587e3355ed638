import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { FarmBench, WorkerProcess } from '../support/farm.ts';
import { RedisServer } from '../support/redis.ts';
import type { Belongings } from './belongings.ts';

/** Milliseconds that something takes. */
export const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now();
  await work();
  return performance.now() - began;
};

export const ownFolder = (own: Belongings): Promise<string> =>
  own.keep(mkdtempSync(path.join(os.tmpdir(), 'wishbench-bench-')), (folder) =>
    rmSync(folder, { recursive: true, force: true }),
  );

/** @param args as RedisServer.start takes them */
export const startRedis = (own: Belongings, args: readonly string[] = []): Promise<RedisServer> =>
  own.keep(RedisServer.start(args), (redis) => redis.stop());

export const openBench = (own: Belongings, url: string, lookEarly = false): Promise<FarmBench> =>
  own.keep(FarmBench.open(url, 'bench1', { lookEarly }), (bench) => bench.close());

export const startStub = (
  own: Belongings,
  options: Parameters<typeof WorkerProcess.stub>[0],
): Promise<WorkerProcess> => own.keep(WorkerProcess.stub(options), (worker) => worker.end());

/** `wishbench worker` of one slot, with a cache of its own below `folder`. */
export const startWorker = (
  own: Belongings,
  url: string,
  folder: string,
  name: string,
): Promise<WorkerProcess> =>
  own.keep(
    WorkerProcess.real(url, ['--concurrency', '1', '--name', name, '--data', path.join(folder, name)]),
    (worker) => worker.end(),
  );

/**
 * The resolved value while all of these run.
 * @throws with what it said last, when one of them ends: whatever waits for it would wait for ever
 */
export const whileRuns = <T>(workers: readonly WorkerProcess[], work: Promise<T>): Promise<T> =>
  Promise.race([
    work,
    ...workers.map(async (worker): Promise<never> => {
      const code = await worker.ended;
      throw new Error(`a worker ended with ${code}: ${worker.output.trim().split('\n').at(-1)}`);
    }),
  ]);
