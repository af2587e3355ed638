import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { distPath, resourcePath } from '../../server/paths.ts';
import { goTo, hasChromium, launchBrowser } from '../e2e/support/browser.ts';
import { ServiceProcess } from '../e2e/support/service.ts';
import { atLeast, atMost, type Figure, median, reported } from './figure.ts';
import { type LogStream, startLogStream } from './log-stream.ts';
import { forget, shown, WATCH, watched } from './page-watch.ts';

const LINES_PER_SECOND = 5_000;
const STREAM_SECONDS = 8;
const LOG_BYTES = 4 << 20;
const TRANSACTIONS = 10_000;

async function open(browser: Browser, url: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.addInitScript(WATCH);
  await page.goto(url);
  return page;
}

const longest = (durations: readonly number[]): number => Math.max(0, ...durations);
const percentile = (values: readonly number[], p: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * p))] ?? Number.NaN;

/** The scripts that the page loads before it is asked for anything, as a server with gzip would send them. */
function initialScripts(): Figure {
  const html = readFileSync(distPath('renderer', 'index.html'), 'utf8');
  const scripts = [...html.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)].map((match) => match[1] ?? '');
  const bytes = scripts.reduce(
    (sum, name) => sum + gzipSync(readFileSync(path.join(distPath('renderer'), name)), { level: 9 }).length,
    0,
  );
  return atMost('initial JavaScript, compressed', bytes / 1000, 'kB', 350);
}

/** From the request for the page to ten live nodes on it, nothing in the browser's cache. */
async function firstVisit(browser: Browser, url: string): Promise<Figure> {
  const times: number[] = [];
  for (let i = 0; i < 5; i += 1) {
    const page = await open(browser, url);
    await shown(page);
    times.push((await watched(page)).ready ?? Number.NaN);
    await page.context().close();
  }
  return atMost('first visit to ten live nodes shown, median of 5', median(times), 'ms', 1000);
}

/** The log view while a job writes 5,000 lines a second. */
async function fastLog(browser: Browser, stream: LogStream): Promise<Figure[]> {
  const page = await open(browser, `${stream.url}/#/node/0/log`);
  await page.locator('.log-line').first().waitFor();
  await page.waitForTimeout(500);
  await forget(page);
  const sent = await stream.send(LINES_PER_SECOND, STREAM_SECONDS);
  await page.locator('.log-line', { hasText: `line ${sent - 1} ` }).waitFor({ timeout: 20_000 });
  const { tasks, frames } = await watched(page);
  await page.context().close();
  return [
    atMost(
      `log at ${LINES_PER_SECOND} lines/s for ${STREAM_SECONDS} s: longest task`,
      longest(tasks),
      'ms',
      100,
    ),
    reported('the same: 95th percentile of frames', percentile(frames, 0.95), 'ms'),
  ];
}

/** A log of 4 MiB: until its end is shown, and scrolled through from end to beginning. */
async function longLog(browser: Browser, stream: LogStream): Promise<Figure[]> {
  stream.fill(LOG_BYTES);
  const page = await open(browser, stream.url);
  await shown(page);
  const started = Date.now();
  await goTo(page, '#/node/0/log');
  await page.locator('.log-line', { hasText: stream.lastLine }).waitFor();
  const opened = Date.now() - started;
  await page.waitForTimeout(500);
  await forget(page);
  await page.mouse.move(600, 500);
  for (let i = 0; i < 60; i += 1) {
    await page.mouse.wheel(0, -20_000);
    await page.waitForTimeout(16);
  }
  const { tasks } = await watched(page);
  await page.context().close();
  return [
    reported('log of 4 MiB: from the click to its end shown', opened, 'ms'),
    atMost('log of 4 MiB scrolled through: longest task', longest(tasks), 'ms', 100),
  ];
}

/** Answers runs in the page itself, so that what is measured is the page and not the network. */
const ANSWER_RUNS = `
  const real = window.fetch;
  let id = 0;
  const json = (value, status = 200) => new Response(JSON.stringify(value), { status, headers: { 'content-type': 'application/json' } });
  window.fetch = async (input, init) => {
    const address = String(input);
    const uuid = () => '00000000-0000-4000-8000-' + String(++id).padStart(12, '0');
    if (init?.method === 'POST' && address.endsWith('/run')) return json({ job_id: uuid(), fpga_id: 0, status: 'queued' }, 202);
    const match = /\\/fpga\\/0\\/jobs\\/(00000000-0000-4000-8000-\\d{12})\\/(details|result)/.exec(address);
    if (!match) return real(input, init);
    if (match[2] === 'result') return json({ ok: true, data: [id] });
    return json({ job_id: match[1], fpga_id: 0, type: 'run', status: 'complete', created_at: '', updated_at: '', owner: 'a' });
  };
`;

/** Types a command into the register view and sends it, as often as asked, a few in every frame. */
const SEND_COMMANDS = (count: number) => `(async () => {
  const field = document.querySelector('[data-register-command]');
  const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;
  for (let i = 0; i < ${count}; i += 1) {
    set.call(field, '0x' + (4 * (i % 64)).toString(16));
    field.dispatchEvent(new Event('input', { bubbles: true }));
    await Promise.resolve();
    field.form.requestSubmit();
    if (i % 10 === 9) await new Promise(requestAnimationFrame);
  }
})()`;

/** The register view with 10,000 transactions in its history: scrolled, and with more of them coming. */
async function manyTransactions(browser: Browser, url: string): Promise<Figure[]> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.addInitScript(WATCH + ANSWER_RUNS);
  await page.goto(`${url}/#/node/0/registers`);
  await page.locator('[data-register-command]').waitFor();
  await page.evaluate(SEND_COMMANDS(TRANSACTIONS));
  const history = page.getByRole('region', { name: 'Transactions' }).last();
  await history.hover();
  await page.waitForTimeout(1000);
  await forget(page);
  const more = page.evaluate(SEND_COMMANDS(300));
  for (let i = 0; i < 100; i += 1) {
    await page.mouse.wheel(0, i < 50 ? -4_000 : 4_000);
    await page.waitForTimeout(16);
  }
  await more;
  const { tasks, frames } = await watched(page);
  await context.close();
  return [
    atMost('10,000 transactions, scrolled while more come: longest task', longest(tasks), 'ms', 100),
    atMost('the same: 95th percentile of frames', percentile(frames, 0.95), 'ms', 50),
  ];
}

/** What the GUI must reach, in Chromium without a GPU. */
export async function measureGui(): Promise<Figure[]> {
  const scripts = initialScripts();
  if (!hasChromium) return [scripts, atLeast('Chromium is installed', 0, '', 1)];
  const [service, browser] = await Promise.all([ServiceProcess.start(), launchBrowser()]);
  const stream = await startLogStream();
  try {
    const visit = await firstVisit(browser, service.url);
    await service.build(0, 'echo.v', readFileSync(resourcePath('examples', 'echo.v')), 'bench');
    return [
      visit,
      scripts,
      ...(await fastLog(browser, stream)),
      ...(await longLog(browser, stream)),
      ...(await manyTransactions(browser, service.url)),
    ];
  } finally {
    await stream.close();
    await browser.close();
    await service.close();
  }
}
