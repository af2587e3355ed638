import type { Redis } from 'ioredis';
import { pause, systemClock } from '../../server/clock.ts';
import { silentLogger } from '../../server/log.ts';
import { queueOf } from '../../server/toolchain/farm/capabilities.ts';
import { runScript } from '../../server/toolchain/farm/connection.ts';
import { readFarm } from '../../server/toolchain/farm/farm-view.ts';
import type { WorkerCard } from '../../server/toolchain/farm/messages.ts';
import { createToolchain } from '../../server/toolchain/index.ts';
import { hasChromium, launchBrowser } from '../support/browser/browser.ts';
import { ServiceProcess } from '../support/browser/service.ts';
import type { Belongings } from './belongings.ts';
import { openBench, ownFolder, startRedis } from './farm-support.ts';
import { type Figure, reported } from './figure.ts';
import { tasksDuring } from './page-watch.ts';

const WORKERS = 100;
const WAITING = 5000;
/** Time that the screen is watched, ms: it requests data every two seconds. */
const WATCHED_MS = 15_000;

/** How often the farm is read for what reading it costs. */
const READS = 200;

/** Redis's cost of one reading of the whole farm: milliseconds of its processor, and kB sent. */
async function costOfReading(redis: Redis, name: string, most: number, building: number): Promise<Figure[]> {
  const told = async () => {
    const text = `${await redis.info('cpu')}${await redis.info('stats')}`;
    const value = (field: string) => Number(new RegExp(`^${field}:([\\d.]+)`, 'm').exec(text)?.[1]);
    const seconds = value('used_cpu_user') + value('used_cpu_sys');
    return { seconds, bytes: value('total_net_output_bytes') };
  };
  const before = await told();
  for (let i = 0; i < READS; i++) await readFarm(redis, most, building);
  const after = await told();
  return [
    reported(`${name}: of Redis`, (1000 * (after.seconds - before.seconds)) / READS, 'ms'),
    reported(`${name}: over the network`, (after.bytes - before.bytes) / READS / 1000, 'kB'),
  ];
}

/** The screen of the farm with very many workers and builds, and what reading the farm costs. */
export async function measureFarmView(own: Belongings): Promise<Figure[]> {
  if (!hasChromium) return [reported('The farm in the browser: no Chromium to look with', 0, '')];
  const folder = await ownFolder(own);
  const redis = await startRedis(own);
  const bench = await openBench(own, redis.url);
  const options = { dataDir: folder, logger: silentLogger };
  const tools = await own.keep(createToolchain(options), (toolchain) => toolchain.close());
  const service = await own.keep(new ServiceProcess(folder), (process) => process.stop('SIGKILL'));
  const browser = await own.keep(launchBrowser(), (one) => one.close());
  const capabilities = await tools.capabilities();
  const offers = capabilities.flatMap((one) => [queueOf(one), JSON.stringify(one)]);
  await redis.with(async (client) => {
    for (let i = 0; i < WORKERS; i++) {
      const card: WorkerCard = {
        id: `w${i}`,
        name: `builder-${i}`,
        version: '1.0.0',
        slots: 8,
        busy: i % 9,
        leaving: false,
        built: 1000 + i,
        failed: i,
        queues: capabilities.map(queueOf),
      };
      await runScript(client, 'announce', [card.id, JSON.stringify(card), 600_000, ...offers]);
    }
  });
  for (let i = 0; i < WAITING; i++)
    bench.build(`module m${i}; endmodule`, { owner: `owner-${i % 40}`, filename: `d${i}.v` });
  while ((await readFarm(bench.farm.redis, 0, 0)).waiting < WAITING) await pause(systemClock, 100);
  const costs = await redis.with(async (client) => [
    ...(await costOfReading(client, '  what every bench reads of it each 2 s', 0, 0)),
    ...(await costOfReading(client, '  what is read for a window', 100, 1000)),
  ]);
  await service.resume();
  const settings = JSON.stringify({ toolchain: { queue: redis.url } });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${service.url}/settings`, { method: 'PUT', headers, body: settings });
  if (!answer.ok) throw new Error(`the setting was refused: ${await answer.text()}`);
  await service.stop();
  await service.resume();
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.goto(`${service.url}/#/builds`);
  await page.getByText(`builder-${WORKERS - 1}`).waitFor();
  const tasks = await tasksDuring(browser, `The farm with ${WORKERS} workers, ${WAITING} waiting`, () =>
    page.waitForTimeout(WATCHED_MS),
  );
  return [...tasks, ...costs];
}
