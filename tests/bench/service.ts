import { readFileSync } from 'node:fs';
import os from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { resourcePath } from '../../server/paths.ts';
import { atMost, type Figure, median, quantile, reported } from './figure.ts';
import { flushes } from './flushes.ts';
import { ServiceProcess } from './service-process.ts';

const MIB = 1024 * 1024;

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const start = performance.now();
  await work();
  return performance.now() - start;
};

/** Builds beside those that are timed: 20 in all. */
const MORE_BUILDS = 13;
/** For how long idle boards are watched. */
const REST_MS = 10_000;

/** A design that no cache knows: the example with a comment of its own. */
const fresh = (source: string, round: number) => `${source}\n// ${process.pid} ${Date.now()} ${round}\n`;

/**
 * The service from outside, over HTTP: start, builds, cache, runs, idle cost and event-loop delay.
 * `nativeSeconds` is what the native toolchain takes for the same design on this machine; null where it is absent.
 */
export async function measureService(nativeSeconds: number | null): Promise<Figure[]> {
  const echo = readFileSync(resourcePath('examples', 'echo.v'), 'utf8');
  const service = await ServiceProcess.start();
  const figures: Figure[] = [atMost('Start to listening', service.startMs / 1000, 's', 1.5)];
  try {
    figures.push(atMost('Resident memory when listening', service.residentBytes / MIB, 'MiB', 120));

    const build = (round: number) =>
      timed(async () => service.ended(0, await service.submit(0, 'echo.v', fresh(echo, round))));
    const first = await build(0);
    figures.push(atMost(`First build after start (${os.cpus().length} cores)`, first / 1000, 's', 8));

    const warm: number[] = [];
    service.resetMonitor();
    for (let round = 1; round <= 5; round++) {
      await service.release(0);
      warm.push(await build(round));
    }
    const loop = await service.readMonitor();
    const warmSeconds = median(warm) / 1000;
    if (nativeSeconds === null)
      figures.push(reported('Echo example, submit to reserved, warm', warmSeconds, 's'));
    else {
      figures.push(reported('Echo example, native yosys + nextpnr-ice40 + icepack', nativeSeconds, 's'));
      figures.push(reported('Echo example, submit to reserved, warm', warmSeconds, 's'));
      figures.push(atMost('… against native', warmSeconds / nativeSeconds, '×', 2.5));
    }
    figures.push(atMost('Event-loop delay during builds, p99', loop.p99, 'ms', 50));

    const cached: number[] = [];
    const same = fresh(echo, 1000);
    await service.release(0);
    await service.ended(0, await service.submit(0, 'echo.v', same));
    for (let round = 0; round < 5; round++) {
      await service.release(0);
      cached.push(await timed(async () => service.ended(0, await service.submit(0, 'echo.v', same))));
    }
    figures.push(atMost('Same source again, submit to reserved', median(cached), 'ms', 300));

    figures.push(...(await measureRuns(service)));
    figures.push(...flushes(service.dataFolder));
    for (let round = 2000; round < 2000 + MORE_BUILDS; round++) {
      await service.release(0);
      await build(round);
    }
    figures.push(...(await measureRest(service, same)));
  } finally {
    await service.stop();
  }
  return figures;
}

async function measureRuns(service: ServiceProcess): Promise<Figure[]> {
  const one = () =>
    timed(async () => {
      const job = await service.run(0, { op: 2, address: 0, count: 1 });
      await service.ended(0, job);
      await service.result(0, job);
    });
  for (let i = 0; i < 20; i++) await one();
  const single: number[] = [];
  for (let i = 0; i < 200; i++) single.push(await one());

  const words = Array.from({ length: 512 }, (_, i) => (Math.imul(i + 1, 0x9e3779b1) >>> 0) ^ 0x5a5a);
  const both: number[] = [];
  for (let i = 0; i < 10; i++) {
    both.push(
      await timed(async () => {
        const write = await service.run(0, { op: 1, address: 0, data: words.map((word) => word >>> 0) });
        const read = await service.run(0, { op: 2, address: 0, count: 512 });
        await service.ended(0, write);
        await service.ended(0, read);
        const back = await service.result(0, read);
        if (back.some((word, index) => word !== words[index]! >>> 0))
          throw new Error('a word came back wrong');
      }),
    );
  }
  return [
    atMost('One-word run, POST to result, median of 200', median(single), 'ms', 3),
    atMost('the same, p99', quantile(single, 0.99), 'ms', 10),
    atMost('512 words written and read back as two jobs', median(both), 'ms', 150),
  ];
}

/** Ten reserved boards with nothing to do after all the builds: processor time by thread over ten seconds, and memory. */
async function measureRest(service: ServiceProcess, source: string): Promise<Figure[]> {
  for (let node = 1; node < 10; node++)
    await service.ended(node, await service.submit(node, 'echo.v', source));
  service.pauseMonitor();
  await sleep(2000);
  const before = service.threadMilliseconds();
  await sleep(REST_MS);
  const used = [...service.threadMilliseconds()].map(
    ([thread, ms]) => ((ms - (before.get(thread) ?? 0)) / REST_MS) * 100,
  );
  const [main = 0, ...others] = used;
  const sum = (shares: readonly number[]) => shares.reduce((all, share) => all + share, 0);
  return [
    atMost('Ten reserved idle boards after the builds, of one core', sum(used), '%', 1),
    reported('of these: the main thread', main, '%'),
    reported('of these: the busiest other thread', Math.max(0, ...others), '%'),
    atMost('Resident memory with ten boards after 20 builds', service.residentBytes / MIB, 'MiB', 300),
  ];
}
