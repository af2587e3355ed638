import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findings } from '../../support/browser/axe.ts';
import { example, startBench } from '../../support/browser/bench.ts';
import { hasChromium, IN_BROWSER } from '../../support/browser/browser.ts';

async function saved(page: Page, button: string): Promise<string> {
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: button, exact: true }).click();
  return readFileSync(await (await download).path(), 'utf8');
}

describe.skipIf(!hasChromium)('a script recorded from a session', IN_BROWSER, () => {
  const bench = startBench(['echo.v'], async (service) => {
    await service.build(2, 'echo.v', example('echo.v'), 'anonymous');
  });

  test('is recorded, edited by keyboard, run, saved with the design and exported', async () => {
    const { page, complaints } = await bench.open('/#/node/2/registers');
    const send = async (line: string) => {
      await page.getByLabel('Read or write').fill(line);
      await page.getByLabel('Read or write').press('Enter');
    };
    await send('0x10=0xCAFE');
    await send('0x10');
    await page.locator('.transaction', { hasText: '0x0000_CAFE' }).nth(1).waitFor();
    await page.locator('label', { hasText: /^Script$/ }).click();
    await page.getByRole('button', { name: 'Create from transactions' }).click();
    await expect
      .poll(() => page.getByLabel('Step 2', { exact: true }).inputValue())
      .toBe('read 0x10 = 0xCAFE');
    await expect
      .poll(() => page.getByLabel('Step 1', { exact: true }).inputValue())
      .toBe('write 0x10 = 0xCAFE');

    // Another step with keys: a line below, which fails; Alt with an arrow moves it up and down.
    await page.getByLabel('Step 2', { exact: true }).press('Enter');
    await page.locator('input[aria-label="Step 3"]:focus').waitFor();
    await page.keyboard.type('read 0x10 = 0xBEEF // Never so');
    await page.keyboard.press('Alt+ArrowUp');
    await expect
      .poll(() => page.getByLabel('Step 2', { exact: true }).inputValue())
      .toBe('read 0x10 = 0xBEEF // Never so');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText(/2 passed, 1 failed, in/).waitFor();
    await page.getByText('It read 0x0000_CAFE.').waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      expect(await findings(page)).toEqual([]);
    }

    // An invalid step is reported at its line, and nothing runs.
    await page.getByLabel('Step 2', { exact: true }).fill('read 0x11');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText(/The address must be a multiple of 4/).waitFor();
    await page.getByLabel('Step 2', { exact: true }).fill('');
    await page.getByLabel('Step 2', { exact: true }).press('Backspace');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText(/2 passed, 0 failed, in/).waitFor();

    await page.getByRole('button', { name: 'Save with the design' }).click();
    await page.getByText('Saved: it runs after every build of this design.').waitFor();
    expect(await saved(page, 'Export for curl')).toContain('curl');
    expect(await saved(page, 'Export as Python')).toContain('wishbench');
    expect(await saved(page, 'Export as TypeScript')).toContain('wishbench');
    expect(await saved(page, 'JUnit XML')).toMatch(/<testsuite[^>]* failures="0"/);
    const [design] = await bench.service.client().listDesigns({ owner: '*' });
    const kept = await bench.service.client().getDesignScript({ design_id: design?.design_id ?? '' });
    expect(kept?.steps).toHaveLength(2);

    // After a reload it is there again, in the view that was open.
    await page.reload();
    await page.getByLabel('Step 2', { exact: true }).waitFor();
    await expect
      .poll(() => page.getByLabel('Step 2', { exact: true }).inputValue())
      .toBe('read 0x10 = 0xCAFE');
    expect(complaints.list).toEqual([]);
    await page.context().close();
  });
});
