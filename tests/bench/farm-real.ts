import { readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { loadCatalogue, VIRTUAL_BOARD } from '../../server/boards/catalogue/index.ts';
import { BenchError } from '../../server/errors/bench-error.ts';
import { silentLogger } from '../../server/log.ts';
import { resourcePath } from '../../server/paths.ts';
import type { BuildContext } from '../../server/toolchain/build-request.ts';
import { createToolchain } from '../../server/toolchain/index.ts';
import type { Toolchain } from '../../server/toolchain/toolchain.ts';
import type { WorkerProcess } from '../support/farm.ts';
import type { Belongings } from './belongings.ts';
import { NativePeer } from './farm-peer.ts';
import { openBench, ownFolder, startRedis, startWorker, timed, whileRuns } from './farm-support.ts';
import { atLeast, atMost, type Figure, median, quantile, reported } from './figure.ts';
import { ownTarget } from './own-target.ts';
import { processorSeconds } from './processor-time.ts';

/** Builds that wait during a scan, and the maximum of builds that workers have begun besides. */
const WAITING = 20;

const echo = readFileSync(resourcePath('examples', 'echo.v'), 'utf8');

/** A design with wrong ports: an AXI-Lite slave. */
const NO_SLAVE = `module registers(
  input S_AXI_ACLK, S_AXI_ARESETN, input [7:0] S_AXI_AWADDR, input S_AXI_AWVALID, output S_AXI_AWREADY,
  input [31:0] S_AXI_WDATA, input [3:0] S_AXI_WSTRB, input S_AXI_WVALID, output S_AXI_WREADY,
  output [1:0] S_AXI_BRESP, output S_AXI_BVALID, input S_AXI_BREADY, input [7:0] S_AXI_ARADDR, input S_AXI_ARVALID,
  output S_AXI_ARREADY, output [31:0] S_AXI_RDATA, output [1:0] S_AXI_RRESP, output S_AXI_RVALID, input S_AXI_RREADY);
  assign S_AXI_AWREADY = 1, S_AXI_WREADY = 1, S_AXI_ARREADY = 1, S_AXI_RDATA = 0;
endmodule
`;

function virtualBoard() {
  const board = loadCatalogue().get(VIRTUAL_BOARD);
  if (!board) throw new Error('no virtual board');
  return board;
}

/** A request for a build of its own: no cache has anything of it. */
const requestOf = (what: string, source = echo) => ({
  source: Buffer.from(`${source}// ${what}\n`),
  filename: 'design.v',
  board: virtualBoard(),
  options: { timing_target_mhz: ownTarget() },
});

const QUIET: BuildContext = { log() {}, progress() {}, started: async () => {} };

/** A real build here and by a worker, in pairs. */
export async function measureEcho(own: Belongings, pairs: number): Promise<Figure[]> {
  const folder = await ownFolder(own);
  const redis = await startRedis(own);
  const bench = await openBench(own, redis.url);
  const options = { dataDir: path.join(folder, 'here'), logger: silentLogger };
  const local = await own.keep(createToolchain(options), (toolchain) => toolchain.close());
  const worker = await startWorker(own, redis.url, folder, 'worker');
  const [here, there]: [number[], number[]] = [[], []];
  const measured = [
    async (i: number) => here.push(await timed(() => local.build(requestOf(`here ${i}`), QUIET))),
    async (i: number) =>
      there.push(
        await timed(() => whileRuns([worker], bench.toolchain.build(requestOf(`there ${i}`), QUIET))),
      ),
  ];
  // The first of each loads the tools; which of a pair comes first changes.
  for (let i = 0; i <= pairs; i++) for (const one of i % 2 ? measured : measured.toReversed()) await one(i);
  const added = there.slice(1).map((far, i) => far - (here[i + 1] ?? 0));
  return [
    inSeconds('Echo, built here', here.slice(1)),
    inSeconds('Echo, built by a worker on this machine', there.slice(1)),
    atMost('  what the queue adds, median of pairs', median(added), 'ms', 50),
    reported('  half of the pairs lie within', quantile(added, 0.75) - quantile(added, 0.25), 'ms'),
  ];
}

/** @param took milliseconds */
const inSeconds = (name: string, took: readonly number[]): Figure =>
  reported(name, median(took) / 1000, 's', { runs: took.map((ms) => ms / 1000) });

/** Rounds of one worker and of two: the other load of the machine changes meanwhile. */
const ROUNDS = 3;

/** How much less the same builds take for two than for one, in each round. */
const timesFaster = (rounds: readonly { one: number; both: number }[]): number[] =>
  rounds.map(({ one, both }) => one / both);

/**
 * Real builds with one worker process of one slot, and with two. The installed tools run besides, to measure what a
 * second process gains on this machine at the same time.
 * @param count builds of each, in each round
 */
export async function measureWorkers(own: Belongings, count: number): Promise<Figure[]> {
  const folder = await ownFolder(own);
  const redis = await startRedis(own);
  const bench = await openBench(own, redis.url);
  const first = await startWorker(own, redis.url, folder, 'w1');
  const peer = await NativePeer.open(path.join(folder, 'peer'), virtualBoard());
  const builds = (running: readonly WorkerProcess[], what: string, many: number) => {
    const each = Array.from({ length: many }, (_, i) =>
      bench.toolchain.build(requestOf(`${what} ${i}`), QUIET),
    );
    return whileRuns(running, Promise.all(each));
  };
  const half = count / 2;
  await builds([first], 'warm', 1);
  const ours: { one: number; both: number }[] = [];
  const theirs: { one: number; both: number }[] = [];
  let processor = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const before = secondsOf(first);
    const one = await timed(() => builds([first], `one ${round}`, count));
    processor += secondsOf(first) - before;
    const second = await startWorker(own, redis.url, folder, 'w2');
    // The second has loaded its tools after its first build.
    await builds([first, second], `warm ${round}`, 4);
    const both = await timed(() => builds([first, second], `both ${round}`, count));
    ours.push({ one, both });
    await second.end('SIGTERM');
    if (!peer) continue;
    theirs.push({
      one: await timed(() => peer.builds('a', count)),
      both: await timed(() => Promise.all([peer.builds('a', half), peer.builds('b', half)])),
    });
  }
  const aMinute = (name: string, rounds: readonly { one: number }[]) => {
    const runs = rounds.map(({ one }) => (60_000 * count) / one);
    return reported(name, median(runs), '', { runs });
  };
  const build = median(ours.map(({ one }) => one)) / 1000 / count;
  const ofProcessor = processor / count / ROUNDS;
  return [
    aMinute('Builds a minute, one worker of one slot', ours),
    ...(Number.isNaN(processor)
      ? []
      : [reported('  the processor for one, worker and tools', ofProcessor, 's')]),
    atLeast('Two workers of one slot against one', median(timesFaster(ours)), '×', 1.8, {
      runs: timesFaster(ours),
      ...(Number.isNaN(processor) ? {} : { ifMissed: ceiling(build, ofProcessor) }),
    }),
    ...(peer
      ? [
          reported('  the installed tools by themselves, two against one', median(timesFaster(theirs)), '×', {
            runs: timesFaster(theirs),
          }),
          aMinute('  their builds of the base SoC a minute, one', theirs),
        ]
      : []),
  ];
}

