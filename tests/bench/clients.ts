import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import WebSocket from 'ws';
import { type Bench, createBench } from '../../server/bench.ts';
import { type Client, createClient } from '../../server/contract/client/client.ts';
import { openStream, type SocketConstructor } from '../../server/contract/client/stream.ts';
import { silentLogger } from '../../server/log.ts';
import { resourcePath } from '../../server/paths.ts';
import { BinaryClient } from '../stream/support/binary-client.ts';
import { EtherboneClient } from '../stream/support/etherbone-client.ts';
import { freePorts } from '../stream/support/free-ports.ts';
import { measureCommand } from './command.ts';
import { atLeast, atMost, type Figure, median, quantile, reported } from './figure.ts';
import { flushes } from './flushes.ts';

const BAUD = 3_000_000;
/** Words of a burst: the longest run there is by default. */
const BURST = 65_536;
const VIEWERS = 200;
const VIEWING_MS = 10_000;

const RUNS = 200;

/** Milliseconds of each of many requests whose answer is the word. */
async function waitedRuns(client: Client): Promise<number[]> {
  const took: number[] = [];
  for (let i = 0; i < RUNS; i++) {
    const began = performance.now();
    const answer = await client.runTransaction({
      fpga_id: 0,
      wait: 5,
      body: { op: 2, address: 0, count: 1 },
    });
    if (!('ok' in answer && answer.ok)) throw new Error('the run did not end in five seconds');
    took.push(performance.now() - began);
  }
  return took;
}

/** How many times a second `work` can be done one after the other: the median of five times `count`. */
async function rate(count: number, work: () => Promise<unknown>): Promise<number> {
  const rates: number[] = [];
  for (let round = 0; round < 5; round++) {
    const began = performance.now();
    for (let i = 0; i < count; i++) await work();
    rates.push((count / (performance.now() - began)) * 1000);
  }
  return median(rates);
}

/** Share of the line's rate that a burst reaches, per cent; the best of three, for others use the machine, too. */
async function share(work: () => Promise<unknown>): Promise<number> {
  let best = 0;
  for (let round = 0; round < 3; round++) {
    const began = performance.now();
    await work();
    const seconds = (performance.now() - began) / 1000;
    best = Math.max(best, ((BURST * 4 * 10) / BAUD / seconds) * 100);
  }
  return best;
}

/** What the whole process, the service and its viewers, uses of a core while they watch one register that rests. */
async function viewing(bench: Bench): Promise<number> {
  const streams = await Promise.all(
    Array.from({ length: VIEWERS }, () =>
      openStream({ base: bench.url }, 0, { WebSocket: WebSocket as SocketConstructor }),
    ),
  );
  await Promise.all(streams.map((stream) => stream.subscribe([{ address: 0 }], 100, () => {})));
  const before = process.cpuUsage();
  const began = performance.now();
  await new Promise((resolve) => setTimeout(resolve, VIEWING_MS));
  const { user, system } = process.cpuUsage(before);
  const used = (user + system) / 1000 / (performance.now() - began);
  for (const stream of streams) stream.close();
  await Promise.all(streams.map(({ closed }) => closed));
  return used * 100;
}

/** What clients get of a node on a virtual board: everything real, client and service in one process. */
export async function measureClients(): Promise<Figure[]> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'wishbench-clients-'));
  const bench = await createBench({ dataDir, port: 0, logger: silentLogger });
  try {
    const base = await freePorts(10);
    await bench.settings.apply({ network: { etherbone_port: base } });
    const client = createClient({ base: bench.url });
    const contents = readFileSync(path.join(resourcePath('examples'), 'echo.v'), 'utf8');
    const job = await client.submitDesign({ fpga_id: 0, body: { file: { name: 'echo.v', contents } } });
    await client.jobEnded(job);
    const stream = await BinaryClient.open(bench.url, 0);
    const figures: Figure[] = [];
    await rate(1000, () => stream.read(0, 1)); // warm
    const before = process.cpuUsage();
    const single = await rate(2000, () => stream.read(0, 1));
    const { user, system } = process.cpuUsage(before);
    figures.push(
      atLeast('Stream: words read one after the other', single, '/s', 5000),
      reported(
        'of one such word: processor time of client, service and board',
        (user + system) / 10_000,
        'µs',
      ),
    );
    const writes = await rate(2000, () => stream.write(0, [1]));
    figures.push(atLeast('Stream: words written one after the other', writes, '/s', 5000));
    const words = Array.from({ length: BURST }, (_, i) => i);
    const written = await share(() => stream.write(0, words));
    figures.push(atLeast('Stream: a burst written, share of 3 Mbaud', written, '%', 95));
    const read = await share(() => stream.read(0, BURST));
    figures.push(atLeast('Stream: a burst read, share of 3 Mbaud', read, '%', 95));
    stream.close();
    await once(stream.socket, 'close');
    const waited = await waitedRuns(client);
    figures.push(
      atMost('run?wait=5: POST to the word that was read, median', median(waited), 'ms', 3),
      atMost('the same, p99', quantile(waited, 0.99), 'ms', 10),
      ...flushes(dataDir),
    );
    const viewers = await viewing(bench);
    figures.push(
      atMost(
        `Stream: ${VIEWERS} viewers of one register polled 10 times a second`,
        viewers,
        '% of a core',
        10,
      ),
    );
    const litex = await EtherboneClient.open(base);
    await rate(500, () => litex.read([0])); // warm
    const etherbone = await rate(1000, () => litex.read([0]));
    figures.push(atLeast('Etherbone: words read one after the other', etherbone, '/s', 1000));
    litex.close();
    return [...figures, ...(await measureCommand())];
  } finally {
    await bench.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}
