import { pause, systemClock } from '../../server/clock.ts';
import { silentLogger } from '../../server/log.ts';
import { createToolchain } from '../../server/toolchain/index.ts';
import { queueOf } from '../../server/toolchain/remote/capabilities.ts';
import { runScript } from '../../server/toolchain/remote/connection.ts';
import { readFarm } from '../../server/toolchain/remote/farm-view.ts';
import type { WorkerCard } from '../../server/toolchain/remote/messages.ts';
import { hasChromium, launchBrowser } from '../e2e/support/browser.ts';
import { ServiceProcess } from '../e2e/support/service.ts';
import type { Belongings } from './belongings.ts';
import { openBench, ownFolder, startRedis } from './farm-support.ts';
import { type Figure, reported } from './figure.ts';
import { tasksDuring } from './page-watch.ts';

const WORKERS = 100;
const WAITING = 5000;
/** How long the screen is watched, ms: it asks every two seconds. */
const WATCHED_MS = 15_000;

/** The screen of the farm with very many workers and builds. */
export async function measureFarmView(own: Belongings): Promise<Figure[]> {
  if (!hasChromium) return [reported('The farm in the browser: no Chromium to look with', 0, '')];
  const folder = await ownFolder(own);
  const redis = await startRedis(own);
  const bench = await openBench(own, redis.url);
  const options = { dataDir: folder, logger: silentLogger, engine: 'embedded' as const };
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
  while ((await readFarm(bench.farm.redis, 0)).waiting < WAITING) await pause(systemClock, 100);
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
  return await tasksDuring(browser, `The farm with ${WORKERS} workers, ${WAITING} waiting`, () =>
    page.waitForTimeout(WATCHED_MS),
  );
}
