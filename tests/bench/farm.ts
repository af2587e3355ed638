import { WorkerProcess } from '../support/farm.ts';
import { noRedis } from '../support/redis.ts';
import { Belongings } from './belongings.ts';
import { measureFaults } from './farm-faults.ts';
import type { LoadReading } from './farm-load.ts';
import { measureEcho, measureScans, measureWorkers } from './farm-real.ts';
import { openBench, startRedis, startStub, timed, whileRuns } from './farm-support.ts';
import { measureFarmView } from './farm-view.ts';
import { atLeast, atMost, type Figure, median, reported } from './figure.ts';
import { measureParts, type Part } from './parts.ts';

/** Share of each part; `WISHBENCH_FARM_SCALE=0.1` does a tenth, for a quick check. */
const SCALE = Number(process.env['WISHBENCH_FARM_SCALE'] ?? 1);
const scaled = (count: number, least = 1) => Math.max(least, Math.round(count * SCALE));

/** In the order of measurement; `WISHBENCH_FARM_PARTS=load,faults` measures only these. */
const PARTS: readonly Part<Belongings, null>[] = [
  ['queue', 120, measureQueue],
  ['echo', 600, (own) => measureEcho(own, scaled(12, 3))],
  ['workers', 900, (own) => measureWorkers(own, 2 * scaled(4, 1))],
  ['scans', 300, measureScans],
  ['load', 900, measureLoad],
  ['faults', 1200, faults],
  ['view', 300, measureFarmView],
];

/** Seconds for all of them. */
const MOST = 3600;

/** Builds over a queue, with processes on this machine in place of machines. */
export async function measureFarm(): Promise<Figure[]> {
  if (noRedis !== null) throw new Error(noRedis);
  const names = PARTS.map(([name]) => name);
  const chosen = process.env['WISHBENCH_FARM_PARTS']?.split(',') ?? names;
  for (const name of chosen)
    if (!names.includes(name)) throw new Error(`No such part: ${name}. Parts: ${names.join(', ')}.`);
  const parts = PARTS.filter(([name]) => chosen.includes(name)).map(
    ([name, seconds, measure]): Part<Belongings, null> => [
      name,
      seconds,
      (own, on) => {
        // The table comes at the end, after many minutes.
        process.stderr.write(`farm: ${name}…\n`);
        return measure(own, on);
      },
    ],
  );
  return measureParts(parts, null, MOST, async () => new Belongings());
}

/** Time that the queue adds to one build. */
async function measureQueue(own: Belongings): Promise<Figure[]> {
  const redis = await startRedis(own);
  const stub = await startStub(own, { url: redis.url, buildMs: 1 });
  const bench = await openBench(own, redis.url);
  const times: number[] = [];
  for (let i = 0; i < scaled(100); i++)
    times.push(await timed(() => whileRuns([stub], bench.build(`one ${i}`).result)));
  const runs = times.map((took) => took - 1);
  return [atMost('A build of 1 ms over the queue: what the queue adds', median(runs), 'ms', 50, { runs })];
}

/** Very many builds in the queue. */
async function measureLoad(own: Belongings): Promise<Figure[]> {
  const redis = await startRedis(own);
  const builds = scaled(10_000);
  const load = await own.keep(
    WorkerProcess.script('tests/bench/farm-load.ts', [redis.url, String(builds), '20']),
    (process) => process.end(),
  );
  await load.says('queued\n');
  const full = await redis.with((client) => client.info('memory'));
  const memory = Number(/^used_memory:(\d+)/m.exec(full)?.[1]);
  const stubs: WorkerProcess[] = [];
  for (const i of [1, 2])
    stubs.push(await startStub(own, { url: redis.url, name: `w${i}`, slots: 16, lease: 10, buildMs: 1 }));
  await whileRuns(stubs, load.ended);
  const last = load.output.trim().split('\n').at(-1) ?? '';
  const reading = JSON.parse(last) as LoadReading;
  return [
    atLeast(`${builds} queued builds of 1 ms, two workers`, reading.perSecond, 'builds/s', 1000),
    atMost('  memory of the bench for them', reading.rss / 2 ** 20, 'MiB', 300),
    reported('  memory of Redis with all of them queued', memory / 2 ** 20, 'MiB'),
    atMost('  an owner of 20 against the mean, when half is built', 100 * reading.unfairness, '%', 5),
    reported('  reading the whole farm with all of them queued', reading.viewMs, 'ms'),
  ];
}

async function faults(own: Belongings): Promise<Figure[]> {
  const [builds, count] = [scaled(1000), scaled(300)];
  const reading = await measureFaults(own, builds, count);
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