/** Maximum gain of two workers on the cores of this machine. */
function ceiling(build: number, ofProcessor: number): string {
  const busy = ofProcessor / build;
  const cores = os.availableParallelism();
  return `One worker keeps ${busy.toFixed(2)} cores busy by itself, so that ${cores} cores give at most ${(cores / busy).toFixed(2)} ×.`;
}

/** Processor seconds of a worker and its tools; NaN where the system does not report them. */
const secondsOf = (worker: WorkerProcess): number => processorSeconds(worker.child.pid ?? 0) ?? Number.NaN;

/** How long scans take while builds wait: with a worker of one slot, and on one PC. */
export async function measureScans(own: Belongings): Promise<Figure[]> {
  const folder = await ownFolder(own);
  const redis = await startRedis(own);
  const bench = await openBench(own, redis.url, true);
  const worker = await startWorker(own, redis.url, folder, 'w1');
  const farm = await whileRuns([worker], scansOn(bench.toolchain, 'on a farm'));
  await worker.end();
  const options = { dataDir: path.join(folder, 'here'), logger: silentLogger };
  const local = await own.keep(createToolchain(options), (toolchain) => toolchain.close());
  return [...farm, ...(await scansOn(local, 'on one PC'))];
}

async function scansOn(toolchain: Toolchain, where: string): Promise<Figure[]> {
  await toolchain.scan(requestOf('warm'), QUIET);
  // One each: Node warns from eleven listeners on.
  const stops = Array.from({ length: WAITING + 4 }, () => new AbortController());
  let begun = 0;
  let first = () => {};
  const oneBegan = new Promise<void>((resolve) => {
    first = resolve;
  });
  const started = async () => {
    begun++;
    first();
  };
  // The waiting builds, and one for every slot.
  const builds = stops.map(({ signal }, i) =>
    toolchain.build(requestOf(`${where} ${i}`), { ...QUIET, started, signal }),
  );
  const ended = Promise.allSettled(builds);
  await Promise.race([oneBegan, Promise.all(builds)]);
  const scanned = await timed(() => toolchain.scan(requestOf('scanned'), QUIET));
  const refused = await timed(() => refusal(toolchain));
  const waiting = builds.length - begun;
  for (const stop of stops) stop.abort();
  await ended;
  if (waiting < WAITING) throw new Error(`only ${waiting} builds waited ${where}`);
  return [
    atMost(`Scan while ${WAITING} builds wait ${where}`, scanned / 1000, 's', 2),
    atMost('  a design that cannot be right, submitted behind them', refused / 1000, 's', 2),
  ];
}

/** Resolves when a design without a slave is refused for that. */
async function refusal(toolchain: Toolchain): Promise<void> {
  try {
    await toolchain.build(requestOf('refused', NO_SLAVE), QUIET);
  } catch (error) {
    if (error instanceof BenchError && error.code === 'design_no_slave') return;
    throw error;
  }
  throw new Error('a design without a slave was built');
}
