import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findings } from '../../support/browser/axe.ts';
import { startBench } from '../../support/browser/bench.ts';
import { hasChromium, IN_BROWSER } from '../../support/browser/browser.ts';

const TALKER = {
  filename: 'talker.v',
  source: readFileSync(new URL('../../support/capture/talker.v', import.meta.url), 'utf8'),
};

const shownIn = (page: Page, row: string): Promise<string> =>
  page
    .locator('.waves-row', { has: page.getByRole('button', { name: row, exact: true }) })
    .locator('.waves-value')
    .innerText();

describe.skipIf(!hasChromium)('waveforms of a design that sends text', IN_BROWSER, () => {
  const bench = startBench([TALKER], (service) =>
    service.build(1, TALKER.filename, TALKER.source, 'anonymous'),
  );

  test('adds a decoder, searches its rows and exports CSV; saves captures and compares them', async () => {
    const client = bench.service.client('anonymous');
    const { design } = await client.getNodeDetails({ fpga_id: 1 });
    const design_id = design?.design_id ?? '';
    await client.putDesignWaves({
      design_id,
      body: {
        rows: [
          { kind: 'signal', name: 'wave', curve: 'linear' },
          { kind: 'signal', name: 'tx' },
        ],
      },
    });
    const { page, complaints } = await bench.open('/#/node/1/signals');
    await page.getByRole('button', { name: 'Add a decoder' }).click();
    // The line is guessed by its name.
    await expect.poll(() => page.getByLabel('Line', { exact: true }).inputValue()).toBe('tx');
    await page.getByLabel('Title').fill('Console');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByLabel('Samples').fill('4000');
    await page.getByRole('button', { name: 'Record', exact: true }).click();
    const plot = page.getByRole('application', { name: /^Waveforms/ });
    await plot.waitFor();
    await expect.poll(() => shownIn(page, 'Console')).toMatch(/^\d+ frames, 750,000 Bd$/);

    await page.getByRole('button', { name: 'Decoded rows' }).click();
    const table = page.getByRole('table', { name: 'Decoded rows' });
    await page.getByLabel('Search decoded rows').fill('0x48 H');
    await table.getByRole('cell', { name: '0x48 H' }).first().waitFor();
    // By the keyboard: the row's time goes there.
    await table
      .getByRole('row', { name: /0x48 H/ })
      .first()
      .getByRole('button')
      .press('Enter');
    await expect.poll(() => shownIn(page, 'Console')).toBe('0x48 H');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('talker-1.csv');

    // Cursors measure the line; a marker stays with the design.
    await page.getByRole('button', { name: 'tx', exact: true }).click();
    await plot.click({ position: { x: 20, y: 100 } });
    await plot.click({ position: { x: 320, y: 100 }, modifiers: ['Shift'] });
    await page.getByText(/^tx \d+ edges · .*duty/).waitFor();
    await plot.focus();
    await page.keyboard.press('m');
    await page.getByRole('button', { name: 'Markers (1)' }).waitFor();

    await page.getByRole('button', { name: 'Keep…' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Reference');
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await client.listDesignCaptures({ design_id })).length).toBe(1);
    const recording = () => plot.getAttribute('data-capture');
    const reference = await recording();
    await page.getByRole('button', { name: 'Record', exact: true }).click();
    await expect.poll(recording).not.toBe(reference);
    await page.getByLabel('Compare with').selectOption('Reference');
    await page.getByRole('button', { name: 'wave', exact: true }).click();
    await page.getByLabel('Find in wave').selectOption('difference');
    await page.getByRole('button', { name: 'Next' }).click();
    await expect.poll(() => shownIn(page, 'wave')).toMatch(/≠/);

    const border = page.getByRole('separator', { name: 'Width of the names of signals' });
    const width = () => border.getAttribute('aria-valuenow');
    const before = Number(await width());
    await border.focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(width).toBe(String(before + 16));
    for (const theme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: theme });
      expect(await findings(page)).toEqual([]);
    }
    expect(complaints.list).toEqual([]);
    await page.context().close();
  });

  test('a typed two-step trigger captures where the second step completes', async () => {
    const { page, complaints } = await bench.open('/#/node/1/signals');
    await page.getByLabel('Trigger', { exact: true }).selectOption('Several steps');
    const [one, two] = [page.getByLabel('Step 1'), page.getByLabel('Step 2')];
    await one.getByLabel('Condition').selectOption('access on the bus');
    await two.getByLabel('Condition').selectOption('is in a range');
    await two.getByLabel('Trigger signal').fill('wave');
    await two.getByLabel('From').fill('0xF0');
    await two.getByLabel('To', { exact: true }).fill('0xFF');
    await two.getByLabel('Within').fill('5000');
    expect(await findings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Record', exact: true }).click();
    await page.getByText('Waiting for the trigger').waitFor();
    await bench.service.run(1, { op: 2, address: 0 }, 'anonymous');
    await page.getByRole('button', { name: 'To the trigger' }).waitFor();
    // The trigger is shown before the last samples after it are recorded.
    const newest = async () => (await bench.service.client().listCaptures({ fpga_id: 1 }))[0];
    await expect.poll(newest).toMatchObject({ state: 'complete', trigger: { kind: 'sequence' } });
    // The waveforms get the room of the form.
    await page.getByRole('button', { name: 'Hide settings' }).click();
    await page.getByRole('group', { name: 'Steps of the trigger' }).waitFor({ state: 'hidden' });
    expect(complaints.list).toEqual([]);
    await page.context().close();
  });
});
