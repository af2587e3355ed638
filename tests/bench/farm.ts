import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { loadCatalogue, VIRTUAL_BOARD } from '../../server/boards/catalogue/index.ts';
import { systemClock } from '../../server/clock.ts';
import { silentLogger } from '../../server/log.ts';
import { resourcePath } from '../../server/paths.ts';
import { createToolchain } from '../../server/toolchain/index.ts';
import { FarmBench, WorkerProcess } from '../support/farm.ts';
import { noRedis, RedisServer } from '../support/redis.ts';
import { measureFaults } from './farm-faults.ts';
import type { LoadReading } from './farm-load.ts';
import { measureFarmView } from './farm-view.ts';
import { atLeast, atMost, type Figure, median, reported } from './figure.ts';

/** How much of each is done; `WISHBENCH_FARM_SCALE=0.1` does a tenth, for a look at whether it works. */
const SCALE = Number(process.env['WISHBENCH_FARM_SCALE'] ?? 1);
const scaled = (count: number) => Math.max(1, Math.round(count * SCALE));

const echo = () => readFileSync(resourcePath('examples', 'echo.v'), 'utf8');

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now();
  await work();
  return performance.now() - began;
};

/** In the order in which they are measured; `WISHBENCH_FARM_PARTS=load,faults` measures these alone. */
const PARTS: Record<string, () => Promise<Figure[]>> = {
  queue: queueAlone,
  echo: echoHereAndThere,
  workers,
  load: manyBuilds,
  faults,
  view: measureFarmView,
};

/** Builds over a queue, with processes on this machine in place of machines. */
export async function measureFarm(): Promise<Figure[]> {
  if (noRedis !== null) throw new Error(noRedis);
  const chosen = process.env['WISHBENCH_FARM_PARTS']?.split(',') ?? Object.keys(PARTS);
  const figures: Figure[] = [];
  for (const name of chosen) {
    const part = PARTS[name];
    if (!part) throw new Error(`No such part: ${name}. Parts: ${Object.keys(PARTS).join(', ')}.`);
    figures.push(...(await part()));
  }
  return figures;
}

