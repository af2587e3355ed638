import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { resourcePath } from '../../server/paths.ts';
import { goTo } from '../support/browser/browser.ts';
import type { ServiceProcess } from '../support/browser/service.ts';
import { atMost, type Figure, median } from './figure.ts';
import { forget, shown, tasksDuring, WATCH, watched } from './page-watch.ts';

const PATIENCE = 300_000;
const NODE = 4;
/** How long several people work at once, milliseconds. */
const BUSY_FOR = 15_000;

const example = (name: string): string => readFileSync(resourcePath('examples', name), 'utf8');

async function openAs(browser: Browser, url: string, name: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1600, height: 900 } });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  await page.addInitScript(WATCH);
  await page.addInitScript(
    `localStorage.setItem('wishbench.preferences', ${JSON.stringify(JSON.stringify({ name }))});`,
  );
  await page.goto(url);
  await shown(page);
  return page;
}

/** Drops a file on the open node, as a person does. */
const drop = (page: Page, name: string, contents: string): Promise<void> =>
  page.evaluate(`(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([${JSON.stringify(contents)}], ${JSON.stringify(name)}));
    document.querySelector('.node').dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true }));
  })()`);

const reserved = (page: Page) => page.locator('.node-head').getByText('reserved', { exact: true }).waitFor();

/** Writes a word and reads it back in the register view. */
async function readBack(page: Page, value: number): Promise<void> {
  await page.keyboard.press('r');
  const command = page.locator('[data-register-command]');
  await command.fill(`0x10=${value}`);
  await command.press('Enter');
  await command.fill('0x10');
  await command.press('Enter');
  const shownAs = value.toString(16).toUpperCase().padStart(4, '0');
  await page.getByRole('tabpanel').getByText(`0x0000_${shownAs}`).nth(1).waitFor();
}

/** Seconds from the drop of a file on an idle node to a word that was read back from its design. */
async function dropToWord(page: Page, source: string, value: number): Promise<number> {
  await goTo(page, `#/node/${NODE}/design`);
  await page.locator('.node-head').getByText('idle', { exact: true }).waitFor();
  const started = performance.now();
  await drop(page, 'echo.v', source);
  await page.locator('.design-submit .button').first().click();
  await reserved(page);
  await readBack(page, value);
  return (performance.now() - started) / 1000;
}

/** Seconds from the drop of a changed file on one's own node until its design answers. */
async function replaceToWord(page: Page, service: ServiceProcess, source: string): Promise<number> {
  const client = service.client('lab-1');
  const sessionOf = async () => (await client.getNode({ fpga_id: NODE })).session?.session_id;
  const before = await sessionOf();
  await goTo(page, `#/node/${NODE}/design`);
  await page.locator('.cm-content').waitFor();
  const started = performance.now();
  await drop(page, 'echo.v', source);
  await page.locator('[data-submit]').click();
  // Between the two sessions the board is programmed, and there is none.
  for (let now = before; now === undefined || now === before; now = await sessionOf())
    await page.waitForTimeout(20);
  await readBack(page, 0x77);
  return (performance.now() - started) / 1000;
}

/** The loop of editing and trying: a first build, the same one from the cache, and a changed file in its place. */
export async function editLoop(browser: Browser, service: ServiceProcess): Promise<Figure[]> {
  const page = await openAs(browser, service.url, 'lab-1');
  const source = `// ${Date.now()}\n${example('echo.v')}`;
  const first = await dropToWord(page, source, 0x55);
  await service.free(NODE);
  const cached = await dropToWord(page, source, 0x66);
  const replaced = await replaceToWord(page, service, source.replaceAll('memory', 'words'));
  await page.context().close();
  await service.free(NODE);
  return [
    atMost('drop of an example to a word read back, first build', first, 's', 6),
    atMost('the same from the cache', cached, 's', 1),
    atMost('a changed file in the place of a running design to a word read back', replaced, 's', 5),
  ];
}

