import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { findings } from '../../support/browser/axe.ts';
import { example, startBench } from '../../support/browser/bench.ts';
import { hasChromium, IN_BROWSER } from '../../support/browser/browser.ts';

describe.skipIf(!hasChromium)('shared links and the backup', IN_BROWSER, () => {
  const bench = startBench(['panel.v'], async (service) => {
    await service.build(1, 'panel.v', example('panel.v'), 'anonymous');
  });

  test('a colleague who opens a copied link sees the same panel, and the same line of the source', async () => {
    const { page, complaints } = await bench.open('/#/node/1/panel');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const clipboard = () => page.evaluate<string>('navigator.clipboard.readText()');
    const link = async () => {
      await page.evaluate("navigator.clipboard.writeText('')");
      await page.keyboard.press('y');
      await expect.poll(clipboard).not.toBe('');
      return await clipboard();
    };
    const { page: colleague } = await bench.open('/health');
    const openIt = async () => {
      const address = await link();
      // Not from one place of the same page to another.
      await colleague.goto(`${bench.service.url}/health`);
      await colleague.goto(address);
    };

    await page.getByRole('button', { name: 'Plot led' }).click();
    await openIt();
    await colleague.getByRole('img', { name: /^Course of led/ }).waitFor();

    // The line of the source where the cursor is.
    await page.getByRole('tab', { name: 'Design' }).click();
    await page.locator('.cm-line').nth(4).click();
    await page.keyboard.press('Escape');
    await openIt();
    expect(colleague.url()).toMatch(/#\/node\/1\/design\?job=[0-9a-f-]{36}&line=5$/);
    await colleague.locator('.cm-line').first().waitFor();

    // By pointer, and without the LAN it says so.
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByText('It works on this computer only').first().waitFor();
    expect(await findings(page, 'page')).toEqual([]);
    expect(complaints.list).toEqual([]);
  });

  test('the operator downloads a backup and sees how to restore it', async () => {
    const { page, complaints } = await bench.open('/#/settings');
    const button = page.getByRole('button', { name: 'Download a backup' });
    await button.scrollIntoViewIfNeeded();
    const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
    expect(download.suggestedFilename()).toMatch(/^wishbench-\d{4}-\d\d-\d\d\.tar\.gz$/);
    const tar = gunzipSync(readFileSync(await download.path())).toString('latin1');
    for (const name of ['backup.json', 'bench.json', 'backup-end.json']) expect(tar).toContain(name);
    await page.getByText('wishbench restore').waitFor();
    expect(await findings(page, 'page')).toEqual([]);
    expect(complaints.list).toEqual([]);
  });
});
