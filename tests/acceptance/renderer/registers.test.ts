import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findings, findingsInThemes } from '../../support/browser/axe.ts';
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

/** Every form in which a map is exported, its ending, and what is in the file. */
const FORMS = [
  ['CSV', '.csv', 'UPTIME,,,,,,,HI,31:16,\r\n'],
  ['JSON', '.json', '"name":"RELOAD"'],
  ['CMSIS-SVD', '.svd', '<name>RELOAD</name>'],
  ['IP-XACT', '.xml', 'RELOAD'],
  ['LiteX csr.csv', '.csr.csv', 'csr_register,design_reload,0x00000004'],
  ['LiteX csr.json', '.csr.json', 'csr_registers'],
] as const;

const sendOn = async (page: Page, line: string) => {
  await page.getByLabel('Read or write').fill(line);
  await page.getByLabel('Read or write').press('Enter');
};

describe.skipIf(!hasChromium)('the registers of a running design', IN_BROWSER, () => {
  const bench = startBench(['timer.v', 'gpio.v', 'echo.v'], async (service) => {
    await service.build(2, 'timer.v', example('timer.v'), 'anonymous');
    await service.build(3, 'echo.v', example('echo.v'), 'lab-1');
    await service.build(4, 'gpio.v', example('gpio.v'), 'anonymous');
  });

  test('map, poll, plot, memory, files', async () => {
    const { page, complaints } = await bench.open('/#/node/2/registers');
    const command = page.getByLabel('Read or write');
    const send = (line: string) => sendOn(page, line);
    await send('0x4=0x1234');
    await page.getByText('0x0000_1234').first().waitFor();

    // A wrong file is reported and changes nothing; then the right one names the registers.
    await importFile(page, 'timer.csv', MAP.replace('15:0', '16:0'));
    await page.getByText('line 5: UPTIME.LO: another field has some of these bits').waitFor();
    await expect.poll(() => page.getByLabel('Register map').inputValue()).toBe('');
    await importFile(page, 'timer.csv', MAP);
    await page.getByRole('button', { name: 'Name and fields of UPTIME' }).waitFor();
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await send('RELOAD');
    await send('UPTIME');
    await page.getByRole('button', { name: 'Fields of UPTIME', exact: true }).click();
    await page.getByText('[31:16]').first().waitFor();
    await page.getByRole('button', { name: 'Bits of RELOAD' }).click();
    await page.getByRole('button', { name: 'bit 15 RELOAD' }).waitFor();

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

    expect(await findingsInThemes(page)).toEqual([]);

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

    // The map in every form, and the typed lines.
    for (const [form, ending, says] of FORMS) {
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Map', exact: true }).click();
      await page.getByRole('menuitem', { name: `Export as ${form}`, exact: true }).click();
      const file = await download;
      expect(file.suggestedFilename()).toBe(`timer${ending}`);
      expect(readFileSync(await file.path(), 'utf8')).toContain(says);
    }
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
  });

  test('found in the source are proposed, link to their lines, and join the map when accepted', async () => {
    const { page, complaints } = await bench.open('/#/node/4/registers');
    const panel = page.getByRole('region', { name: 'Registers found in the source' });
    await panel.getByText('6 registers found in the source').waitFor();
    expect(await findingsInThemes(page)).toEqual([]);
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
    await sendOn(page, 'OUT=0x5A');
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
    // Whoever scrolls to what one can do with a register still sees which it is.
    const address = page.locator('.watch-row', { hasText: 'RISE' }).getByRole('rowheader');
    const left = async () => (await address.boundingBox())?.x ?? 0;
    const watch = page.getByRole('region', { name: 'Watch' });
    const edge = await watch.boundingBox();
    await watch.evaluate((element) => element.scrollTo({ left: element.scrollWidth }));
    await expect.poll(left).toBe(edge?.x);
    expect(complaints.list).toEqual([]);
  });

  test('a viewer sees the holder’s transactions live, requests control, and receives it', async () => {
    const address = '/#/node/3/registers';
    const [holder, viewer] = await Promise.all([
      bench.open(address, { as: 'lab-1' }),
      bench.open(address, { as: 'course-3' }),
    ]);
    await sendOn(holder.page, '0x10=0x1111');
    await viewer.page.getByText('lab-1 holds this node with echo.v.').waitFor();
    await viewer.page.locator('.transaction', { hasText: '0x0000_1111' }).waitFor();
    await sendOn(holder.page, '0x14=0x2222');
    await viewer.page.locator('.transaction', { hasText: 'lab-1' }).nth(1).getByText('0x0000_2222').waitFor();
    await expect.poll(() => viewer.page.getByLabel('Read or write').isDisabled()).toBe(true);
    expect(await findings(viewer.page, 'page')).toEqual([]);

    await viewer.page.getByRole('button', { name: 'Request control' }).click();
    await viewer.page.getByText('You have requested control.').waitFor();
    await holder.page.getByText('course-3 requests control.').first().waitFor();
    await holder.page.getByRole('button', { name: 'Approve: hand node 3 over to course-3' }).first().click();

    // Now they have changed places, and the history has gone with the session.
    await holder.page.getByText('course-3 holds this node with echo.v.').waitFor();
    await viewer.page.getByText('lab-1 holds this node').waitFor({ state: 'detached' });
    await sendOn(viewer.page, '0x10');
    await holder.page.locator('.transaction', { hasText: 'course-3' }).getByText('0x0000_1111').waitFor();
    await expect.poll(() => viewer.page.locator('.transaction').count()).toBe(3);
    expect(holder.complaints.list).toEqual([]);
    expect(viewer.complaints.list).toEqual([]);
  });
});
