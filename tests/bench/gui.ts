import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { distPath, resourcePath } from '../../server/paths.ts';
import { goTo, hasChromium, launchBrowser } from '../support/browser/browser.ts';
import { ServiceProcess } from '../support/browser/service.ts';
import { atLeast, atMost, type Figure, median, quantile, reported } from './figure.ts';
import { busyBench, editLoop, typing, typingCost } from './gui-flow.ts';
import { busyPlot, manyTransactions } from './gui-registers.ts';
import { type LogStream, startLogStream } from './log-stream.ts';
import { forget, shown, tasksDuring, WATCH, watched } from './page-watch.ts';
import { measureParts, type Part } from './parts.ts';
import { measureSlowLink } from './slow-link.ts';

const LINES_PER_SECOND = 5_000;
const STREAM_SECONDS = 8;
const LOG_BYTES = 4 << 20;
/** All parts together, seconds. */
const MAX_SECONDS = 230;

async function open(browser: Browser, url: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.addInitScript(WATCH);
  await page.goto(url);
  return page;
}

/** The scripts of the first page, as a server with gzip sends them. */
function initialScripts(): Figure {
  const html = readFileSync(distPath('renderer', 'index.html'), 'utf8');
  const scripts = [...html.matchAll(/(?:src|href)="\.\/(assets\/[^"]+\.js)"/g)].map(
    (match) => match[1] ?? '',
  );
  if (scripts.length === 0) throw new Error('The page names no script.');
  const bytes = scripts.reduce(
    (sum, name) => sum + gzipSync(readFileSync(path.join(distPath('renderer'), name)), { level: 9 }).length,
    0,
  );
  return atMost('initial JavaScript, compressed', bytes / 1000, 'kB', 350);
}

/** The first visit and a long log of a real build, over a slow link. */
async function slowLink(browser: Browser, service: ServiceProcess): Promise<Figure[]> {
  const echo = readFileSync(resourcePath('examples', 'echo.v'));
  return measureSlowLink(browser, service, await service.build(0, 'echo.v', echo, 'anonymous'));
}

/** From the request for the page to ten live nodes on it, with an empty browser cache. */
async function firstVisit(browser: Browser, url: string): Promise<Figure> {
  const times: number[] = [];
  for (let i = 0; i < 5; i += 1) {
    const page = await open(browser, url);
    await shown(page);
    times.push((await watched(page)).ready ?? Number.NaN);
    await page.context().close();
  }
  return atMost('first visit to ten live nodes shown, median of 5', median(times), 'ms', 600);
}

/** The log view while a job writes 5,000 lines a second. */
async function fastLog(browser: Browser, stream: LogStream): Promise<Figure[]> {
  const page = await open(browser, `${stream.url}/#/node/0/log`);
  await page.locator('.log-line').first().waitFor();
  await page.waitForTimeout(500);
  await forget(page);
  const what = `log at ${LINES_PER_SECOND} lines/s for ${STREAM_SECONDS} s`;
  const tasks = await tasksDuring(browser, what, async () => {
    const sent = await stream.send(LINES_PER_SECOND, STREAM_SECONDS);
    await page.locator('.log-line', { hasText: `line ${sent - 1} ` }).waitFor({ timeout: 20_000 });
  });
  const { frames } = await watched(page);
  await page.context().close();
  return [...tasks, reported('the same: 95th quantile of frames', quantile(frames, 0.95), 'ms')];
}

/** A log of 4 MiB: until its end is shown, and scrolled through from end to beginning. */
async function longLog(browser: Browser, stream: LogStream): Promise<Figure[]> {
  stream.fill(LOG_BYTES);
  const page = await open(browser, stream.url);
  await shown(page);
  let opened = 0;
  const tasks = await tasksDuring(browser, 'log of 4 MiB opened and scrolled through', async () => {
    const started = Date.now();
    await goTo(page, '#/node/0/log');
    await page.locator('.log-line', { hasText: stream.lastLine }).waitFor();
    opened = Date.now() - started;
    await page.waitForTimeout(500);
    await page.mouse.move(600, 500);
    for (let i = 0; i < 60; i += 1) {
      await page.mouse.wheel(0, -20_000);
      await page.waitForTimeout(16);
    }
  });
  await page.context().close();
  return [reported('log of 4 MiB: from the click to its end shown', opened, 'ms'), ...tasks];
}

/** The subjects of the parts: the real service, and a job whose log grows at any rate. */
interface Measured {
  service: ServiceProcess;
  stream: LogStream;
}

/** In the order in which they are measured; a free machine needs half of the seconds that each may take. */
const PARTS: Part<Browser, Measured>[] = [
  ['first visit', 20, async (browser, { service }) => [await firstVisit(browser, service.url)]],
  ['60 kB/s', 60, (browser, { service }) => slowLink(browser, service)],
  ['log that grows fast', 30, (browser, { stream }) => fastLog(browser, stream)],
  ['long log', 30, (browser, { stream }) => longLog(browser, stream)],
  ['10,000 transactions', 45, (browser, { service }) => manyTransactions(browser, service)],
  ['plot', 90, (browser, { service }) => busyPlot(browser, service)],
  ['typing', 40, (browser, { service }) => typing(browser, service)],
  ['typing much', 30, async (browser, { service }) => [await typingCost(browser, service)]],
  ['editing and trying', 60, (browser, { service }) => editLoop(browser, service)],
  ['busy bench', 45, (browser, { service }) => busyBench(browser, service)],
];

/**
 * The targets of the GUI, in Chromium without a GPU. Ends within four minutes; an unmeasured figure counts as missed.
 */
export async function measureGui(): Promise<Figure[]> {
  const scripts = initialScripts();
  if (!hasChromium) return [scripts, atLeast('Chromium is installed', 0, '', 1)];
  const [service, stream] = await Promise.all([ServiceProcess.start(), startLogStream()]);
  try {
    return [scripts, ...(await measureParts(PARTS, { service, stream }, MAX_SECONDS, launchBrowser))];
  } finally {
    await Promise.all([stream.close(), service.close()]);
  }
}
