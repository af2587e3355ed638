import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findings } from '../../support/browser/axe.ts';
import { example, startBench } from '../../support/browser/bench.ts';
import { hasChromium, IN_BROWSER, pressAll } from '../../support/browser/browser.ts';

const MAP = [
  'register,address,access,description,field,bits,values',
  'COUNT,0x0,rw,Clocks left,,,',
  'RELOAD,0x4,rw,What COUNT starts from again,,,',
  'ENDED,0x8,rw,How often it has ended,,,',
  'UPTIME,0xC,ro,Clocks since reset,,,',
  'UPTIME,,,,HI,31:16,',
  'UPTIME,,,,LO,15:0,',
  '',
].join('\r\n');

async function saved(page: Page, name: string, role: 'button' | 'menuitem' = 'button'): Promise<string> {
  const download = page.waitForEvent('download');
  await page.getByRole(role, { name, exact: true }).click();
  return readFileSync(await (await download).path(), 'utf8');
}

const importFile = (page: Page, name: string, contents: string) =>
  page.setInputFiles('[data-map-file]', { name, mimeType: 'text/csv', buffer: Buffer.from(contents) });

describe.skipIf(!hasChromium)('the registers of a running design', IN_BROWSER, () => {
  const bench = startBench(['timer.v'], async (service) => {
    await service.build(2, 'timer.v', example('timer.v'), 'anonymous');
  });

  test('map, poll, plot, memory, files', async () => {
    const { page, complaints } = await bench.open('/#/node/2/registers');
    const command = page.getByLabel('Read or write');
    const send = async (line: string) => {
      await command.fill(line);
      await command.press('Enter');
    };
    await send('0x4=0x1234');
    await page.getByText('0x0000_1234').first().waitFor();

    // A wrong file is reported and changes nothing; then the right one names the registers.
    await importFile(page, 'timer.csv', MAP.replace('15:0', '16:0'));
    await page.getByText('Line 7: The bits of “LO” overlap those of another field.').waitFor();
    await expect.poll(() => page.getByLabel('Register map').inputValue()).toBe('');
    await importFile(page, 'timer.csv', MAP);
    await page.getByRole('button', { name: 'Name and fields of UPTIME' }).waitFor();
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await send('RELOAD');
    await send('UPTIME');
    await page.getByRole('button', { name: 'Fields of UPTIME', exact: true }).click();
    await page.getByText('[31:16]').first().waitFor();

    // One burst polls neighbours; the design's clock runs, so every value differs.
    await page.getByLabel('Poll every').selectOption('0.1');
    await page.getByRole('button', { name: 'Poll UPTIME' }).click();
    await page.getByRole('button', { name: 'Poll ENDED' }).click();
    await page.getByText('2 polled').waitFor();
    await page
      .getByText(/changed, was 0x/)
      .first()
      .waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Plot UPTIME', exact: true }).click();
    await page.locator('.plot canvas').waitFor();
    const samples = async () => {
      await page.getByRole('button', { name: 'Export', exact: true }).click();
      return (await saved(page, 'Export the samples as CSV', 'menuitem')).trim().split('\r\n').length;
    };
    const few = await samples();
    await expect.poll(samples).toBeGreaterThan(few + 4);
    // Something was drawn: the canvas has pixels in the colour of the first curve.
    const drawn = `(() => {
      const canvas = document.querySelector('.plot canvas');
      const hex = getComputedStyle(document.documentElement).getPropertyValue('--plot-1').trim();
      const wanted = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      let found = 0;
      for (let at = 0; at < data.length; at += 4)
        if (data[at + 3] > 200 && wanted.every((channel, i) => Math.abs(channel - data[at + i]) < 24)) found += 1;
      return found;
    })()`;
    await expect.poll(() => page.evaluate(drawn)).toBeGreaterThan(20);

    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      expect(await findings(page)).toEqual([]);
    }

    // A curve has no gap after a visit to another view; pausing stops the polls.
    await page.getByRole('tab', { name: 'Log' }).click();
    await page.getByRole('tab', { name: 'Registers' }).click();
    await page.getByText('2 polled').waitFor();
    await page.getByRole('button', { name: 'Pause polling' }).click();
    await page.getByText('2 polled, paused').waitFor();

    // The keyboard: views by their letters, the dump of the registers, the words that changed marked.
    await command.press('Escape');
    await page.getByRole('button', { name: 'Read all' }).focus();
    await pressAll(page, 'v', 'm');
    await page.getByLabel('Words', { exact: true }).fill('4');
    await page.keyboard.press('Enter');
    const dump = page.getByRole('grid', { name: 'Hex dump' });
    await dump.getByText('0000_1234').waitFor();
    await page.getByRole('button', { name: 'Read range' }).click();
    await page.getByText(/words? changed since the previous read/).waitFor();
    expect(await findings(page)).toEqual([]);
    await expect
      .poll(() => saved(page, 'Save the dump as text'))
      .toMatch(/^0x00000000 {2}[0-9A-F]{8} 00001234 [0-9A-F]{8} [0-9A-F]{8} {2}\|.{16}\|\n$/);

    // The exported map equals the imported one, and the history has the typed lines.
    const exported = async (form: string) => {
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Map', exact: true }).click();
      await page.getByRole('menuitem', { name: `Export as ${form}`, exact: true }).click();
      return readFileSync(await (await download).path(), 'utf8');
    };
    expect(await exported('CSV')).toContain('UPTIME,,,,,,,HI,31:16,\r\n');
    expect(JSON.parse(await exported('JSON')).registers).toHaveLength(4);
    await page.locator('label', { hasText: /^Transactions$/ }).click();
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    const history = JSON.parse(await saved(page, 'Export as JSON', 'menuitem')) as { operation: string }[];
    expect(history[0]).toMatchObject({
      operation: 'write',
      address: '0x00000004',
      data: [0x1234],
      result: 'ok',
    });
    // Two reads, a range twice: polls do not count as transactions.
    expect(history).toHaveLength(5);

    // Everything is still there after a reload.
    await page.reload();
    await page.getByLabel('Read or write').fill('UPTIME');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Name and fields of UPTIME' }).waitFor();
    await expect.poll(() => page.getByLabel('Register map').inputValue()).toBe('timer');
    expect(complaints.list).toEqual([]);
    await page.context().close();
  });
});
