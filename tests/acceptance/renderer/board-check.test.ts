import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { findings } from '../../support/browser/axe.ts';
import { startBench } from '../../support/browser/bench.ts';
import { BUILD_TIMEOUT, hasChromium, IN_BROWSER } from '../../support/browser/browser.ts';

describe.skipIf(!hasChromium)('the check of a board in the browser', IN_BROWSER, () => {
  const bench = startBench(['echo.v']);

  test('by keyboard: opens, starts, watches the steps and saves the report; both themes pass axe', async () => {
    const { page, complaints } = await bench.open('/#/boards');
    await page.getByRole('button', { name: 'Check this board, slot 3' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Check of the board in slot 3' });
    await dialog.getByText('This board has not been checked yet.').waitFor();
    const found = await findings(page);
    const goOn = bench.service.pauseBuilds();
    await dialog.getByRole('button', { name: 'Start the check' }).focus();
    await page.keyboard.press('Enter');
    await dialog.getByRole('progressbar').waitFor();
    const steps = dialog.getByRole('listitem');
    await steps.filter({ hasText: 'Check design built' }).getByText('running').waitFor();
    found.push(...(await findings(page)));
    // Closed and opened again, it is where the check is.
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Check this board, slot 3' }).click();
    await steps.filter({ hasText: 'Check design built' }).getByText('running').waitFor();
    goOn();
    await dialog.getByText('The check passed.').waitFor({ timeout: BUILD_TIMEOUT });
    await steps.filter({ hasText: 'Words to the board' }).getByText('10,000 words, none wrong').waitFor();
    await expect.poll(() => steps.filter({ hasText: 'passed' }).count()).toBeGreaterThanOrEqual(8);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      // Colours pass from one theme to the other in a moment, and until then they are neither's.
      await page.evaluate('new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)))');
      await expect.poll(() => page.evaluate<number>('document.getAnimations().length')).toBe(0);
      for (const finding of await findings(page)) found.push(`${colorScheme}: ${finding}`);
    }
    const download = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Save report' }).click();
    const file = await download;
    expect(file.suggestedFilename()).toMatch(/^wishbench-check-virtual-hx8k-\d{4}-\d\d-\d\d\.md$/);
    expect(readFileSync(await file.path(), 'utf8')).toMatch(/^# Board check: .+, passed\n/);
    expect(found).toEqual([]);
    expect(complaints.list).toEqual([]);
    await page.context().close();
  });

  test('cancels a running check, and disables the check of a node in use with the reason', async () => {
    const { page } = await bench.open('/#/boards');
    await page.getByRole('button', { name: 'Check this board, slot 4' }).click();
    const dialog = page.getByRole('dialog', { name: 'Check of the board in slot 4' });
    const goOn = bench.service.pauseBuilds();
    await dialog.getByRole('button', { name: 'Start the check' }).click();
    await dialog.getByRole('button', { name: 'Cancel the check' }).click();
    const client = bench.service.client();
    await expect.poll(async () => (await client.getBoardCheck({ fpga_id: 4 }))?.cancelling).toBe(true);
    // The check ends after the job that is under way.
    goOn();
    await dialog
      .getByRole('status')
      .getByText('The check was cancelled.')
      .waitFor({ timeout: BUILD_TIMEOUT });
    expect((await client.getNode({ fpga_id: 4 })).state).toBe('idle');
    await bench.service.build(4, 'echo.v', readFileSync('resources/examples/echo.v'), 'bob');
    const again = dialog.getByRole('button', { name: 'Check again' });
    await expect.poll(() => again.isDisabled()).toBe(true);
    await expect.poll(() => again.getAttribute('title')).toBe('The slot’s node must be idle first.');
    await page.context().close();
  });
});
