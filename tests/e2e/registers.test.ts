import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resourcePath } from '../../server/paths.ts';
import { E2E_TIMEOUT, hasChromium, launchBrowser, openPage } from './support/browser.ts';
import { ServiceProcess } from './support/service.ts';

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

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Serious and critical findings of axe-core; it comes in through the debugger, since the page allows no scripts. */
async function findings(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  await session.send('Runtime.evaluate', { expression: axeSource });
  const { violations } = await page.evaluate<{
    violations: { id: string; impact: string; nodes: { html: string }[] }[];
  }>('axe.run()');
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

async function saved(page: Page, button: string): Promise<string> {
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: button, exact: true }).click();
  return readFileSync(await (await download).path(), 'utf8');
}

const importFile = (page: Page, name: string, contents: string) =>
  page.setInputFiles('[data-map-file]', { name, mimeType: 'text/csv', buffer: Buffer.from(contents) });

describe.skipIf(!hasChromium)('the registers of a design that runs', { timeout: E2E_TIMEOUT }, () => {
  let service: ServiceProcess;
  let browser: Browser;
  beforeAll(async () => {
    [service, browser] = await Promise.all([ServiceProcess.start(), launchBrowser()]);
    await service.build(2, 'timer.v', readFileSync(resourcePath('examples', 'timer.v')), 'anonymous');
  }, E2E_TIMEOUT);
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  test('map, poll, plot, memory, files', async () => {
    const { page, complaints } = await openPage(browser, `${service.url}/#/node/2/registers`);
    const command = page.getByLabel('Read or write');
    const send = async (line: string) => {
      await command.fill(line);
      await command.press('Enter');
    };
    await send('0x4=0x1234');
    await page.getByText('0x0000_1234').first().waitFor();

    // What is wrong in a file is said, and nothing changes; then the right one names the registers.
    await importFile(page, 'timer.csv', MAP.replace('15:0', '16:0'));
    await page.getByText('Line 7: The bits of “LO” overlap those of another field.').waitFor();
    expect(await page.getByLabel('Register map').inputValue()).toBe('');
    await importFile(page, 'timer.csv', MAP);
    await page.getByRole('button', { name: 'Name and fields of UPTIME' }).waitFor();
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await send('RELOAD');
    await send('UPTIME');
    await page.getByRole('button', { name: 'Fields of UPTIME', exact: true }).click();
    await page.getByText('[31:16]').waitFor();

    // Neighbours are polled in one burst; the clock of the design goes on, so every value is another one.
    await page.getByLabel('Poll every').selectOption('0.1');
    await page.getByRole('button', { name: 'Poll UPTIME' }).click();
    await page.getByRole('button', { name: 'Poll ENDED' }).click();
    await page.getByText('2 polled').waitFor();
    await page
      .getByText(/changed, was 0x/)
      .first()
      .waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Plot UPTIME' }).click();
    await page.locator('.plot canvas').waitFor();
    const samples = async () => (await saved(page, 'Export the samples as CSV')).trim().split('\r\n').length;
    const few = await samples();
    await expect.poll(samples, { timeout: 20_000 }).toBeGreaterThan(few + 4);
    // Something was drawn: the canvas has pixels in the colour of the first curve.
    const drawn = await page.evaluate(`(() => {
      const canvas = document.querySelector('.plot canvas');
      const hex = getComputedStyle(document.documentElement).getPropertyValue('--plot-1').trim();
      const wanted = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      let found = 0;
      for (let at = 0; at < data.length; at += 4)
        if (data[at + 3] > 200 && wanted.every((channel, i) => Math.abs(channel - data[at + i]) < 24)) found += 1;
      return found;
    })()`);
    expect(drawn).toBeGreaterThan(20);

    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      expect(await findings(page)).toEqual([]);
    }

    // A curve has no gap because somebody looks at another view; pausing ends the rounds.
    await page.getByRole('tab', { name: 'Log' }).click();
    await page.getByRole('tab', { name: 'Registers' }).click();
    await page.getByText('2 polled').waitFor();
    await page.getByRole('button', { name: 'Pause polling' }).click();
    await page.getByText('2 polled, paused').waitFor();

    // The keyboard: views by their letters, the dump of the registers, the words that changed marked.
    await command.press('Escape');
    await page.getByRole('button', { name: 'Read all' }).focus();
    await page.keyboard.press('v');
    await page.keyboard.press('m');
    await page.getByLabel('Words', { exact: true }).fill('4');
    await page.keyboard.press('Enter');
    const dump = page.getByRole('region', { name: 'Hex dump' });
    await dump.getByText('0000_1234').waitFor();
    await page.getByRole('button', { name: 'Read range' }).click();
    await page.getByText(/words? changed since the read before/).waitFor();
    expect(await findings(page)).toEqual([]);
    expect(await saved(page, 'Save the dump as text')).toMatch(
      /^0x00000000 {2}[0-9A-F]{8} 00001234 [0-9A-F]{8} [0-9A-F]{8} {2}\|.{16}\|\n$/,
    );

    // The map leaves as it came, and the history with what was typed in it.
    expect(await saved(page, 'Export the map as CSV')).toContain('UPTIME,,,,HI,31:16,\r\n');
    expect(JSON.parse(await saved(page, 'Export the map as JSON')).registers).toHaveLength(4);
    await page.locator('label', { hasText: /^Transactions$/ }).click();
    await page.getByLabel('Hide polled').check();
    const history = JSON.parse(await saved(page, 'Export as JSON')) as {
      operation: string;
      polled?: boolean;
    }[];
    expect(history[0]).toMatchObject({
      operation: 'write',
      address: '0x00000004',
      data: [0x1234],
      result: 'ok',
    });
    expect(history.some(({ polled }) => polled)).toBe(false);

    // It is all still there when the page is loaded again.
    await page.reload();
    await page.getByLabel('Read or write').fill('UPTIME');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Name and fields of UPTIME' }).waitFor();
    expect(await page.getByLabel('Register map').inputValue()).toBe('timer');
    expect(complaints.list).toEqual([]);
    await page.context().close();
  });
});
