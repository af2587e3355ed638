import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EmulatedBench } from '../../support/boards/emulated-bench.ts';
import { findings } from '../../support/browser/axe.ts';
import { example } from '../../support/browser/bench.ts';
import { goTo, hasChromium, IN_BROWSER, PREPARE_TIMEOUT } from '../../support/browser/browser.ts';
import { startPages } from '../../support/browser/pages.ts';

const source = example('timer.v');
const PROBED = {
  filename: 'timer.v',
  source,
  options: { probes: 'bus.cyc, bus.we, bus.adr[1:0], count[7:0]' },
};
const PLAIN = { filename: 'echo.v', source: example('echo.v') };

/** The text next to a signal's name. */
const shownOf = (page: Page, name: string): Promise<string> =>
  page
    .locator('.waves-row', { has: page.getByRole('button', { name, exact: true }) })
    .locator('.waves-value')
    .innerText();

describe.skipIf(!hasChromium)('the signals of a design on a real board', IN_BROWSER, () => {
  let bench: EmulatedBench;
  beforeAll(async () => {
    bench = await EmulatedBench.start({ built: [PROBED, PLAIN] });
    await bench.submit(PROBED);
  }, PREPARE_TIMEOUT);
  afterAll(() => bench?.close());
  const pages = startPages();
  const tab = () => pages.open(`${bench.url}/#/node/2/signals`);

  test('offers probed signals, captures them around an access, and displays value names', async () => {
    const { page, complaints } = await tab();
    await page.getByText(/Real board: the capture core records .* samples of 12 bits/).waitFor();
    // A signal that is not probed only shows in the search, and cannot be ticked.
    const boxes = page.getByRole('region', { name: 'Signals' }).getByRole('checkbox');
    await expect.poll(() => boxes.count()).toBe(4);
    await page.getByRole('searchbox', { name: 'Search signals' }).fill('uptime');
    await page.getByText('not probed', { exact: true }).waitFor();
    expect(await page.getByRole('checkbox', { name: /^uptime/ }).isDisabled()).toBe(true);
    await page.getByRole('searchbox', { name: 'Search signals' }).fill('');
    await page.getByRole('button', { name: 'Watch all of Bus of the bench' }).click();
    await page.getByRole('checkbox', { name: /^count/ }).check();
    await page.getByText('12 of 12 bits that are probed').waitFor();
    // The clock of a real board does not stop.
    expect(await page.getByLabel('Clock afterwards').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Pause', exact: true }).count()).toBe(0);

    await page.getByLabel('Samples').fill('4096');
    await page.getByText('Enter a whole number from 1 to 2,048.').waitFor();
    await page.getByLabel('Samples').fill('200');
    await page.getByLabel('Trigger', { exact: true }).selectOption('An access on the bus');
    await page.getByLabel('Address', { exact: true }).fill('0x0');
    await page.getByLabel('Direction').selectOption('Write');
    await page.getByLabel('Before the trigger').fill('40');
    await page.getByRole('button', { name: 'Record', exact: true }).click();
    await page.getByText('Waiting for the trigger').waitFor();
    await bench.write(0, [77]);
    const plot = page.getByRole('application', { name: /^Waveforms/ });
    await plot.waitFor();
    await page.getByText('1 transfer', { exact: true }).waitFor();

    await page.getByRole('button', { name: 'count', exact: true }).click();
    await plot.focus();
    await page.keyboard.press('n');
    await expect.poll(() => shownOf(page, 'count')).toBe('0xxxxx_xx4D');
    await page.getByRole('button', { name: 'Name values…' }).click();
    const lines = page.getByRole('textbox', { name: 'Names of values of count' });
    await lines.fill('77 begun\nended');
    await page.getByText('Each line is a number and a name').waitFor();
    const save = page.getByRole('button', { name: 'Save', exact: true });
    await expect.poll(() => save.isDisabled()).toBe(true);
    // The dialog lies in the tools of the row, and is as wide as dialogs are.
    const { dialog = 0, area = 0 } = await page.evaluate<Record<string, number>>(`({
      dialog: document.querySelector('dialog .dialog-body').clientWidth,
      area: document.querySelector('dialog textarea').offsetWidth })`);
    expect(area).toBeGreaterThan(dialog * 0.85);
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'bus.adr', exact: true }).click();
    await page.getByRole('button', { name: 'Name values…' }).click();
    await page.getByRole('textbox', { name: 'Names of values of bus.adr' }).fill('0 count\n0x1 reload');
    await save.click();
    await expect.poll(() => page.getByLabel('Format of bus.adr').inputValue()).toBe('names');
    const { design } = await bench.client.getNodeDetails({ fpga_id: 2 });
    await expect
      .poll(async () => (await bench.client.getDesignWaves({ design_id: design?.design_id ?? '' }))?.rows)
      .toContainEqual({
        ...{ kind: 'signal', name: 'bus.adr', format: 'names' },
        names: { '0': 'count', '1': 'reload' },
      });

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save the recording as VCD' }).click(),
    ]);
    expect(readFileSync(await download.path(), 'utf8')).toMatch(/\$var wire 32 \S+ count \$end/);
    expect(complaints.list).toEqual([]);
  });

  test('cancels a trigger that never fires; rejects one on bits that are not probed', async () => {
    const { design } = await bench.client.getNodeDetails({ fpga_id: 2 });
    await bench.client.putDesignWaves({
      design_id: design?.design_id ?? '',
      body: { rows: [{ kind: 'signal', name: 'count' }] },
    });
    const { page, complaints } = await tab();
    await page.getByLabel('Trigger', { exact: true }).selectOption('A value');
    await page.getByLabel('Trigger signal').fill('count[7:0]');
    await page.getByLabel('Value', { exact: true }).fill('200');
    await page.getByRole('button', { name: 'Record', exact: true }).click();
    await page.getByText('Waiting for the trigger').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Record', exact: true }).waitFor();
    expect((await bench.client.listCaptures({ fpga_id: 2 }))[0]?.state).toBe('cancelled');
    await page.getByLabel('Trigger signal').fill('count');
    await page.getByRole('button', { name: 'Record', exact: true }).click();
    await page.getByText(/The trigger looks at bits of count that are not among the probes/).waitFor();
    // The board is none the worse for it.
    await bench.write(0, [3]);
    expect(complaints.list).toEqual([]);
  });

  test('a build without probes explains how to add them', async () => {
    await bench.client.jobEnded(await bench.client.releaseSession({ fpga_id: 2 }));
    await bench.submit(PLAIN);
    const { page, complaints } = await tab();
    await page.getByText('This build has no capture core').waitFor();
    await page.getByText(/mark them in the source with \(\* mark_debug \*\)/).waitFor();
    expect(await page.getByRole('button', { name: 'Record', exact: true }).count()).toBe(0);
    expect(await findings(page)).toEqual([]);
    await goTo(page, '#/node/2/design');
    expect(complaints.list).toEqual([]);
  });
});
