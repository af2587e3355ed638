import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SOURCE, TestBench } from '../../support/api/test-bench.ts';
import { form } from '../../support/benches/several.ts';
import { allFindings, THEMES, wear } from '../../support/browser/axe.ts';
import { hasChromium, IN_BROWSER, PREPARE_TIMEOUT } from '../../support/browser/browser.ts';
import { startPages } from '../../support/browser/pages.ts';

/** Remote nodes whose state or owner is cut off, and anything wider than the window. */
const CUT_OFF = `[
  ...[...document.querySelectorAll('.far .card-state')]
    .filter((word) => word.getBoundingClientRect().right > word.closest('.far').getBoundingClientRect().right)
    .map((word) => word.textContent),
  ...(document.documentElement.scrollWidth > innerWidth ? ['the page scrolls sideways'] : []),
]`;

/** For each link to where a job is and to the builds, whether it is shown in full. */
const WHOLE = `[...document.querySelectorAll('.jobs-away, .strip-item a')]
  .filter((link) => link.getClientRects().length > 0)
  .map((link) => link.scrollWidth <= link.clientWidth + 1 && link.getBoundingClientRect().right <= innerWidth)`;

const focused = (page: Page) => () => page.evaluate('document.activeElement.getAttribute("aria-label")');

describe.skipIf(!hasChromium)('the rack of many benches', IN_BROWSER, () => {
  const started: TestBench[] = [];
  const start = async (title: string, settings: object = {}): Promise<TestBench> => {
    const bench = await TestBench.start({ settings: { benches: { title }, ...settings } });
    started.push(bench);
    return bench;
  };
  /** A bench of another version. */
  let strangers: http.Server;
  let home: TestBench;
  let dying: TestBench;

  beforeAll(async () => {
    const [own, one, two, guarded] = await Promise.all([
      start('Home'),
      start('Hall B'),
      start('Hall B'),
      start('Guarded', { auth: { enforcement: true } }),
    ]);
    [home, dying] = [own, two];
    const old = await one.client().getOwnBench();
    strangers = http.createServer(({ url = '' }, response) => {
      if (url.startsWith('/benches/own'))
        response.end(JSON.stringify({ ...old, version: '0.0.9', title: 'Old' }));
      else response.writeHead(404).end('{}');
    });
    const other = http.createServer((_request, response) => response.end('It works!'));
    await Promise.all(
      [strangers, other].map((server) => new Promise<void>((done) => server.listen(0, '127.0.0.1', done))),
    );
    strangers.once('close', () => other.close());
    await one.reserve(2, { 'x-api-key': 'grace' });
    await two.reserve(3, { 'x-api-key': 'somebody-with-a-long-name@university.example' });
    const at = (server: http.Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await home.bench.settings.apply({
      benches: {
        known: [
          { name: 'hall-b', address: one.url },
          { name: 'hall-b-2', address: two.url },
          { name: 'guarded', address: guarded.url },
          { name: 'old', address: at(strangers) },
          { name: 'web', address: at(other) },
          { name: 'gone', address: 'http://127.0.0.1:9' },
        ],
      },
    });
  }, PREPARE_TIMEOUT);
  afterAll(async () => {
    strangers?.close();
    for (const bench of started) await bench.stop();
  });

  const pages = startPages();

  const bench = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

  test('each shows its state, benches of one title are distinguishable, and axe reports nothing', async () => {
    const { page, complaints } = await pages.open(home.url, { as: 'ada' });
    await bench(page, 'Hall B (hall-b)').getByText('9 of 10 idle').waitFor();
    await bench(page, 'Hall B (hall-b-2)').getByText('9 of 10 idle').waitFor();
    await bench(page, 'guarded').getByRole('link', { name: 'Sign in at guarded' }).waitFor();
    await bench(page, 'Old')
      .getByText(/^version 0\.0\.9, here \d/)
      .waitFor();
    await bench(page, 'gone').getByText('does not answer', { exact: true }).waitFor();
    await bench(page, 'web').getByText('gives an invalid answer', { exact: true }).waitFor();
    expect(await bench(page, 'web').getByText('not seen').count()).toBe(0);

    await dying.bench.close();
    await bench(page, 'Hall B (hall-b-2)').getByText('does not answer', { exact: true }).waitFor();
    await page.getByRole('link', { name: /^Hall B \(hall-b-2\), node 3, reserved, somebody-with/ }).waitFor();

    const found: string[] = [];
    for (const theme of THEMES) {
      await wear(page, theme);
      for (const width of [1600, 1280, 390]) {
        await page.setViewportSize({ width, height: 800 });
        await expect.poll(() => page.evaluate(CUT_OFF), { message: `${width} ${theme}` }).toEqual([]);
        if (width === 1600) continue;
        for (const what of await allFindings(page)) found.push(`${width} ${theme}: ${what}`);
      }
    }
    expect(found).toEqual([]);

    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByLabel('Filter nodes').fill('grace');
    await page.getByText('No node of this bench fits the filter.').waitFor();
    await bench(page, 'Hall B (hall-b)').getByRole('listitem').waitFor();
    await bench(page, 'Hall B (hall-b-2)').getByText('No node fits the filter.').waitFor();
    expect(complaints.list).toEqual([]);
  });

  test('by keyboard only: to a node of a remote bench, with its name shown, and back home', async () => {
    const { page } = await pages.open(home.url, { as: 'ada' });
    await page.getByRole('link', { name: /^Hall B \(hall-b\), node 0, idle/ }).focus();
    for (const [key, node] of [
      ['ArrowDown', 5],
      ['ArrowRight', 6],
      ['ArrowUp', 1],
      ['End', 9],
      ['Home', 0],
      ['ArrowRight', 1],
      ['ArrowRight', 2],
    ] as const) {
      await page.keyboard.press(key);
      await expect.poll(focused(page)).toMatch(`, node ${node},`);
    }
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Node 2' }).waitFor();
    const bar = page.locator('.bar-at');
    await bar.getByText('hall-b', { exact: true }).waitFor();
    const strip = page.getByRole('list', { name: 'Status of the bench hall-b' });
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      // The link to its builds is fully visible.
      await strip.getByRole('link', { name: /^\d\/\d builds$/ }).waitFor();
      await expect.poll(() => page.evaluate(WHOLE)).toEqual([true]);
      await expect.poll(() => page.evaluate(CUT_OFF)).toEqual([]);
      expect(await allFindings(page)).toEqual([]);
    }
    await bar.getByRole('link', { name: 'Home' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Bench', exact: true }).waitFor();
  });

  test('the page of an unreachable bench names it; a forgotten bench is not mistaken for this one', async () => {
    const { page } = await pages.open(`${home.url}/?bench=gone#/node/3`, { as: 'ada' });
    await page.getByText(/^The bench gone does not answer; trying again/).waitFor();
    await page.goto(`${home.url}/?bench=guarded#/`);
    await page.getByText(/^The bench guarded requires an API key/).waitFor();
    await page.goto(`${home.url}/?bench=sold#/node/3`);
    await page.getByText('No bench is called sold here.').waitFor();
    await page.getByRole('heading', { name: 'Bench', exact: true }).waitFor();
  });

  test('the list shows a remote job with its bench, on a phone too, and stops it by keyboard only', async () => {
    const hall = async () => (await home.client().listBenches()).find(({ name }) => name === 'hall-b');
    const known = [{ name: 'hall-b', address: (await hall())?.address ?? '' }];
    await home.bench.settings.apply({ benches: { known, overflow: true } });
    await expect.poll(async () => (await hall())?.state).toBe('live');
    await home.reserve(0, { 'x-api-key': 'eve' });
    const submit = async (fields: Record<string, string>) => {
      const { status, body } = await home.post<{ job_id: string; bench?: { name: string } }>('/submit', {
        body: form(`${SOURCE}// hang-place`, fields),
        headers: { 'x-api-key': 'ada' },
      });
      expect(status).toBe(202);
      return body;
    };
    // A job waits here, so jobs for any node go to another bench.
    await submit({ fpga_id: '0' });
    const { job_id, bench: there } = await submit({});
    expect(there?.name).toBe('hall-b');

    const { page, complaints } = await pages.open(`${home.url}/#/jobs`, { as: 'ada' });
    const place = page.getByRole('link', { name: /^at hall-b, node \d$/ });
    await place.waitFor();
    expect(await place.getAttribute('href')).toMatch(
      new RegExp(`^\\./\\?bench=hall-b.*#/node/\\d/log.*${job_id}`),
    );
    await page.setViewportSize({ width: 390, height: 800 });
    await expect.poll(() => page.evaluate(WHOLE)).toEqual([true, true]);
    const row = page.getByRole('row').filter({ has: place });
    await row.getByText('running', { exact: true }).waitFor();
    const stop = row.getByRole('button', { name: 'Stop' });
    const right = () => stop.evaluate((button) => button.getBoundingClientRect().right);
    await expect.poll(right).toBeLessThanOrEqual(390);
    await expect.poll(() => page.evaluate(CUT_OFF)).toEqual([]);
    expect(await allFindings(page)).toEqual([]);

    await place.focus();
    await page.keyboard.press('Tab');
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Stop');
    await page.keyboard.press('Enter');
    await row.getByText('failed', { exact: true }).waitFor();
    await page.setViewportSize({ width: 1280, height: 800 });
    await row.getByText(/^ada stopped/).waitFor();
    expect(complaints.list).toEqual([]);
  });
});
