import { pause, systemClock } from '../../server/clock.ts';
import { BASE } from '../../server/toolchain/farm/keys.ts';
import type { WorkerProcess } from '../support/farm.ts';
import { seeded } from '../support/seeded.ts';
import type { Belongings } from './belongings.ts';
import { openBench, startRedis, startStub } from './farm-support.ts';

const WORKERS = 4;
/** Milliseconds of one build, and between faults at most. */
const BUILD_MS = 100;
const BETWEEN_MS = 400;
/** Time for the rest to end after the last fault, ms. */
const REST_MS = 120_000;

export interface FaultsReading {
  /** Builds whose reported end is none that a build can have. */
  lost: number;
  /** Ends that had an effect beyond one for each build. */
  twice: number;
  /** Builds without an end, and those still queued when all have ended. */
  stuck: number;
  /** Builds that were set aside, for two workers had died at them by chance. */
  setAside: number;
  /** How many there were of each kind: a worker killed, Redis killed, connections cut. */
  faults: [workers: number, redis: number, connections: number];
  seconds: number;
}

/** Places of workers: one that was killed is followed by another, which takes seconds to start. */
class Crew {
  readonly #start: (place: number) => Promise<WorkerProcess>;
  readonly #ready = new Map<number, WorkerProcess>();
  #failed: ((error: unknown) => void) | null = null;
  /** Rejects when a worker could not be started. */
  readonly failed = new Promise<never>((_resolve, reject) => {
    this.#failed = reject;
  });

  constructor(start: (place: number) => Promise<WorkerProcess>) {
    this.#start = start;
  }

  async fill(place: number): Promise<void> {
    try {
      this.#ready.set(place, await this.#start(place));
    } catch (error) {
      this.#failed?.(error);
    }
  }

  /** Kills one of those who work, and starts another in its place. @returns false where there is none */
  async kill(random: () => number): Promise<boolean> {
    const places = [...this.#ready.keys()];
    const place = places[Math.floor(random() * places.length)];
    if (place === undefined) return false;
    const worker = this.#ready.get(place);
    this.#ready.delete(place);
    await worker?.end('SIGKILL');
    void this.fill(place);
    return true;
  }
}

/**
 * Builds while workers and Redis are killed and connections cut, at random with a fixed seed. Builds are requested
 * between the faults, so that each fault has something to lose.
 */
export async function measureFaults(own: Belongings, builds: number, faults: number): Promise<FaultsReading> {
  const random = seeded(14);
  const redis = await startRedis(own, ['--appendonly', 'yes']);
  const crew = new Crew((i) =>
    startStub(own, { url: redis.url, name: `w${i}`, slots: 2, lease: 2, buildMs: BUILD_MS }),
  );
  const filled = Array.from({ length: WORKERS }, (_, i) => crew.fill(i));
  await Promise.race([Promise.all(filled), crew.failed]);
  const bench = await openBench(own, redis.url);
  const began = performance.now();
  const outcomes: string[] = [];
  const all: Promise<unknown>[] = [];
  const ask = (until: number) => {
    for (let i = all.length; i < until; i++)
      all.push(
        bench.build(`fault ${i}`, { owner: `owner-${i % 7}` }).result.then(
          () => outcomes.push('built'),
          (error: unknown) =>
            outcomes.push(
              error instanceof Error && 'code' in error && error.code === 'worker_lost' ? 'aside' : 'lost',
            ),
        ),
      );
  };
  const done: FaultsReading['faults'] = [0, 0, 0];
  const make = async () => {
    for (let i = 0; i < faults; i++) {
      ask(Math.round((builds * (i + 1)) / faults));
      await pause(systemClock, BETWEEN_MS * random());
      const wanted = Math.floor(random() * 3);
      const kind = wanted === 0 && !(await crew.kill(random)) ? 2 : wanted;
      if (kind === 1) {
        await redis.kill();
        await pause(systemClock, BETWEEN_MS * random());
        await redis.resume();
      } else if (kind === 2)
        await redis.with(async (client) => {
          await client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
          await client.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
        });
      done[kind] = (done[kind] ?? 0) + 1;
    }
    await Promise.race([Promise.all(all), pause(systemClock, REST_MS)]);
  };
  await Promise.race([make(), crew.failed]);
  const count = (outcome: string) => outcomes.filter((one) => one === outcome).length;
  return await redis.with(async (client) => {
    let effects = 0;
    for (const key of await client.keys(`${BASE}rate:*`))
      for (const name of ['built', 'failed']) effects += Number((await client.hget(key, name)) ?? 0);
    return {
      lost: count('lost'),
      twice: Math.max(0, effects - builds),
      stuck: Math.max(builds - outcomes.length, (await client.keys(`${BASE}order:*`)).length),
      setAside: count('aside'),
      faults: done,
      seconds: (performance.now() - began) / 1000,
    };
  });
}
