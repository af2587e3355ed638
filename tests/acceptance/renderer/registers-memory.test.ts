import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hexWord } from '../../../renderer/src/format/words.ts';
import { findings, findingsInThemes } from '../../support/browser/axe.ts';
import { example, startBench } from '../../support/browser/bench.ts';
import { hasChromium, IN_BROWSER } from '../../support/browser/browser.ts';

const put = async (page: Page, button: string, name: string, contents: Buffer) => {
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: button }).click();
  await (await chooser).setFiles({ name, mimeType: 'application/octet-stream', buffer: contents });
};

const send = async (page: Page, line: string) => {
  await page.getByLabel('Read or write').fill(line);
  await page.getByLabel('Read or write').press('Enter');
};

describe.skipIf(!hasChromium)('memory and plot of a running design', IN_BROWSER, () => {
  const bench = startBench(['echo.v', 'timer.v'], async (service) => {
    await service.build(0, 'echo.v', example('echo.v'), 'anonymous');
    await service.build(3, 'timer.v', example('timer.v'), 'anonymous');
  });
  const words = async (address: number, count: number) =>
    (await bench.service.run(0, { op: 2, address, count }, 'anonymous')).data;

  test('fills a memory range, edits it in place, writes it from files and compares it with them', async () => {
    const { page, complaints } = await bench.open('/#/node/0/registers');
    await page.locator('label', { hasText: /^Memory$/ }).click();
    await page.getByLabel('Words', { exact: true }).fill('512');
    await page.getByLabel('Value').fill('0xAB');
    await page.getByRole('button', { name: 'Fill range' }).click();
    await page.getByText('512 words were written.').waitFor();
    expect(await words(2044, 1)).toEqual([0xab]);

    // With the keyboard only: to the second word, open it, type, Enter.
    const dump = page.getByRole('grid', { name: 'Hex dump' });
    await dump.focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.getByLabel('Word at 0x0004').fill('0xCAFE0001');
    await page.keyboard.press('Enter');
    await dump.getByText('CAFE_0001').waitFor();
    expect(await words(0, 3)).toEqual([0xab, 0xcafe0001, 0xab]);

    // A file of $readmemh with an address; what was written is read back and compared.
    await put(page, 'Write a file', 'boot.mem', Buffer.from('// boot\n@4 11111111 2222_2222\n@8 3\n'));
    await page.getByText('Every word matches boot.mem.').waitFor();
    expect(await words(16, 5)).toEqual([0x11111111, 0x22222222, 0xab, 0xab, 3]);
    // Intel HEX with one different word: the page marks it and shows the value of the file.
    await put(
      page,
      'Compare with a file',
      'boot.hex',
      Buffer.from(':0800100011111111232222221B\n:00000001FF\n'),
    );
    await page.getByText('1 word differs from boot.hex.').waitFor();
    await expect
      .poll(() => dump.locator('.memory-differs').getAttribute('title'))
      .toBe('the file has 2222_2223');
    // A damaged file changes nothing.
    await put(page, 'Write a file', 'bad.hex', Buffer.from(':0400000000000000FD\n'));
    await page.getByText(/bad\.hex, line 1: cannot read .*\. Nothing was written\./).waitFor();
    expect(await words(0, 1)).toEqual([0xab]);
    await put(page, 'Write a file', 'two.bin', Buffer.from([1, 2, 3, 4, 5]));
    await page.getByText('Every word matches two.bin.').waitFor();
    expect(await words(0, 2)).toEqual([0x04030201, 5]);
    expect(await findingsInThemes(page)).toEqual([]);
    expect(complaints.list).toEqual([]);
  });

  test('the plot shows values at the cursor, zooms, has two markers, lanes and writes, and exports CSV and PNG', async () => {
    const { page, complaints } = await bench.open('/#/node/0/registers');
    const map =
      'register,address,access,field,bits,values\nLEVEL,0x200,rw,,,\nLEVEL,,,BIT,0,\nLEVEL,,,HIGH,4:1,\n';
    await page.setInputFiles('[data-map-file]', {
      name: 'echo.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(map),
    });
    // By its name, once the map is imported.
    await page.getByRole('button', { name: 'Fields of LEVEL', exact: true }).waitFor();
    // The lowest value first, before polling: the value from the test before is higher than any step.
    await send(page, 'LEVEL=0');
    await expect.poll(() => words(0x200, 1)).toEqual([0]);
    await page.getByRole('button', { name: 'Fields of LEVEL', exact: true }).click();
    await page.getByLabel('Poll every').selectOption('0.05');
    await page.getByRole('button', { name: 'Poll LEVEL' }).click();
    for (const name of ['LEVEL', 'LEVEL.BIT', 'LEVEL.HIGH'])
      await page.getByRole('button', { name: `Plot ${name}`, exact: true }).click();
    const plot = page.getByRole('application');
    await plot.waitFor();
    await page.getByLabel('Time shown').selectOption('10');
    await expect.poll(() => page.locator('.plot-values tbody tr').count()).toBe(3);
    expect(await page.getByText('Latest', { exact: true }).count()).toBe(1);
    const box = await plot.boundingBox();
    if (!box) throw new Error('no plot');
    const at = (part: number) => [box.x + 92 + (box.width - 108) * part, box.y + 60] as const;
    // A staircase; the poll sees each step.
    for (let step = 1; step <= 6; step += 1) {
      await send(page, `LEVEL=${step}`);
      await page
        .locator('.watch-value', { hasText: hexWord(step) })
        .first()
        .waitFor();
    }

    // On a fast machine the samples are not yet as old as where the first marker is set.
    const row = page.getByRole('row', { name: /^LEVEL 0x/ });
    await expect
      .poll(async () => {
        await page.mouse.move(...at(0.82));
        await page.mouse.move(...at(0.83));
        return await row.count();
      })
      .toBe(1);
    await page.getByRole('columnheader', { name: 'At the cursor' }).waitFor();
    await page.mouse.click(...at(0.85));
    await page.mouse.click(...at(0.95));
    await page.getByText(/^Δt/).waitFor();
    await expect
      .poll(() => page.locator('.plot-readout strong').innerText())
      .toMatch(/^[\d.]+ s \([\d.]+ m?Hz\)$|ms/);
    await expect.poll(() => row.getByRole('cell').nth(3).innerText()).toMatch(/^(\+0x|0$)/);

    // A drag zooms, "Zoom back" and the keyboard lead back.
    await page.mouse.move(...at(0.7));
    await page.mouse.down();
    await page.mouse.move(...at(0.9), { steps: 4 });
    await page.mouse.up();
    await page.getByRole('button', { name: 'Follow' }).waitFor();
    await plot.focus();
    await page.keyboard.press('+');
    await page.keyboard.press('Backspace');
    await page.getByRole('button', { name: 'Follow' }).waitFor();
    await page.getByRole('button', { name: 'Zoom back' }).click();
    await page.getByRole('button', { name: 'Freeze' }).waitFor();

    const png = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Export the plot as PNG' }).click();
    const picture = readFileSync(await (await png).path());
    expect(picture.subarray(1, 4).toString()).toBe('PNG');
    expect(picture.length).toBeGreaterThan(5000);
    expect(await findingsInThemes(page)).toEqual([]);
    expect(complaints.list).toEqual([]);
  });

  test('the view has one row of controls, complete binary words and a movable border', async () => {
    const { page } = await bench.open('/#/node/3/registers', { viewport: { width: 1440, height: 900 } });
    await send(page, '0x4');
    await page.locator('.registers-bar').waitFor();
    await expect
      .poll(async () => (await page.locator('.registers-bar').boundingBox())?.height)
      .toBeLessThan(56);
    await page.getByText('Bin', { exact: true }).click();
    for (const width of [1920, 1440, 1024, 390]) {
      await page.setViewportSize({ width, height: 900 });
      const digits = page.locator('.watch-row .watch-type').first();
      const cut = () => digits.evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1);
      await expect.poll(cut, { message: `${width} pixels wide` }).toBe(false);
    }
    await page.setViewportSize({ width: 1920, height: 900 });
    const border = page.getByRole('separator', { name: 'Watch and views' });
    const before = Number(await border.getAttribute('aria-valuenow'));
    await border.press('ArrowLeft');
    await expect.poll(async () => Number(await border.getAttribute('aria-valuenow'))).toBe(before + 16);
  });

  test('a curve that exceeds its limits alerts', async () => {
    const { page, complaints } = await bench.open('/#/node/3/registers', {
      viewport: { width: 1440, height: 900 },
    });
    await send(page, '0xC');
    await page.getByLabel('Poll every').selectOption('0.05');
    await page.getByRole('button', { name: 'Poll 0x000C' }).click();
    await page.getByRole('button', { name: 'Plot 0x000C', exact: true }).click();
    await page.getByLabel('Alert when 0x000C is above').fill('1');
    await page.getByLabel('Alert when 0x000C is above').press('Enter');
    await page
      .getByText(/0x000C of node 3 is 0x[\dA-F_]+, above 0x0000_0001\./)
      .first()
      .waitFor();
    await page.locator('.plot-values').getByText('above its limit').waitFor({ state: 'attached' });
    expect(await findings(page)).toEqual([]);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Export the plot as SVG' }).click();
    expect((await download).suggestedFilename()).toBe('node-3-plot.svg');
    expect(complaints.list).toEqual([]);
  });
});
