import { readFileSync } from 'node:fs';
import os from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { resourcePath } from '../../server/paths.ts';
import { atMost, type Figure, median, quantile, reported } from './figure.ts';
import { flushes } from './flushes.ts';
import { warmClient } from './idle-server.ts';
import { RUNS_UNTIL_SETTLED, ServiceProcess } from './service-process.ts';

const MIB = 1024 * 1024;

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const start = performance.now();
  await work();
  return performance.now() - start;
};

/** Builds besides the timed ones, one by one and at once: 20 in all. */
const MORE_BUILDS = 5;
/** For how long idle boards are watched at a time. */
const REST_MS = 10_000;
/** How often at most, until the background threads are quiet. */
const RESTS = 5;
/** The background threads are quiet below this share of a core, %. */
const QUIET = 0.1;
/** Runs with which the client is warmed up. */
const CLIENT_RUNS = 400;
/** Measured runs after the service has settled. */
const LATER_RUNS = 600;
/** How often the service is started: it starts once, and builds first, each time. */
const STARTS = 3;
/** Boards that get a submit at the same time. */
const AT_ONCE = 8;

/** A design that no cache and no earlier placement has: the example with a memory of another name. */
const fresh = (source: string, round: number) =>
  source.replaceAll('memory', `memory_${process.pid}_${Date.now()}_${Math.abs(round)}`);

/**
 * The service from outside, over HTTP: start, builds, cache, runs, idle cost and event-loop delay.
 * `native` is what the installed tools take for the same design on this machine, seconds; null where they are absent.
 */
export async function measureService(native: readonly number[] | null): Promise<Figure[]> {
  const echo = readFileSync(resourcePath('examples', 'echo.v'), 'utf8');
  const { service, figures } = await measureStarts(echo);
  try {
    const build = (round: number) => buildOn(service, fresh(echo, round));
    const warm: number[] = [];
    service.resetMonitor();
    for (let round = 1; round <= 5; round++) {
      await service.release(0);
      warm.push(await build(round));
    }
    const loop = await service.readMonitor();
    const warmSeconds = median(warm) / 1000;
    const runs = warm.map((ms) => ms / 1000);
    figures.push(reported('Echo example, submit to reserved, warm', warmSeconds, 's', { runs }));
    if (native !== null) {
      const theirs = median(native);
      figures.push(
        reported('Echo example, native yosys + nextpnr-ice40 + icepack', theirs, 's', { runs: native }),
        atMost('… against native', warmSeconds / theirs, '×', 0.7),
      );
    }
    figures.push(atMost('Event-loop delay during builds, p99', loop.p99, 'ms', 50));

    const cached: number[] = [];
    const same = fresh(echo, 1000);
    await service.release(0);
    await service.ended(0, await service.submit(0, 'echo.v', same));
    for (let round = 0; round < 15; round++) {
      await service.release(0);
      cached.push(await timed(async () => service.ended(0, await service.submit(0, 'echo.v', same))));
    }
    figures.push(atMost('Same source again, submit to reserved', median(cached), 'ms', 60, { runs: cached }));

    figures.push(...(await measureRuns(service)));
    figures.push(...flushes(service.dataFolder));
    for (let round = 2000; round < 2000 + MORE_BUILDS; round++) {
      await service.release(0);
      await build(round);
    }
    figures.push(...(await measureAtOnce(service, echo)));
    figures.push(...(await measureRest(service, same)));
  } finally {
    await service.stop();
  }
  return figures;
}

const buildOn = (service: ServiceProcess, source: string) =>
  timed(async () => service.ended(0, await service.submit(0, 'echo.v', source)));

/** Starts it a few times, each with its first build, before anything is loaded; the last one continues. */
async function measureStarts(echo: string): Promise<{ service: ServiceProcess; figures: Figure[] }> {
  const starts: number[] = [];
  const memory: number[] = [];
  const first: number[] = [];
  for (;;) {
    const service = await ServiceProcess.start();
    try {
      starts.push(service.startMs / 1000);
      memory.push(service.residentBytes / MIB);
      first.push((await buildOn(service, fresh(echo, -starts.length))) / 1000);
    } catch (error) {
      await service.stop();
      throw error;
    }
    if (starts.length < STARTS) await service.stop();
    else
      return {
        service,
        figures: [
          atMost('Start to listening', median(starts), 's', 1.5, { runs: starts }),
          atMost('Resident memory when listening', median(memory), 'MiB', 120, { runs: memory }),
          atMost(`First build after start (${os.cpus().length} cores)`, median(first), 's', 3, {
            runs: first,
            ifMissed: 'Asked for as soon as it listens: it waits until Yosys is loaded.',
          }),
        ],
      };
  }
}

