import { readFileSync, writeFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { goTo } from '../support/browser/browser.ts';
import type { ServiceProcess } from '../support/browser/service.ts';
import { atMost, type Figure, median } from './figure.ts';
import { shown, WATCH, watched } from './page-watch.ts';

/** Bytes a second. */
const SLOW_LINK = 60_000;
/** A log that is long for such a link. */
const SLOW_LOG_BYTES = 1_900_000;

/** A page over a slow link: delivery takes its time, whatever disk and processor do. */
async function openSlowly(browser: Browser): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.addInitScript(WATCH);
  const link = await context.newCDPSession(page);
  await link.send('Network.enable');
  await link.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: SLOW_LINK,
    uploadThroughput: SLOW_LINK,
  });
  return page;
}

/** The first visit at 60 kB/s, and a long log: the log of a real build, repeated until it is 1.9 MB. */
export async function measureSlowLink(
  browser: Browser,
  service: ServiceProcess,
  jobId: string,
): Promise<Figure[]> {
  const times: number[] = [];
  for (let i = 0; i < 3; i += 1) {
    const page = await openSlowly(browser);
    await page.goto(service.url);
    await shown(page);
    times.push((await watched(page)).ready ?? Number.NaN);
    await page.context().close();
  }
  // Farther apart than the 32 KiB that gzip looks back, so that repeating it makes it no more compressible.
  const log = readFileSync(service.logFile(0, jobId));
  const copies = Array.from({ length: Math.ceil(SLOW_LOG_BYTES / log.length) }, () => log);
  writeFileSync(service.logFile(0, jobId), Buffer.concat(copies).subarray(0, SLOW_LOG_BYTES));
  const page = await openSlowly(browser);
  await page.goto(service.url);
  await shown(page);
  await page.waitForTimeout(2_000);
  const loaded = page.waitForEvent('requestfinished', {
    predicate: (request) => request.url().includes('/logs'),
    timeout: 60_000,
  });
  const started = Date.now();
  await goTo(page, `#/node/0/log?job=${jobId}`);
  await loaded;
  await page.locator('.log-line').first().waitFor();
  const opened = Date.now() - started;
  await page.context().close();
  return [
    atMost('first visit at 60 kB/s to ten live nodes shown, median of 3', median(times), 'ms', 2000),
    atMost('log of 1.9 MB at 60 kB/s, from the click to its end shown', opened, 'ms', 6000),
  ];
}