/** A design of 500 lines and more, or of many more: the same module again and again, under other names. */
function longSource(modules = 5): string {
  const uart = example('uart.v');
  const copies = Array.from({ length: modules - 1 }, (_, copy) =>
    uart.replace(/module (\w+)/g, `module $1_${copy}`).replace(/\back_o\b/g, 'done_o'),
  );
  return [uart, ...copies].join('\n');
}

/** From a key that makes a source wrong to its mark in the text, and back; ms. */
export async function typing(browser: Browser, service: ServiceProcess): Promise<Figure[]> {
  const page = await openAs(browser, service.url, 'lab-1');
  await goTo(page, '#/node/9/design');
  await page.locator('.drop').waitFor();
  await drop(page, 'long.v', longSource());
  await page.getByText('fits', { exact: true }).first().waitFor();
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+Home');
  const marked = page.locator('.cm-error-line').first();
  const times: number[] = [];
  for (let i = 0; i < 5; i += 1) {
    const started = performance.now();
    await page.keyboard.press('x');
    await marked.waitFor();
    times.push(performance.now() - started);
    await page.keyboard.press('Backspace');
    await marked.waitFor({ state: 'detached' });
  }
  await page.context().close();
  return [atMost('a key to its finding in a source of 580 lines, median of 5', median(times), 'ms', 300)];
}

/** Keys that are typed without a rest, and milliseconds from one to the next. */
const KEYS = 40;
const KEY_MS = 60;
/** A page rests when two consecutive seconds differ by at most this processor time, ms. */
const STEADY_MS = 15;

/** Processor time of the page's main thread for a key in a source of 5,000 lines, without a scan; ms. */
export async function typingCost(browser: Browser, service: ServiceProcess): Promise<Figure> {
  const page = await openAs(browser, service.url, 'lab-1');
  await goTo(page, '#/node/9/design');
  await page.route('**/scan', () => {});
  await page.locator('.drop').waitFor();
  await drop(page, 'long.v', longSource(43));
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+Home');
  await page.keyboard.press('Enter');
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  const taskMs = async () => {
    const { metrics } = await devtools.send('Performance.getMetrics');
    return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN);
  };
  const second = async () => {
    const before = await taskMs();
    await page.waitForTimeout(1000);
    return (await taskMs()) - before;
  };
  // Remaining work of the long text, such as highlighting, is over when a second costs what the one before it did: only
  // frames, which this page counts.
  for (let last = await second(), rests = false; !rests; ) {
    const now = await second();
    rests = Math.abs(now - last) < STEADY_MS;
    last = now;
  }
  const before = await taskMs();
  for (let key = 0; key < KEYS; key += 1) {
    await page.keyboard.press('/');
    await page.waitForTimeout(KEY_MS);
  }
  const cost = ((await taskMs()) - before) / KEYS;
  await page.context().close();
  return atMost('processor time of a key in a source of 5,000 lines', cost, 'ms', 50);
}

/** Two windows while three others build, read, write and release: the effect on the pages. */
export async function busyBench(browser: Browser, service: ServiceProcess): Promise<Figure[]> {
  const pages = [await openAs(browser, service.url, 'lab-1'), await openAs(browser, service.url, 'lab-2')];
  await goTo(pages[1] as Page, '#/node/5/design');
  await (pages[1] as Page).waitForTimeout(1500);
  for (const page of pages) await forget(page);
  const until = Date.now() + BUSY_FOR;
  const work = async (node: number, owner: string) => {
    while (Date.now() < until) {
      await service.build(node, 'echo.v', example('echo.v'), owner);
      for (let i = 0; i < 20 && Date.now() < until; i += 1)
        await service.run(node, { op: 1, address: 4 * i, data: [i] }, owner);
      await service.free(node);
    }
  };
  const tasks = await tasksDuring(browser, 'two windows with three busy users', () =>
    Promise.all([work(5, 'ci'), work(6, 'course-3'), work(7, 'lab-3')]),
  );
  const felt = await Promise.all(pages.map(watched));
  for (const page of pages) await page.context().close();
  return [
    ...tasks,
    atMost('the same: cumulative layout shift', Math.max(...felt.map(({ shift }) => shift)), '', 0.02),
  ];
}