async function measureRuns(service: ServiceProcess): Promise<Figure[]> {
  const one = () =>
    timed(async () => {
      const job = await service.run(0, { op: 2, address: 0, count: 1 });
      await service.ended(0, job);
      await service.result(0, job);
    });
  const client = await warmClient(CLIENT_RUNS);
  for (let i = 0; i < 20; i++) await one();
  const single: number[] = [];
  for (let i = 0; i < 200; i++) single.push(await one());
  for (let i = single.length; i < RUNS_UNTIL_SETTLED; i++) await one(); // warm
  const later: number[] = [];
  for (let i = 0; i < LATER_RUNS; i++) later.push(await one());

  const answered: number[] = [];
  for (let i = 0; i < 200; i++)
    answered.push(await timed(() => service.runAndWait(0, { op: 2, address: 0, count: 1 })));

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
    atMost(`One-word run, POST to result, median of ${LATER_RUNS}`, median(later), 'ms', 3),
    atMost('the same, p99', quantile(later, 0.99), 'ms', 10),
    reported('the first 200 after a start, what they go through still being compiled', median(single), 'ms'),
    reported('the same, p99', quantile(single, 0.99), 'ms'),
    reported('of these: the client, at a server that does nothing', client.three, 'ms'),
    reported('the same in one request (POST …/run?wait=), median', median(answered), 'ms'),
    reported('the same, p99', quantile(answered, 0.99), 'ms'),
    reported('of these: the client, at a server that does nothing', client.one, 'ms'),
    atMost('512 words written and read back as two jobs', median(both), 'ms', 150, { runs: both }),
  ];
}

/** New designs for several boards at once: how long each waits until it is reserved, and all of them. */
async function measureAtOnce(service: ServiceProcess, echo: string): Promise<Figure[]> {
  const nodes = Array.from({ length: AT_ONCE }, (_, index) => index + 1);
  const took: number[] = [];
  const total = await timed(() =>
    Promise.all(
      nodes.map(async (node) => {
        const source = fresh(echo, 3000 + node);
        took.push(await timed(async () => service.ended(node, await service.submit(node, 'echo.v', source))));
      }),
    ),
  );
  for (const node of nodes) await service.release(node);
  return [
    reported(`${AT_ONCE} submits at once: median to reserved`, median(took) / 1000, 's'),
    reported('the same, until the last is reserved', total / 1000, 's'),
  ];
}

/** Shares of a core that threads use without requests, %. */
interface Rest {
  all: number;
  main: number;
  /** The busiest other, which is the one that runs the boards' designs. */
  boards: number;
  /** All the others together: those of V8, of file access, of processes that the service has started. */
  background: number;
}

async function rest(service: ServiceProcess): Promise<Rest> {
  const before = service.threadTimes();
  const began = performance.now();
  await sleep(REST_MS);
  const after = service.threadTimes();
  const elapsed = performance.now() - began;
  const used = [...after].map(([thread, { name, milliseconds }]) => ({
    name,
    share: ((milliseconds - (before.get(thread)?.milliseconds ?? 0)) / elapsed) * 100,
  }));
  const all = used.reduce((sum, { share }) => sum + share, 0);
  const main = used.find(({ name }) => name === 'main')?.share ?? 0;
  const boards = Math.max(0, ...used.filter(({ name }) => name !== 'main').map(({ share }) => share));
  return { all, main, boards, background: all - main - boards };
}

const byThread = ({ main, boards, background }: Rest): Figure[] => [
  reported('of these: the main thread', main, '%'),
  reported('of these: the busiest other thread', boards, '%'),
  reported('of these: all others', background, '%'),
];

/** By then the tools' process has ended, 45 s after the last build; milliseconds. */
const TOOLS_LEAVE_MS = 60_000;

/** Ten reserved boards at rest after all the builds: processor time by thread, and memory. */
async function measureRest(service: ServiceProcess, source: string): Promise<Figure[]> {
  for (let node = 1; node < 10; node++)
    await service.ended(node, await service.submit(node, 'echo.v', source));
  service.pauseMonitor();
  const first = await rest(service);
  // V8 frees memory for some seconds after the last build.
  let quiet = await rest(service);
  for (let looks = 1; looks < RESTS && quiet.background > QUIET; looks++) quiet = await rest(service);
  const resident = service.residentBytes;
  await service.alone(TOOLS_LEAVE_MS);
  return [
    reported('Ten reserved idle boards, the first 10 s after the last build, of one core', first.all, '%'),
    ...byThread(first),
    atMost('the same from then on', quiet.all, '%', 1),
    ...byThread(quiet),
    reported(
      'Resident memory with ten boards after 20 builds, with the process of the tools',
      resident / MIB,
      'MiB',
    ),
    atMost('the same at rest, when that has ended', service.residentBytes / MIB, 'MiB', 300),
  ];
}
