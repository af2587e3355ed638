import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { example, startBench } from '../../support/browser/bench.ts';
import { BUILD_TIMEOUT, goTo, hasChromium, IN_BROWSER } from '../../support/browser/browser.ts';

const echo = example('echo.v');

const heightOf = (page: Page, selector: string): Promise<number> =>
  page.locator(selector).evaluate((element) => element.getBoundingClientRect().height);

/** The elements that another one covers, or whose text has several lines; by their texts. */
const crowded = (page: Page, selector: string): Promise<string[]> =>
  page.evaluate(`(() => {
    const shown = [...document.querySelectorAll(${JSON.stringify(selector)})]
      .map((element) => ({ element, box: element.getBoundingClientRect(), text: element.textContent.slice(0, 30) }))
      .filter(({ box }) => box.width > 0 && box.height > 0);
    const over = (a, b) => !a.element.contains(b.element) && !b.element.contains(a.element) &&
      Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left) > 1 &&
      Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top) > 1;
    return shown.flatMap((a, at) => shown.slice(at + 1).filter((b) => over(a, b)).map((b) => a.text + ' over ' + b.text));
  })()`);

/** Whether the chosen entry of a list is fully visible next to its arrow. */
const wholeChoice = (page: Page, selector: string): Promise<boolean> =>
  page.evaluate(`(() => {
  const select = document.querySelector(${JSON.stringify(selector)});
  const { font, paddingLeft, paddingRight } = getComputedStyle(select);
  const context = document.createElement('canvas').getContext('2d');
  context.font = font;
  const text = context.measureText(select.selectedOptions[0].textContent).width;
  return text + parseFloat(paddingLeft) + parseFloat(paddingRight) + 16 <= select.clientWidth;
})()`);

const BAR = '.design-size, .design-acts > *';
const LINE = '.node-head > *, .node-subject > *, .node-notes-first > *, .tabs [role=tab]';
const SIDE = '.design-side > *';

/** The place of each tab. */
const tabs = (page: Page): Promise<number[]> =>
  page.evaluate(`[...document.querySelectorAll('[role=tab]')].flatMap((tab) => {
    const { x, y } = tab.getBoundingClientRect();
    return [x, y];
  })`);

