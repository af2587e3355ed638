import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { example, startBench } from '../../support/browser/bench.ts';
import { goTo, hasChromium, IN_BROWSER } from '../../support/browser/browser.ts';
import { decodePng } from '../../support/browser/png.ts';

/** The lines that distinguish one card from another in forced colours. */
const lines = (page: Page, selector: string): Promise<string> =>
  page.evaluate(`(() => {
    const { borderWidth, outlineStyle, outlineColor } = getComputedStyle(document.querySelector(${JSON.stringify(selector)}));
    return [borderWidth, outlineStyle, outlineColor].join(' ');
  })()`);

describe.skipIf(!hasChromium)('the rack', IN_BROWSER, () => {
  const bench = startBench(['echo.v'], (service) => service.build(0, 'echo.v', example('echo.v'), 'lab-1'));

  test('builds start and end on cards and in a node’s header without a layout shift', async () => {
    const wide = { viewport: { width: 1600, height: 900 } };
    const [rack, beside] = await Promise.all([bench.open('', wide), bench.open('/#/node/3/log', wide)]);
    const pages = [rack.page, beside.page];
    await beside.page.locator('.node-subject').waitFor();
    await rack.page.locator('.card-state').nth(9).waitFor();
    const buildAndFree = async () => {
      await bench.service.build(3, 'echo.v', example('echo.v'), 'ci');
      for (const page of pages) await page.getByRole('link', { name: /^Node 3, reserved, ci/ }).waitFor();
      await bench.service.free(3);
      for (const page of pages)
        await page.getByRole('link', { name: /^Node 3, idle/ }).waitFor({ state: 'attached' });
    };
    // Afterwards fonts and what is loaded for later are there.
    await buildAndFree();
    await Promise.all(
      pages.map((page) =>
        page.evaluate(`window.moved = [];
          new PerformanceObserver((list) => {
            for (const { value, hadRecentInput, sources } of list.getEntries())
              if (!hadRecentInput) for (const { node } of sources)
                window.moved.push([value, (node?.getAttribute ? node : node?.parentElement)?.getAttribute('class')]);
          }).observe({ type: 'layout-shift' }); undefined`),
      ),
    );
    for (let i = 0; i < 3; i += 1) await buildAndFree();
    for (const page of pages) {
      const moved = await page.evaluate<[number, string][]>('window.moved');
      const places = ['card-board', 'card-link', 'card-owner', 'card-state', 'node-subject', 'card-stage'];
      const blocks = moved.filter(([, of]) => places.some((place) => of?.split(' ').includes(place)));
      expect(blocks).toEqual([]);
    }
  });

  test('a pinned value is plotted on the card and on the wall, without overflow or scrolling', async () => {
    const { page, complaints } = await bench.open('/#/node/0/registers', {
      as: 'lab-1',
      viewport: { width: 1920, height: 1080 },
    });
    const command = page.getByLabel('Read or write');
    for (const word of [1, 200, 30, 255, 9]) {
      await command.fill(`0x10=${word}`);
      await command.press('Enter');
    }
    await page.getByRole('button', { name: 'Pin 0x0010 on top' }).click();
    await goTo(page, '#/');
    const course = page.getByRole('img', { name: '0x0010, now 0x0000_0009' });
    await course.waitFor();
    // Steps up and down were drawn: the stroke's colour is in most columns, and not all in one row.
    const { width, height, rgb } = decodePng(await course.screenshot());
    const stroke = await page.evaluate<string>(
      "getComputedStyle(document.querySelector('.sparkline path')).stroke",
    );
    const wanted = stroke.match(/\d+/g)?.slice(0, 3).map(Number) ?? [];
    const [columns, rows] = [new Set<number>(), new Set<number>()];
    for (let at = 0; at < width * height; at += 1)
      if (wanted.every((channel, i) => Math.abs(channel - (rgb[3 * at + i] as number)) < 60)) {
        columns.add(at % width);
        rows.add(Math.floor(at / width));
      }
    expect(columns.size).toBeGreaterThan(width / 2);
    expect(rows.size).toBeGreaterThan(height / 2);

    await page.keyboard.press('f');
    await page.getByRole('region', { name: 'Wall' }).waitFor();
    await course.waitFor();
    // The wall fills the screen, and a window that does is not resized: the screen is.
    const screen = await page.context().newCDPSession(page);
    for (const size of [
      { width: 1920, height: 1080 },
      { width: 1280, height: 720 },
    ]) {
      await screen.send('Emulation.setDeviceMetricsOverride', {
        ...size,
        deviceScaleFactor: 1,
        mobile: false,
      });
      await expect.poll(() => page.evaluate('[innerWidth, innerHeight]')).toEqual([size.width, size.height]);
      // A tenth of the screen is 6 cm on one of 27 inches: to be read across a room.
      const wall = `({
        outside: [...document.querySelectorAll('.wall .card')].filter((card) => {
          const { left, top, right, bottom } = card.getBoundingClientRect();
          return left < 0 || top < 0 || right > innerWidth || bottom > innerHeight || bottom - top < innerHeight / 8;
        }).length,
        scrolls: document.documentElement.scrollHeight > innerHeight || document.documentElement.scrollWidth > innerWidth,
        legible: parseFloat(getComputedStyle(document.querySelector('.wall .card-number')).fontSize) > 0.09 * innerHeight,
        rail: document.querySelector('.rail, .top') !== null,
      })`;
      await expect
        .poll(() => page.evaluate(wall))
        .toEqual({ outside: 0, scrolls: false, legible: true, rail: false });
    }
    await expect.poll(() => page.getByRole('list', { name: 'Nodes' }).getByRole('listitem').count()).toBe(10);
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Bench' }).waitFor();
    expect(complaints.list).toEqual([]);
    await page.context().close();
  });

  test('forced colours show the open card and one’s own cards', async () => {
    const { page } = await bench.open('/#/node/3', {
      as: 'lab-1',
      forcedColors: 'active',
      viewport: { width: 1600, height: 900 },
    });
    await page.locator('.card-selected').waitFor();
    const plain = await lines(page, '.card:not(.card-selected, .card-mine)');
    await expect.poll(() => lines(page, '.card-selected')).not.toBe(plain);
    await expect.poll(() => lines(page, '.card-mine')).not.toBe(plain);
  });

  test('the first page loads only what shows the nodes', async () => {
    const page = await bench.browser.newPage();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(bench.service.url);
    await page.getByRole('list', { name: 'Nodes' }).waitFor();
    // Other data is requested after the event stream has delivered the nodes.
    const first = asked
      .slice(
        0,
        asked.findIndex((url) => url.endsWith('/events')),
      )
      .filter((url) => /\.(?:js|css)$/.test(url));
    expect(first.map((url) => url.replace(/.*\/|-[\w-]{8}(?=\.)/g, '')).sort()).toEqual([
      'first.css',
      'first.js',
      'rolldown-runtime.js',
    ]);
    const sizes = await page.evaluate<Record<string, number>>(
      "Object.fromEntries(performance.getEntriesByType('resource').map(({ name, encodedBodySize }) => [name, encodedBodySize]))",
    );
    const bytes = first.reduce((sum, url) => sum + (sizes[url] ?? 0), 0);
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThan(102_000);
    await page.context().close();
  });
});
