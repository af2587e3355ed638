import type { Browser, Page } from 'playwright-core';
import { WebSocket } from 'ws';
import { openStream, type SocketConstructor } from '../../server/contract/client/stream.ts';
import type { ServiceProcess } from '../support/browser/service.ts';
import { atMost, type Figure, longest, quantile, reported } from './figure.ts';
import { forget, tasksDuring, WATCH, watched } from './page-watch.ts';

const TRANSACTIONS = 10_000;
/** How long the plot is watched as it is, milliseconds. */
const AS_IT_IS = 20_000;

/**
 * Answers the transaction stream in the page itself, so that the measurement has no network. Polled words change at
 * every tick; `window.ticks(count)` makes `count` ticks at once.
 */
const ANSWER_STREAM = `
  const subscriptions = new Map();
  let tick = 0;
  const words = (address, count) => Array.from({ length: count }, (_, at) =>
    Math.round(32768 + 30000 * Math.sin((tick + 97 * (address / 4 + at)) / (20 + address / 4 + at))));
  const tickOnce = () => {
    tick += 1;
    for (const { socket, id, poll } of subscriptions.values())
      for (const { address, count = 1 } of poll)
        socket.tell({ type: 'change', id, address, data: words(address, count), at: new Date().toISOString() });
  };
  window.ticks = (count) => { for (let i = 0; i < count; i += 1) tickOnce(); };
  window.WebSocket = class {
    constructor() { setTimeout(() => this.onopen?.(new Event('open'))); }
    tell(message) { this.onmessage?.({ data: JSON.stringify(message) }); }
    close() {}
    send(text) {
      const request = JSON.parse(text);
      const { id, op, poll, every_ms: every } = request;
      if (poll) {
        clearInterval(subscriptions.get(id)?.timer);
        if (poll.length === 0) subscriptions.delete(id);
        else subscriptions.set(id, { socket: this, id, poll, timer: window.stopped ? 0 : setInterval(tickOnce, every) });
      }
      setTimeout(() => this.tell({ type: 'answer', id, ok: true, ms: 0.3, ...(op === 'read' && { data: words(request.address, request.count ?? 1) }) }));
    }
  };
`;

/** Types commands into the register view and sends them, one per frame. */
const SEND_COMMANDS = (count: number) => `(async () => {
  const field = document.querySelector('[data-register-command]');
  const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;
  for (let i = 0; i < ${count}; i += 1) {
    set.call(field, '0x' + (4 * (i % 64)).toString(16));
    field.dispatchEvent(new Event('input', { bubbles: true }));
    await Promise.resolve();
    field.form.requestSubmit();
    await new Promise(requestAnimationFrame);
  }
})()`;

/** A page of the anonymous holder of the measured nodes. */
async function openHolder(browser: Browser, url: string, script: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  const holder = JSON.stringify({ nameAsked: true, windowName: '' });
  await page.addInitScript(
    `${WATCH}${script}localStorage.setItem('wishbench.preferences', ${JSON.stringify(holder)});`,
  );
  await page.goto(`${url}/#/node/0/registers`);
  return page;
}

/** The register view with 10,000 transactions in its history: scrolled, and with more of them coming. */
export async function manyTransactions(browser: Browser, service: ServiceProcess): Promise<Figure[]> {
  const stream = await openStream({ base: service.url }, 0, { WebSocket: WebSocket as SocketConstructor });
  await Promise.all(Array.from({ length: TRANSACTIONS }, (_, at) => stream.read(4 * (at % 64))));
  stream.close();
  const page = await openHolder(browser, service.url, '');
  await page.getByText(`${TRANSACTIONS} transactions`).waitFor();
  await page.locator('[data-register-command]:enabled').waitFor();
  await page.getByRole('region', { name: 'Transactions' }).last().hover();
  await forget(page);
  const tasks = await tasksDuring(browser, '10,000 transactions, scrolled while more come', async () => {
    const more = page.evaluate(SEND_COMMANDS(100));
    for (let i = 0; i < 100; i += 1) {
      await page.mouse.wheel(0, i < 50 ? -4_000 : 4_000);
      await page.waitForTimeout(16);
    }
    await more;
  });
  const { frames } = await watched(page);
  return [...tasks, atMost('the same: 95th quantile of frames', quantile(frames, 0.95), 'ms', 50)];
}

/** Bytes in use by the page's scripts after a garbage collection. */
async function heapOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize;
}

const SERIES = 10;
const PER_SECOND = 20;
const HOUR = 3600 * PER_SECOND;
const TICKS_A_FRAME = 100;

/** Ten registers polled twenty times a second: twenty seconds as it is, then the samples of two hours as fast as they are taken. */
export async function busyPlot(browser: Browser, service: ServiceProcess): Promise<Figure[]> {
  const { session, design } = await service.client().getNodeDetails({ fpga_id: 0 });
  const addresses = Array.from({ length: SERIES }, (_, index) => 4 * index);
  const view = {
    ...{ session: session?.session_id, polled: addresses, plotted: addresses, lanes: [] },
    ...{ interval: 1 / PER_SECOND, paused: false, view: 'plot' },
  };
  const views = JSON.stringify({ [`0 ${design?.module}`]: view });
  const kept = `localStorage.setItem('wishbench.register-views', ${JSON.stringify(views)});`;
  const page = await openHolder(browser, service.url, ANSWER_STREAM + kept);
  await page.locator('.plot canvas').waitFor();
  await page.getByText(`${SERIES} polled`, { exact: true }).waitFor();
  await page.waitForTimeout(3000);
  await forget(page);
  const what = `plot of ${SERIES} series at ${PER_SECOND}/s`;
  const asItIs = await tasksDuring(browser, what, () => page.waitForTimeout(AS_IT_IS));
  const calm = await watched(page);
  // Some in every frame, so that no task is long because of the measurement.
  const ticks = (count: number) =>
    page.evaluate(`(async () => {
      for (let done = 0; done < ${count}; done += ${TICKS_A_FRAME}) {
        window.ticks(${TICKS_A_FRAME});
        await new Promise(requestAnimationFrame);
      }
    })()`);
  await ticks(HOUR);
  await page.getByLabel('Time shown').selectOption('0');
  const afterOne = await heapOf(page);
  const inHour = await tasksDuring(browser, `${what}, an hour in sight, ${TICKS_A_FRAME} polls a frame`, () =>
    ticks(HOUR / 4),
  );
  await ticks((3 * HOUR) / 4);
  const afterTwo = await heapOf(page);
  return [
    ...asItIs,
    atMost('the same: 95th quantile of frames', quantile(calm.frames, 0.95), 'ms', 34),
    reported('the same: longest frame', longest(calm.frames), 'ms'),
    ...inHour,
    reported('the same: memory of the page after an hour', afterOne / 1e6, 'MB'),
    atMost('the same: more memory after another hour', (afterTwo - afterOne) / 1e6, 'MB', 3),
  ];
}