/** Rejects where a part has not come to its end: a table without it is better than none. */
async function within<T>(seconds: number, what: string, work: Promise<T>): Promise<T> {
  let cancel = () => {};
  const late = new Promise<never>((_resolve, reject) => {
    const tooLate = () => reject(new Error(`${what} did not end within ${seconds} s`));
    cancel = systemClock.after(seconds * 1000, tooLate);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    cancel();
  }
}

/** What the queue adds to one build. */
async function queueAlone(): Promise<Figure[]> {
  const redis = await RedisServer.start();
  const stub = await WorkerProcess.stub({ url: redis.url, buildMs: 1 });
  const bench = await FarmBench.open(redis.url);
  try {
    const times: number[] = [];
    for (let i = 0; i < scaled(100); i++) times.push(await timed(() => bench.build(`one ${i}`).result));
    return [atMost('A build of 1 ms over the queue: what the queue adds', median(times) - 1, 'ms', 50)];
  } finally {
    await bench.close();
    await stub.end('SIGKILL');
    await redis.stop();
  }
}

/** A real build here and by a worker, in pairs. */
async function echoHereAndThere(): Promise<Figure[]> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'wishbench-bench-'));
  const redis = await RedisServer.start();
  const bench = await FarmBench.open(redis.url);
  const local = createToolchain({ dataDir: folder, logger: silentLogger });
  const data = path.join(folder, 'worker');
  const real = await WorkerProcess.real(redis.url, ['--concurrency', '1', '--data', data]);
  try {
    const board = loadCatalogue().get(VIRTUAL_BOARD);
    if (!board) throw new Error('no virtual board');
    const context = { log() {}, progress() {}, started: async () => {} };
    const [here, there]: [number[], number[]] = [[], []];
    for (let i = 0; i <= Math.max(3, scaled(8)); i++) {
      const source = Buffer.from(`${echo()}// ${i}\n`);
      const own = await timed(() => local.build({ source, filename: 'echo.v', board, options: {} }, context));
      const far = await timed(() => bench.build(source, { filename: 'echo.v' }).result);
      // The first of each loads the tools.
      if (i === 0) continue;
      here.push(own);
      there.push(far);
    }
    const added = there.map((far, i) => far - (here[i] ?? 0));
    return [
      reported('Echo, built here', median(here) / 1000, 's'),
      reported('Echo, built by a worker on this machine', median(there) / 1000, 's'),
      reported('  the difference, of pairs', median(added), 'ms'),
    ];
  } finally {
    await real.end('SIGKILL');
    await bench.close();
    await local.close();
    await redis.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Real builds with one worker process of one slot, then with two; and a scan while twenty builds wait. */
async function workers(): Promise<Figure[]> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'wishbench-bench-'));
  const redis = await RedisServer.start();
  const bench = await FarmBench.open(redis.url);
  const start = (name: string) =>
    WorkerProcess.real(redis.url, ['--concurrency', '1', '--name', name, '--data', path.join(folder, name)]);
  const builds = (from: number, count: number) =>
    Promise.all(
      Array.from(
        { length: count },
        (_, i) => bench.build(`${echo()}// ${from + i}\n`, { filename: 'echo.v' }).result,
      ),
    );
  try {
    const running = [await start('w1')];
    await builds(0, 1);
    const count = Math.max(6, scaled(12));
    const one = await timed(() => builds(100, count));
    running.push(await start('w2'));
    await builds(200, 4); // both have loaded their tools
    const both = await timed(() => builds(300, count));
    const waiting = builds(400, 20);
    waiting.catch(() => {});
    const board = loadCatalogue().get(VIRTUAL_BOARD);
    if (!board) throw new Error('no virtual board');
    const scan = () =>
      bench.toolchain.scan(
        { source: Buffer.from(echo()), filename: 'echo.v', board, options: {} },
        { log() {}, progress() {} },
      );
    await scan();
    const scanned = await timed(scan);
    await Promise.all(running.map((worker) => worker.end('SIGKILL')));
    return [
      reported('Builds a minute, one worker of one slot', (60_000 * count) / one, ''),
      atLeast('Two workers of one slot against one', one / both, '×', 1.8),
      atMost('Scan while twenty builds wait', scanned / 1000, 's', 2),
    ];
  } finally {
    await bench.close();
    await redis.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Very many builds in the queue. */
async function manyBuilds(): Promise<Figure[]> {
  const redis = await RedisServer.start();
  const builds = scaled(10_000);
  const stubs: WorkerProcess[] = [];
  const load = await WorkerProcess.script('tests/bench/farm-load.ts', [redis.url, String(builds), '20']);
  try {
    await within(300, 'Queuing the builds', load.says('queued\n'));
    const full = await redis.with((client) => client.info('memory'));
    const memory = Number(/^used_memory:(\d+)/m.exec(full)?.[1]);
    for (const i of [1, 2])
      stubs.push(
        await WorkerProcess.stub({ url: redis.url, name: `w${i}`, slots: 16, lease: 10, buildMs: 1 }),
      );
    await within(600, 'Building them', load.ended);
    const last = load.output.trim().split('\n').at(-1) ?? '';
    const reading = JSON.parse(last) as LoadReading;
    return [
      atLeast(`${builds} queued builds of 1 ms, two workers`, reading.perSecond, 'builds/s', 1000),
      atMost('  memory of the bench for them', reading.rss / 2 ** 20, 'MiB', 300),
      reported('  memory of Redis with all of them queued', memory / 2 ** 20, 'MiB'),
      atMost('  an owner of 20 against the mean, when half is built', 100 * reading.unfairness, '%', 5),
      reported('  reading the whole farm with all of them queued', reading.viewMs, 'ms'),
    ];
  } finally {
    await Promise.all([load, ...stubs].map((one) => one.end('SIGKILL')));
    await redis.stop();
  }
}

async function faults(): Promise<Figure[]> {
  const [builds, count] = [scaled(1000), scaled(300)];
  const reading = await measureFaults(builds, count);
  const name = `${count} faults over ${builds} builds:`;
  return [
    atMost(`${name} lost`, reading.lost, '', 0),
    atMost(`${name} done twice with effect`, reading.twice, '', 0),
    atMost(`${name} stuck`, reading.stuck, '', 0),
    reported(`${name} workers killed`, reading.faults[0], ''),
    reported(`${name} Redis killed`, reading.faults[1], ''),
    reported(`${name} connections cut`, reading.faults[2], ''),
    reported(`${name} set aside after two deaths by chance`, reading.setAside, ''),
    reported(`${name} took`, reading.seconds, 's'),
  ];
}
