import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findings } from '../../support/browser/axe.ts';
import { example, startBench } from '../../support/browser/bench.ts';
import { hasChromium, IN_BROWSER } from '../../support/browser/browser.ts';

const send = async (page: Page, line: string) => {
  await page.getByLabel('Read or write').fill(line);
  await page.getByLabel('Read or write').press('Enter');
};
const shown = (page: Page, word: string) => page.locator('.transaction', { hasText: word });

describe.skipIf(!hasChromium)('a user’s work with registers', IN_BROWSER, () => {
  const bench = startBench(['echo.v', 'timer.v'], async (service) => {
    await service.build(2, 'echo.v', example('echo.v'), 'anonymous');
    await service.build(3, 'timer.v', example('timer.v'), 'anonymous');
  });

  test('survives a replace and a reload, is cleared with an undo, and can be copied', async () => {
    const { page, complaints } = await bench.open('/#/node/2/registers', {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await send(page, '0x10=0xCAFE');
    await send(page, '0x10');
    await send(page, '0x20');
    await shown(page, '0x0020').waitFor();

    // A replaced design: no question, and the divider names the next build.
    const client = bench.service.client();
    const body = { file: { name: 'timer.v', contents: example('timer.v') } };
    const job = await client.submitDesign({ fpga_id: 2, replace: true, body });
    await client.jobEnded(job);
    const divider = page.locator('.transaction-build', { hasText: 'timer.v' });
    await divider.waitFor();
    await send(page, '0x4=0x1234');
    await shown(page, '0x0000_1234').waitFor();
    await page.reload();
    await divider.waitFor();
    await expect.poll(() => shown(page, '0x0000_CAFE').count()).toBe(2);
    await shown(page, '0x0000_1234').waitFor();

    // A removed register stays removed; a cleared list comes back with Undo.
    await page.getByRole('button', { name: 'Remove 0x0004 from the watch' }).click();
    await page.getByText('0x0004 was removed from the watch.').waitFor();
    await page.reload();
    await shown(page, '0x0000_1234').waitFor();
    expect(await page.getByRole('rowheader', { name: '0x0004' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    await expect.poll(() => page.locator('.transaction').count()).toBe(0);
    await page.getByRole('button', { name: 'Undo' }).press('Enter');
    await expect.poll(() => page.locator('.transaction').count()).toBe(4);

    // The menu of a transaction by keyboard; the focus returns to its button.
    const more = shown(page, '0x0000_1234').getByRole('button', { name: 'More about write 0x0004' });
    await more.press('Enter');
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect
      .poll(() => page.evaluate('navigator.clipboard.readText()'))
      .toContain(`{"op":1,"address":4,"data":[4660]}' '${bench.service.url}/fpga/2/run?wait=5'`);
    await expect
      .poll(() => page.evaluate('document.activeElement?.getAttribute("aria-label")'))
      .toBe('More about write 0x0004');
    expect(complaints.list).toEqual([]);
    await page.context().close();
  });

  test('has one row of controls, complete binary words and a movable border', async () => {
    const { page } = await bench.open('/#/node/3/registers', { viewport: { width: 1440, height: 900 } });
    await send(page, '0x4');
    await page.locator('.registers-bar').waitFor();
    await expect
      .poll(async () => (await page.locator('.registers-bar').boundingBox())?.height)
      .toBeLessThan(56);
    await page.getByText('Bin', { exact: true }).click();
    for (const width of [1920, 1440, 1024, 390]) {
      await page.setViewportSize({ width, height: 900 });
      const digits = page.locator('.watch-row .watch-type').first();
      const cut = () => digits.evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1);
      await expect.poll(cut, { message: `${width} pixels wide` }).toBe(false);
    }
    await page.setViewportSize({ width: 1920, height: 900 });
    const border = page.getByRole('separator', { name: 'Watch and views' });
    const before = Number(await border.getAttribute('aria-valuenow'));
    await border.press('ArrowLeft');
    await expect.poll(async () => Number(await border.getAttribute('aria-valuenow'))).toBe(before + 16);
    await page.context().close();
  });

  test('alerts when a curve exceeds its limits', async () => {
    const { page, complaints } = await bench.open('/#/node/3/registers', {
      viewport: { width: 1440, height: 900 },
    });
    await send(page, '0xC');
    await page.getByLabel('Poll every').selectOption('0.05');
    await page.getByRole('button', { name: 'Poll 0x000C' }).click();
    await page.getByRole('button', { name: 'Plot 0x000C', exact: true }).click();
    await page.getByLabel('Alert when 0x000C is above').fill('1');
    await page.getByLabel('Alert when 0x000C is above').press('Enter');
    await page
      .getByText(/0x000C of node 3 is 0x[\dA-F_]+, above 0x0000_0001\./)
      .first()
      .waitFor();
    await page.locator('.plot-values').getByText('above its limit').waitFor({ state: 'attached' });
    expect(await findings(page)).toEqual([]);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Export the plot as SVG' }).click();
    expect((await download).suggestedFilename()).toBe('node-3-plot.svg');
    expect(complaints.list).toEqual([]);
    await page.context().close();
  });
});
