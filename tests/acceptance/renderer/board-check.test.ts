import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SOURCE } from '../../support/api/test-bench.ts';
import { type CheckBench, checkBench, closeBenches } from '../../support/board-check/check-bench.ts';
import { findings, findingsInThemes } from '../../support/browser/axe.ts';
import { hasChromium, IN_BROWSER, PREPARE_TIMEOUT } from '../../support/browser/browser.ts';
import { startPages } from '../../support/browser/pages.ts';
import { closedGate } from '../../support/test-pool.ts';

const fpga_id = 2;

describe.skipIf(!hasChromium)('the check of a board in the browser', IN_BROWSER, () => {
  let lab: CheckBench;
  beforeAll(async () => {
    lab = await checkBench();
  }, PREPARE_TIMEOUT);
  afterAll(closeBenches);
  const pages = startPages();
  /** Builds wait from now on, until the returned function is called. */
  const pauseBuilds = () => {
    const { gate, open } = closedGate();
    lab.toolchain.gate = gate;
    return open;
  };

  test('by keyboard: opens, starts, watches the steps and saves the report; axe reports nothing', async () => {
    const { page, complaints } = await pages.open(`${lab.bench.url}/#/boards`);
    await page.getByRole('button', { name: 'Check this board, slot 2' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Check of the board in slot 2' });
    await dialog.getByText('This board has not been checked yet.').waitFor();
    const found = await findings(page);
    const goOn = pauseBuilds();
    await dialog.getByRole('button', { name: 'Start the check' }).focus();
    await page.keyboard.press('Enter');
    await dialog.getByRole('progressbar').waitFor();
    const steps = dialog.getByRole('listitem');
    await steps.filter({ hasText: 'Check design built' }).getByText('running').waitFor();
    // Closed and opened again, it is where the check is.
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Check this board, slot 2' }).click();
    await steps.filter({ hasText: 'Check design built' }).getByText('running').waitFor();
    goOn();
    await dialog.getByText('The check passed.').waitFor();
    await steps.filter({ hasText: 'Words to the board' }).getByText('10,000 words, none wrong').waitFor();
    await expect.poll(() => steps.filter({ hasText: 'passed' }).count()).toBeGreaterThanOrEqual(8);
    found.push(...(await findingsInThemes(page)));
    const download = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Save report' }).click();
    const file = await download;
    expect(file.suggestedFilename()).toMatch(/^wishbench-check-ice40-hx8k-breakout-\d{4}-\d\d-\d\d\.md$/);
    expect(readFileSync(await file.path(), 'utf8')).toMatch(/^# Board check: .+, passed\n/);
    expect(found).toEqual([]);
    expect(complaints.list).toEqual([]);
  });

  test('cancels a running check, and disables the check of a node in use with the reason', async () => {
    const { page } = await pages.open(`${lab.bench.url}/#/boards`);
    await page.getByRole('button', { name: 'Check this board, slot 2' }).click();
    const dialog = page.getByRole('dialog', { name: 'Check of the board in slot 2' });
    const goOn = pauseBuilds();
    await dialog.getByRole('button', { name: 'Check again' }).click();
    // A job that waits would be cancelled, and the check would end at once.
    await expect.poll(() => lab.bench.pool.node(fpga_id).state).toBe('building');
    await dialog.getByRole('button', { name: 'Cancel the check' }).click();
    const client = lab.client();
    await expect.poll(async () => (await client.getBoardCheck({ fpga_id }))?.cancelling).toBe(true);
    // The check ends after the job that is under way.
    goOn();
    await dialog.getByRole('status').getByText('The check was cancelled.').waitFor();
    expect((await client.getNode({ fpga_id })).state).toBe('idle');
    const file = { name: 'echo.v', contents: SOURCE };
    await client.jobEnded(await client.submitDesign({ fpga_id, body: { file } }));
    const again = dialog.getByRole('button', { name: 'Check again' });
    await expect.poll(() => again.isDisabled()).toBe(true);
    await expect.poll(() => again.getAttribute('title')).toBe('The slot’s node must be idle first.');
  });
});
