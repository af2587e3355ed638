import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import WebSocket from 'ws';
import { type Client, createClient } from '../../server/contract/client/client.ts';
import { openStream, type SocketConstructor } from '../../server/contract/client/stream.ts';
import { resourcePath } from '../../server/paths.ts';
import { freePorts } from '../support/free-ports.ts';
import { BinaryClient } from '../support/stream/binary-client.ts';
import { EtherboneClient } from '../support/stream/etherbone-client.ts';
import { measureCommand } from './command.ts';
import { atLeast, atMost, type Figure, median, quantile, reported } from './figure.ts';
import { flushes } from './flushes.ts';
import { RUNS_UNTIL_SETTLED, ServiceProcess } from './service-process.ts';

const BAUD = 3_000_000;
/** Words of a burst: the longest run there is by default. */
const BURST = 65_536;
/** Words that a client requests before it has the first of them. */
const UNDER_WAY = 8;
const VIEWERS = 200;
const VIEWING_MS = 10_000;

const RUNS = 600;
/** Words by which V8 has compiled what they go through. */
const WORDS_UNTIL_SETTLED = 8000;

/** Milliseconds of each of many requests whose answer is the word. */
async function waitedRuns(client: Client, count: number): Promise<number[]> {
  const took: number[] = [];
  for (let i = 0; i < count; i++) {
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

/**
 * How many times a second `work` completes: the median of five rounds, in each of which several clients do it `count`
 * times in parallel.
 */
async function rate(count: number, work: () => Promise<unknown>, sideBySide = 1): Promise<number> {
  const rates: number[] = [];
  const oneAfterTheOther = async () => {
    for (let i = 0; i < count; i++) await work();
  };
  for (let round = 0; round < 5; round++) {
    const began = performance.now();
    await Promise.all(Array.from({ length: sideBySide }, oneAfterTheOther));
    rates.push(((count * sideBySide) / (performance.now() - began)) * 1000);
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

/** Milliseconds of processor time of the service with its boards, and of this process, its client. */
function processorTime(service: ServiceProcess): { service: number; client: number } {
  const threads = [...service.threadTimes().values()];
  const { user, system } = process.cpuUsage();
  return {
    service: threads.reduce((sum, { milliseconds }) => sum + milliseconds, 0),
    client: (user + system) / 1000,
  };
}

/** Share of a core of the service and its viewers while these watch one register at rest, per cent. */
async function viewing(bench: ServiceProcess): Promise<number> {
  const streams = await Promise.all(
    Array.from({ length: VIEWERS }, () =>
      openStream({ base: bench.url }, 0, { WebSocket: WebSocket as SocketConstructor }),
    ),
  );
  await Promise.all(streams.map((stream) => stream.subscribe([{ address: 0 }], 100, () => {})));
  const before = processorTime(bench);
  const began = performance.now();
  await new Promise((resolve) => setTimeout(resolve, VIEWING_MS));
  const after = processorTime(bench);
  const spent = after.service - before.service + after.client - before.client;
  const used = spent / (performance.now() - began);
  for (const stream of streams) stream.close();
  await Promise.all(streams.map(({ closed }) => closed));
  return used * 100;
}

/** Words one by one, each requested after the one before, and several in flight. */
async function measureWords(service: ServiceProcess): Promise<Figure[]> {
  const stream = await BinaryClient.open(service.url, 0);
  try {
    for (let i = 0; i < WORDS_UNTIL_SETTLED; i++) await stream.read(0, 1);
    for (let i = 0; i < WORDS_UNTIL_SETTLED; i++) await stream.write(0, [1]);
    const before = processorTime(service);
    const read = await rate(2000, () => stream.read(0, 1));
    const after = processorTime(service);
    const written = await rate(2000, () => stream.write(0, [1]));
    const together = await rate(500, () => stream.read(0, 1), UNDER_WAY);
    const words = Array.from({ length: BURST }, (_, i) => i);
    return [
      atLeast('Stream: words read one after the other', read, '/s', 5000),
      reported(
        'of one such word: processor time of service and board',
        (after.service - before.service) / 10,
        'µs',
      ),
      reported('of one such word: processor time of the client', (after.client - before.client) / 10, 'µs'),
      atLeast('Stream: words written one after the other', written, '/s', 5000),
      atLeast(`Stream: words read, ${UNDER_WAY} under way`, together, '/s', 5000),
      atLeast(
        'Stream: a burst written, share of 3 Mbaud',
        await share(() => stream.write(0, words)),
        '%',
        95,
      ),
      atLeast('Stream: a burst read, share of 3 Mbaud', await share(() => stream.read(0, BURST)), '%', 95),
    ];
  } finally {
    stream.close();
    await once(stream.socket, 'close');
  }
}

/** Speed of clients on a node of a virtual board: everything real, the service a process of its own. */
export async function measureClients(): Promise<Figure[]> {
  const service = await ServiceProcess.start();
  try {
    const base = await freePorts(10);
    const client = createClient({ base: service.url });
    await client.changeSettings({ body: { network: { etherbone_port: base } } });
    const echo = readFileSync(resourcePath('examples', 'echo.v'), 'utf8');
    await service.ended(0, await service.submit(0, 'echo.v', echo));
    const words = await measureWords(service);
    await waitedRuns(client, RUNS_UNTIL_SETTLED);
    const waited = await waitedRuns(client, RUNS);
    const runs = [
      atMost('run?wait=5: POST to the word that was read, median', median(waited), 'ms', 3),
      atMost('the same, p99', quantile(waited, 0.99), 'ms', 10),
      ...flushes(service.dataFolder),
    ];
    const viewers = atMost(
      `Stream: ${VIEWERS} viewers of one register polled 10 times a second`,
      await viewing(service),
      '% of a core',
      10,
    );
    const litex = await EtherboneClient.open(base);
    await rate(500, () => litex.read([0])); // warm
    const etherbone = await rate(1000, () => litex.read([0]));
    litex.close();
    return [
      ...words,
      ...runs,
      viewers,
      atLeast('Etherbone: words read one after the other', etherbone, '/s', 1000),
      ...(await measureCommand()),
    ];
  } finally {
    await service.stop();
  }
}
