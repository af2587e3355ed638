import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { securityHeaders } from '../../../server/api/edge/headers.ts';
import { forget, longestTask, shown, tasksDuring, WATCH, watched } from '../../bench/page-watch.ts';
import { hasChromium, launchBrowser } from '../../support/browser/browser.ts';

declare const requestAnimationFrame: (callback: () => void) => void;

/** Shows its ten nodes after the server's event. */
const SCRIPT = `fetch('/go').then(() => {
  document.querySelector('.rack').innerHTML = '<a class="card-link"></a>'.repeat(10);
});`;

describe.skipIf(!hasChromium)('a page under the policy of the service', () => {
  let browser: Browser;
  let server: Server;
  let page: Page;
  let asked: (answer: () => void) => void;
  const question = new Promise<() => void>((resolve) => {
    asked = resolve;
  });

  beforeAll(async () => {
    server = createServer((request, response) => {
      for (const [name, value] of Object.entries(securityHeaders('/'))) response.setHeader(name, value);
      if (request.url === '/go') asked(() => response.end());
      else if (request.url === '/page.js') response.setHeader('content-type', 'text/javascript').end(SCRIPT);
      else
        response
          .setHeader('content-type', 'text/html')
          .end('<!doctype html><div class="rack"></div><script src="/page.js"></script>');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    browser = await launchBrowser();
    page = await browser.newPage();
    await page.addInitScript(WATCH);
  });
  afterAll(async () => {
    await browser?.close();
    server?.closeAllConnections();
    server?.close();
  });

  test('waits for a page that is not ready at the first check', async () => {
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const ready = shown(page);
    // The condition is checked in every frame, so two frames later it ran more than once.
    await page.evaluate(
      () =>
        new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
    );
    expect((await watched(page)).ready).toBeUndefined();
    (await question)();
    await ready;
    expect((await watched(page)).ready).toBeGreaterThan(0);
    await forget(page);
    expect((await watched(page)).tasks).toEqual([]);
  });

  test('reports the CPU time and the wall-clock time of the longest task', async () => {
    const [processor, wall] = await tasksDuring(browser, 'a loop', () =>
      page.evaluate(() => {
        // Work rather than time: on a shared machine this process may wait for most of the time.
        let sum = 0;
        for (let i = 0; i < 2e7; i++) sum += i % 7;
        for (const end = performance.now() + 120; performance.now() < end; ) sum += 1;
        return sum;
      }),
    );
    expect(processor).toMatchObject({ name: 'a loop: longest task, of the processor', unit: 'ms' });
    expect(processor?.value).toBeGreaterThan(1);
    expect(wall?.value).toBeGreaterThanOrEqual(119);
  });
});

test('ignores tasks of other threads and processes, and events that are not tasks', () => {
  const task = { name: 'ThreadControllerImpl::RunTask', ph: 'X', pid: 1 };
  const events = [
    { name: 'wishbench page', ph: 'I', pid: 1, tid: 2 },
    { ...task, pid: 4, tid: 2, dur: 600_000, tdur: 600_000 },
    { ...task, tid: 2, dur: 90_000, tdur: 20_000 },
    { ...task, tid: 2, dur: 30_000, tdur: 30_000 },
    { ...task, tid: 3, dur: 500_000, tdur: 500_000 },
    { ...task, name: 'Layout', tid: 2, dur: 400_000, tdur: 400_000 },
  ];
  expect(longestTask(events)).toEqual({ processor: 30, wall: 90 });
  expect(() => longestTask(events.slice(1))).toThrow('no page has said');
});
