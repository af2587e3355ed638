import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { Floorplan } from '../../../server/contract/signals/floorplan.ts';
import { findingsInThemes } from '../../support/browser/axe.ts';
import { example, startBench } from '../../support/browser/bench.ts';
import { hasChromium, IN_BROWSER } from '../../support/browser/browser.ts';
import { LAYERED } from '../../support/layered-design.ts';

const drawn = (page: Page) => page.locator('.chip canvas[data-drawn]').waitFor();

describe.skipIf(!hasChromium)('the floorplan of a build', IN_BROWSER, () => {
  let plan: Floorplan;
  const bench = startBench([LAYERED, 'echo.v'], async (service) => {
    await service.build(1, 'echo.v', example('echo.v'), 'anonymous');
    for (let again = 0; again < 2; again++) {
      await service.free(1);
      await service.build(1, LAYERED.filename, LAYERED.source, 'anonymous');
    }
    plan = await service.client().getFloorplan({ fpga_id: 1 });
  });

  /** Place of a cell on the page, while the whole chip is visible. */
  async function placeOf(page: Page, x: number, y: number): Promise<{ x: number; y: number }> {
    const box = (await page.locator('.chip canvas').boundingBox())!;
    const [width, height] = [plan.tiles[0]!.length, plan.tiles.length];
    const scale = Math.min((box.width - 24) / width, (box.height - 24) / height);
    return {
      x: box.x + (box.width - scale * width) / 2 + scale * x,
      y: box.y + (box.height - scale * height) / 2 + scale * (height - y),
    };
  }

  test('pointing at a cell names it, and a click opens its source', async () => {
    const { page, complaints } = await bench.open('/#/node/1/report');
    await page.getByRole('tab', { name: 'Floorplan' }).click();
    await drawn(page);
    const index = plan.cells.findIndex(({ name, between }) => name === 'folded[3]' && !between);
    const cell = plan.cells[index]!;
    const { x, y } = await placeOf(page, cell.x + 0.5, cell.y + 0.1 + (cell.z + 0.5) * 0.1);
    await page.mouse.move(x, y);
    await page.locator('.floorplan-tip').getByText('fold.folded[3]').waitFor();
    await page.mouse.click(x, y);
    await page.locator('.cm-content').waitFor();
    await expect
      .poll(() => page.evaluate('location.hash'))
      .toMatch(new RegExp(`/design\\?.*line=${cell.line}$`));
    await page.goBack();
    await drawn(page);
    expect(complaints.list).toEqual([]);
  });

  test('wheel and drag move the chip; the keyboard leads from a cell to its source', async () => {
    const { page, complaints } = await bench.open('/#/node/1/floorplan');
    await drawn(page);
    const canvas = page.getByRole('application', { name: /^Chip hx8k-ct256: \d+ cells of the design/ });
    const picture = () => page.evaluate<string>(`document.querySelector('.chip canvas').toDataURL()`);
    const whole = await picture();
    await canvas.hover();
    await page.mouse.wheel(0, -800);
    await expect.poll(picture).not.toBe(whole);
    await page.getByRole('button', { name: 'Show everything' }).click();
    await page.mouse.move(2, 2);
    await expect.poll(picture).toBe(whole);
    await canvas.focus();
    await page.keyboard.press('ArrowRight');
    const facts = page.locator('.floorplan-facts');
    await expect.poll(() => facts.textContent()).toMatch(/column \d+, row \d+/);
    const first = await facts.textContent();
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => facts.textContent()).not.toBe(first);
    await page.keyboard.press('+');
    await page.keyboard.press('0');
    await page.getByRole('searchbox', { name: 'Find a cell' }).fill('fold.folded[3]');
    await page.getByRole('button', { name: 'fold.folded[3]', exact: true }).click();
    const link = page.locator('.floorplan-side').getByRole('link', { name: /^layered\.v, line \d+$/ });
    await link.press('Enter');
    await page.locator('.cm-content').waitFor();
    expect(complaints.list).toEqual([]);
  });

  test('the table lists every module with its counts, and can show only one of them', async () => {
    const { page } = await bench.open('/#/node/1/floorplan');
    await drawn(page);
    const table = page.getByRole('region', { name: 'Modules' }).getByRole('table');
    for (const { path, cells, whose } of plan.modules.filter((one) => one.path !== '')) {
      const row = table
        .getByRole('row')
        .filter({ has: page.getByRole('button', { name: path, exact: true }) });
      const texts = await row.getByRole('cell').allTextContents();
      expect(texts.slice(0, 2)).toEqual([whose, String(cells)]);
    }
    const one = table.getByRole('button', { name: 'one', exact: true });
    await one.press('Space');
    await expect.poll(() => one.getAttribute('aria-pressed')).toBe('true');
    await page.getByText('kind', { exact: true }).click();
    await page.getByRole('list', { name: 'Colours' }).getByText('Carry chains').waitFor();
  });

  test('the report separates design from bench utilisation, and compares two builds side by side', async () => {
    const { page, complaints } = await bench.open('/#/node/1/report');
    const utilisation = page.getByRole('table').filter({ hasText: 'Used / available' });
    const client = bench.service.client();
    const { last_build: build } = await client.getNodeDetails({ fpga_id: 1 });
    const { utilisation: rows } = await client.getBuildReport({ fpga_id: 1, job_id: build!.job_id });
    const { used, design = 0 } = rows.find(({ resource }) => resource === 'FF')!;
    const flipFlops = utilisation.getByRole('row', { name: /^Flip-flops/ });
    await flipFlops.waitFor();
    const cells = await flipFlops.getByRole('cell').allTextContents();
    expect(cells.slice(2, 4)).toEqual([String(design), String(used - design)]);
    expect(cells[4]).toMatch(new RegExp(`^${used} / `));
    await page.getByRole('heading', { name: 'Slowest path of your design' }).waitFor();
    await page.getByRole('heading', { name: 'Against the build before' }).waitFor();
    await page.getByRole('row', { name: /^Fmax .*±0/ }).waitFor();

    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByRole('button', { name: 'Compare two builds' }).click();
    const side = page.getByRole('table', { name: 'Two builds side by side' });
    await side.getByRole('row', { name: /^Your design only/ }).waitFor();
    // The build before of the same design: all figures alike.
    const file = side.getByRole('row', { name: /^File/ });
    await expect.poll(() => file.textContent()).toMatch(/layered\.v.*layered\.v.*the same$/);
    const other = page.getByLabel('Compared with');
    const echo = other.getByRole('option', { name: /echo\.v/ });
    await other.selectOption(await echo.getAttribute('value'));
    await expect.poll(() => file.textContent()).toMatch(/echo\.v.*layered\.v.*≠ differs$/);
    await side
      .getByRole('row', { name: /^Flip-flops.*(better|worse): [+−]\d+$/ })
      .first()
      .waitFor();
    expect(complaints.list).toEqual([]);
  });

  test('is readable in both themes and in forced colours at 390 pixels', async () => {
    const { page } = await bench.open('/#/node/1/floorplan', { viewport: { width: 390, height: 780 } });
    const found: string[] = [];
    const look = async (name: string) => {
      for (const forcedColors of ['active', 'none'] as const) {
        await page.emulateMedia({ forcedColors });
        if (name === 'floorplan') await drawn(page);
        for (const finding of await findingsInThemes(page))
          found.push(`${name}, forced colours ${forcedColors}: ${finding}`);
      }
      await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    };
    await drawn(page);
    await look('floorplan');
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByRole('button', { name: 'Compare two builds' }).click();
    await page.getByRole('table', { name: 'Two builds side by side' }).waitFor();
    await look('comparison');
    expect(found).toEqual([]);
  });
});