describe.skipIf(!hasChromium)('space for the content', IN_BROWSER, () => {
  const bench = startBench(['echo.v'], (service) => service.build(0, 'echo.v', echo, 'lab-1'));

  test('the rack is a strip next to the waves at 1440 pixels; one key opens and pins it', async () => {
    const { page, complaints } = await bench.open('/#/node/0/registers', {
      as: 'lab-1',
      viewport: { width: 1440, height: 900 },
    });
    await page.getByRole('button', { name: 'Collapse the rack' }).waitFor();
    await expect.poll(() => heightOf(page, '.node-head')).toBeLessThan(48);
    await goTo(page, '#/node/0/signals');
    const expand = page.getByRole('button', { name: 'Expand the rack' });
    await expand.waitFor();
    // The view has all but the strip and the navigation.
    await expect.poll(() => page.locator('.node').evaluate((node) => node.clientWidth)).toBeGreaterThan(1180);
    const other = page.getByRole('link', { name: /^Node 3, idle/ });
    await other.focus();
    await other.getByText('Node 3, idle').waitFor();
    await page.keyboard.press('b');
    await page.getByRole('button', { name: 'Collapse the rack' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Collapse the rack' }).waitFor();
    await page.setViewportSize({ width: 1600, height: 900 });
    await page.getByRole('button', { name: 'Collapse the rack' }).waitFor();

    await page.getByRole('button', { name: 'Details of node 0' }).click();
    await page.getByRole('button', { name: /^Copy session id/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('region', { name: 'Details of node 0' }).waitFor({ state: 'detached' });
    expect(complaints.list).toEqual([]);
  });

  test('on a telephone and at 200 % the bars take less than 15 % of the height, and scroll away', async () => {
    const { page } = await bench.open('/#/node/0/registers', { as: 'lab-1' });
    for (const [width, height] of [
      [390, 844],
      [720, 450],
    ] as const) {
      await page.setViewportSize({ width, height });
      await page.locator('[data-register-command]').waitFor();
      const at = { message: `${width} pixels wide` };
      const bars = async () => (await heightOf(page, '.bar')) + (await heightOf(page, '.node-head'));
      await expect.poll(bars, at).toBeLessThan(0.15 * height);
      await expect
        .poll(() => page.evaluate('document.documentElement.scrollWidth'), at)
        .toBeLessThanOrEqual(width);
      const scrolled = `(() => {
        document.querySelector('.app').scrollTo(0, 1e6);
        return document.querySelector('.node-head').getBoundingClientRect().bottom;
      })()`;
      await expect.poll(() => page.evaluate(scrolled), at).toBeLessThanOrEqual(0);
      // Content that a narrow header omits is one press away.
      await page.locator('.app').evaluate((app) => app.scrollTo(0, 0));
      await page.getByRole('button', { name: 'Details of node 0' }).click();
      await page.getByRole('button', { name: 'Release' }).first().waitFor();
      await page.keyboard.press('Escape');
    }
  });

  test('its tabs keep their position and selection through every change of the node’s state', async () => {
    const { page } = await bench.open('/#/node/3');
    const head = page.locator('.node-head');
    await head.getByText('idle', { exact: true }).waitFor();
    const where = await tabs(page);
    const panel = () => page.evaluate("document.querySelector('.tabs-panel').getBoundingClientRect().top");
    const top = await panel();
    await bench.service.build(3, 'echo.v', echo, 'lab-1');
    expect((await bench.service.client().getNodeDetails({ fpga_id: 3 })).error).toBeNull();
    await head.getByText('reserved', { exact: true }).waitFor({ timeout: BUILD_TIMEOUT });
    await expect.poll(() => tabs(page)).toEqual(where);
    await expect.poll(() => page.getByRole('tab', { selected: true }).textContent()).toBe('Design');
    await bench.service.free(3);
    await head.getByText('idle', { exact: true }).waitFor({ timeout: BUILD_TIMEOUT });
    // The activity shows next to the tabs, and moves nothing under the pointer.
    await page.getByRole('status', { name: 'Activity of this node' }).waitFor();
    await expect.poll(() => tabs(page)).toEqual(where);
    await expect.poll(panel).toBe(top);
  });

  test('in a small window another page begins at its top', async () => {
    const { page } = await bench.open('/#/node/3/registers', { viewport: { width: 390, height: 844 } });
    await page.getByRole('tab', { name: 'Registers' }).waitFor();
    const top = () => page.evaluate("document.querySelector('.app').scrollTop");
    await page.evaluate("document.querySelector('.app').scrollTo(0, 30)");
    await expect.poll(top).toBe(30);
    await goTo(page, '#/settings');
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    await expect.poll(top).toBe(0);
    // Nothing reaches past the edge of a card.
    const past = () =>
      page.evaluate(`[...document.querySelectorAll('.settings-section *')].filter(
        (one) => one.getBoundingClientRect().right > one.closest('.settings-section').getBoundingClientRect().right,
      ).length`);
    await expect.poll(past).toBe(0);
  });

  test('no element of a design overlaps another during and after a replacement', async () => {
    const { page, complaints } = await bench.open('/#/node/0/design', {
      as: 'lab-1',
      viewport: { width: 1440, height: 900 },
    });
    await page.locator('.cm-content').waitFor();
    const goOn = bench.service.pauseBuilds();
    const body = { file: { name: 'echo.v', contents: `// changed\n${echo}` } };
    const job = await bench.service.client('lab-1').submitDesign({ fpga_id: 0, replace: true, body });
    await page.locator('.node-replacing').waitFor();
    await page.locator('.design-versions').waitFor();
    await expect.poll(() => crowded(page, BAR)).toEqual([]);
    await expect.poll(() => crowded(page, LINE)).toEqual([]);
    const head = page.locator('.node-head');
    await expect.poll(() => head.evaluate((line) => line.getBoundingClientRect().height)).toBeLessThan(48);
    goOn();
    await bench.service.client().jobEnded(job);
    await page.getByText('Against the build before').waitFor({ timeout: BUILD_TIMEOUT });
    for (const [width, height] of [
      [1440, 900],
      [1600, 900],
      [1024, 700],
      [390, 844],
    ] as const) {
      await page.setViewportSize({ width, height });
      const at = { message: `${width} pixels wide` };
      await expect.poll(() => wholeChoice(page, '.design-versions'), at).toBe(true);
      await expect.poll(() => crowded(page, BAR), at).toEqual([]);
      await expect.poll(() => crowded(page, SIDE), at).toEqual([]);
      await expect
        .poll(() => page.evaluate('document.documentElement.scrollWidth'), at)
        .toBeLessThanOrEqual(width);
    }
    await goTo(page, '#/node/0/log');
    await page
      .getByRole('option', { name: /Build echo\.v, complete$/, selected: true })
      .waitFor({ state: 'attached' });
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 844 });
      await expect.poll(() => wholeChoice(page, '.log-job'), { message: `${width} pixels wide` }).toBe(true);
    }
    expect(complaints.list).toEqual([]);
  });

  test('a card on a phone shows the full names of the holder and the file', async () => {
    const { page } = await bench.open('', { viewport: { width: 390, height: 844 } });
    const card = page.locator('.card', { hasText: 'lab-1' });
    for (const part of ['.card-owner > .truncate', '.card-design'])
      await expect
        .poll(() => card.locator(part).evaluate((element) => element.scrollWidth - element.clientWidth))
        .toBeLessThanOrEqual(1);
  });
});
