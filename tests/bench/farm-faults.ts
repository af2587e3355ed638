import { pause, systemClock } from '../../server/clock.ts';
import { BASE } from '../../server/toolchain/remote/keys.ts';
import { FarmBench, WorkerProcess } from '../support/farm.ts';
import { RedisServer } from '../support/redis.ts';
import { seeded } from '../support/seeded.ts';

const WORKERS = 3;
/** Milliseconds of one build, and between faults. */
const BUILD_MS = 100;
const BETWEEN_MS = 400;

export interface FaultsReading {
  /** Builds without an end that the bench was told. */
  lost: number;
  /** Ends that had an effect beyond one for each build. */
  twice: number;
  /** Builds that are still in the queue when all have ended. */
  stuck: number;
  /** Builds that were set aside, for two workers had died at them by chance. */
  setAside: number;
  seconds: number;
}

/** Builds while workers and Redis are killed and connections are cut, at random and by the same seed each time. */
export async function measureFaults(builds: number, faults: number): Promise<FaultsReading> {
  const random = seeded(14);
  const redis = await RedisServer.start(['--appendonly', 'yes']);
  const start = (i: number) =>
    WorkerProcess.stub({ url: redis.url, name: `w${i}`, slots: 2, lease: 2, buildMs: BUILD_MS });
  const workers = await Promise.all(Array.from({ length: WORKERS }, (_, i) => start(i)));
  const bench = await FarmBench.open(redis.url);
  const began = performance.now();
  try {
    const all = Array.from({ length: builds }, (_, i) =>
      bench.build(`fault ${i}`, { owner: `owner-${i % 7}` }).result.then(
        () => 'built',
        (error: unknown) =>
          error instanceof Error && 'code' in error && error.code === 'worker_lost' ? 'aside' : 'lost',
      ),
    );
    let left = true;
    const ended = Promise.all(all).finally(() => {
      left = false;
    });
    for (let i = 0; i < faults && left; i++) {
      await pause(systemClock, BETWEEN_MS * random());
      const kind = Math.floor(random() * 3);
      if (kind === 0) {
        const which = Math.floor(random() * WORKERS);
        await workers[which]?.end('SIGKILL');
        workers[which] = await start(which);
      } else if (kind === 1) {
        await redis.kill();
        await pause(systemClock, BETWEEN_MS * random());
        await redis.resume();
      } else
        await redis.with(async (client) => {
          await client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
          await client.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
        });
    }
    const outcomes = await ended;
    const count = (outcome: string) => outcomes.filter((one) => one === outcome).length;
    return await redis.with(async (client) => {
      let effects = 0;
      for (const key of await client.keys(`${BASE}rate:*`))
        for (const name of ['built', 'failed']) effects += Number((await client.hget(key, name)) ?? 0);
      return {
        lost: count('lost'),
        twice: Math.max(0, effects - builds),
        stuck: (await client.keys(`${BASE}order:*`)).length,
        setAside: count('aside'),
        seconds: (performance.now() - began) / 1000,
      };
    });
  } finally {
    await bench.close();
    await Promise.all(workers.map((worker) => worker.end('SIGKILL')));
    await redis.stop();
  }
}
