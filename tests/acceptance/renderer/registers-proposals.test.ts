import { describe, expect, test } from 'vitest';
import { findings } from '../../support/browser/axe.ts';
import { example, startBench } from '../../support/browser/bench.ts';
import { hasChromium, IN_BROWSER } from '../../support/browser/browser.ts';

describe.skipIf(!hasChromium)('registers inferred from the source', IN_BROWSER, () => {
  const bench = startBench(['gpio.v'], async (service) => {
    await service.build(2, 'gpio.v', example('gpio.v'), 'anonymous');
  });

  test('are proposed, link to their lines, and join the map when accepted', async () => {
    const { page, complaints } = await bench.open('/#/node/2/registers');
    const panel = page.getByRole('region', { name: 'Registers found in the source' });
    await panel.getByText('6 registers found in the source').waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      expect(await findings(page)).toEqual([]);
    }
    await panel.getByRole('link', { name: 'gpio.v:5' }).click();
    await expect.poll(() => page.url()).toMatch(/file=gpio\.v.*line=5|line=5.*file=gpio\.v/);
    await page.getByText('1 drives the pin').first().waitFor();
    await page.goBack();
    await panel.getByRole('button', { name: 'Dismiss CLR' }).press('Enter');
    await panel.getByText('5 registers found in the source').waitFor();
    const focused = () => page.locator(':focus').getAttribute('aria-label');
    await expect.poll(focused).toBe('Dismiss RISE');
    await panel.getByRole('button', { name: 'Accept all' }).press('Enter');
    await panel.waitFor({ state: 'detached' });
    const field = page.getByLabel('Read or write');
    await field.fill('OUT=0x5A');
    await field.press('Enter');
    await page.locator('.transaction', { hasText: '0x0000_005A' }).first().waitFor();
    // A register of the map keeps its row: the button is disabled, and still has the focus.
    const remove = page.getByRole('button', { name: 'Remove OUT from the watch' });
    await remove.press('Enter');
    await expect.poll(() => remove.isDisabled()).toBe(true);
    expect(await focused()).toBe('Remove OUT from the watch');
    // The next visitor finds the map without the dismissed registers.
    await page.reload();
    await page.locator('.watch-row', { hasText: 'RISE' }).waitFor();
    await expect.poll(() => panel.count()).toBe(0);
    await expect.poll(() => page.locator('.watch-row', { hasText: 'CLR' }).count()).toBe(0);
    // On a phone, a register without its name would be only a number.
    await page.setViewportSize({ width: 390, height: 780 });
    const name = page.getByRole('button', { name: 'Name and fields of RISE' });
    await expect.poll(async () => (await name.boundingBox())?.width ?? 0).toBeGreaterThan(24);
    expect(complaints.list).toEqual([]);
  });
});
