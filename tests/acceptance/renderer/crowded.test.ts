import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { example, startBench } from '../../support/browser/bench.ts';
import { BUILD_TIMEOUT, goTo, hasChromium, IN_BROWSER } from '../../support/browser/browser.ts';

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

describe.skipIf(!hasChromium)('dense layouts', IN_BROWSER, () => {
  const echo = example('echo.v');
  const bench = startBench(['echo.v'], (service) => service.build(0, 'echo.v', echo, 'lab-1'));

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
    await page.context().close();
  });

  test('a card on a phone shows the full names of the holder and the file', async () => {
    const { page } = await bench.open('', { viewport: { width: 390, height: 844 } });
    const card = page.locator('.card', { hasText: 'lab-1' });
    for (const part of ['.card-owner > .truncate', '.card-design'])
      await expect
        .poll(() => card.locator(part).evaluate((element) => element.scrollWidth - element.clientWidth))
        .toBeLessThanOrEqual(1);
    await page.context().close();
  });
});
