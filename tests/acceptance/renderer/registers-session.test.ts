import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findings, findingsInThemes } from '../../support/browser/axe.ts';
import { example, startBench } from '../../support/browser/bench.ts';
import { hasChromium, IN_BROWSER, pressAll } from '../../support/browser/browser.ts';

/** Address of the clocks since reset in the timer example. */
const UPTIME = '0x000C';

const send = async (page: Page, line: string) => {
  const command = page.getByLabel('Read or write');
  await command.fill(line);
  await command.press('Enter');
};
const transaction = (page: Page, word: string) => page.locator('.transaction', { hasText: word });
const shownAt = (page: Page, address: string) =>
  page
    .getByRole('row')
    .filter({ has: page.getByRole('rowheader', { name: address }) })
    .locator('.watch-value');

async function saved(page: Page, button: string): Promise<string> {
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: button, exact: true }).click();
  return readFileSync(await (await download).path(), 'utf8');
}

describe.skipIf(!hasChromium)('a session in the register view', IN_BROWSER, () => {
  const bench = startBench(['timer.v', 'echo.v'], async (service) => {
    await service.build(1, 'timer.v', example('timer.v'), 'anonymous');
    await service.build(2, 'echo.v', example('echo.v'), 'anonymous');
    await service.build(4, 'echo.v', example('echo.v'), 'anonymous');
  });
  const runs = async () =>
    (await bench.service.client().listNodeJobs({ fpga_id: 1, limit: 1000 })).filter(
      ({ type }) => type === 'run',
    );

  test('reads, writes and polls create no jobs, and a reloaded page loses nothing', async () => {
    const { page, complaints } = await bench.open('/#/node/1/registers');
    await send(page, '0x4=0x1234');
    await send(page, '0x4');
    await send(page, '0xC');
    await page.getByLabel('Poll every').selectOption('0.1');
    await page.getByRole('button', { name: `Poll ${UPTIME}` }).click();
    const value = shownAt(page, UPTIME);
    const seen = new Set<string>();
    await expect.poll(async () => seen.add(await value.innerText()).size).toBeGreaterThan(5);
    expect(await runs()).toEqual([]);
    // The record of the session has the transactions.
    const { transactions } = await bench.service.client().listTransactions({ fpga_id: 1 });
    const asked = transactions.filter(({ polled }) => !polled);
    expect(asked.map(({ via, op }) => `${via} ${op}`)).toEqual([
      'stream read',
      'stream read',
      'stream write',
    ]);

    // The same page goes on.
    await page.getByRole('button', { name: `Poll ${UPTIME}` }).click();
    await send(page, '0x4=0xABCD');
    await send(page, '0x4');
    await page.getByRole('button', { name: `Poll 0x0004` }).click();
    await page.getByRole('button', { name: `Plot 0x0004` }).click();
    await page.locator('.plot canvas').waitFor();
    await page.reload();
    // The view, what is plotted in it, what is polled, values, and the line that was typed last.
    await page.locator('.plot canvas').waitFor();
    await page.getByText('1 polled', { exact: true }).waitFor();
    await shownAt(page, '0x0004').getByText('0x0000_ABCD').waitFor();
    await page.getByLabel('Read or write').press('ArrowUp');
    await expect.poll(() => page.getByLabel('Read or write').inputValue()).toBe('0x4');
    await page.locator('label', { hasText: /^Transactions$/ }).click();
    await page.locator('.transaction', { hasText: '0x0000_1234' }).first().waitFor();
    await expect.poll(() => page.locator('.transaction').count()).toBe(5);
    expect(complaints.list).toEqual([]);
  });

  test('polling resumes after a service restart, and earlier values are marked as stale', async () => {
    const { page } = await bench.open('/#/node/1/registers');
    await send(page, '0x4');
    await send(page, '0xC');
    await page.getByRole('button', { name: `Poll ${UPTIME}` }).click();
    await shownAt(page, UPTIME).getByText(/^0x/).waitFor();
    await bench.service.stop();
    await page.getByText('reconnecting', { exact: true }).waitFor();
    await bench.service.resume();
    await page.getByText('live', { exact: true }).waitFor({ timeout: 60_000 });
    await shownAt(page, '0x0004').getByText('read before the board was reset or programmed again').waitFor({
      state: 'attached',
      timeout: 60_000,
    });
    const value = shownAt(page, UPTIME);
    const seen = new Set<string>();
    await expect
      .poll(async () => seen.add(await value.innerText()).size, { timeout: 60_000 })
      .toBeGreaterThan(3);
    await expect.poll(() => page.getByText(/Polling waits/).count()).toBe(0);
    await expect.poll(() => value.getByText('read before').count()).toBe(0);
  });

  test('keys are shortcuts until the command line has the focus, and again after Esc', async () => {
    const { page } = await bench.open('/#/node/1/registers');
    await page.getByLabel('Read or write').waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('r');
    await page.locator('[data-register-command]:focus').waitFor();
    await page.keyboard.type('0x4=0x1234');
    await page.keyboard.press('Enter');
    await transaction(page, '0x0000_1234').first().waitFor();
    await page.keyboard.type('0x4');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByLabel('Read or write').inputValue()).toBe('');
    await page.keyboard.press('Escape');
    await page.keyboard.press('/');
    await page.keyboard.type('1234');
    await page.getByText(/^\d of \d$/).waitFor();
    await page.keyboard.press('Escape');
    await pressAll(page, 'g', 'b');
    await expect.poll(() => page.url()).toMatch(/#\/$/);
  });

  test('without WebSockets, transactions become jobs and the page shows a notice', async () => {
    const { page } = await bench.open();
    await page.addInitScript(`
      window.WebSocket = class {
        constructor() { setTimeout(() => this.onerror?.(new Event('error'))); }
        close() {}
      };
    `);
    await page.goto(`${bench.service.url}/?again#/node/1/registers`);
    await send(page, '0x4');
    await shownAt(page, '0x0004').getByText(/^0x/).waitFor();
    await page.getByRole('button', { name: `Poll 0x0004` }).click();
    await page.getByText(/blocks WebSockets. Until then every read is a job of its own/).waitFor();
    expect((await runs()).length).toBeGreaterThan(0);
    // It keeps its script.
    await page.context().close();
  });

  test('survives a replace and a reload, is cleared with an undo, and can be copied', async () => {
    const { page, complaints } = await bench.open('/#/node/2/registers', {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await send(page, '0x10=0xCAFE');
    await send(page, '0x10');
    await send(page, '0x20');
    await transaction(page, '0x0020').waitFor();

    // A replaced design: no question, and the divider names the next build.
    const client = bench.service.client();
    const body = { file: { name: 'timer.v', contents: example('timer.v') } };
    const job = await client.submitDesign({ fpga_id: 2, replace: true, body });
    await client.jobEnded(job);
    const divider = page.locator('.transaction-build', { hasText: 'timer.v' });
    await divider.waitFor();
    await send(page, '0x4=0x1234');
    await transaction(page, '0x0000_1234').waitFor();
    await page.reload();
    await divider.waitFor();
    await expect.poll(() => transaction(page, '0x0000_CAFE').count()).toBe(2);
    await transaction(page, '0x0000_1234').waitFor();

    // A removed register stays removed; a cleared list comes back with Undo.
    await page.getByRole('button', { name: 'Remove 0x0004 from the watch' }).click();
    await page.getByText('0x0004 was removed from the watch.').waitFor();
    await page.reload();
    await transaction(page, '0x0000_1234').waitFor();
    expect(await page.getByRole('rowheader', { name: '0x0004' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    await expect.poll(() => page.locator('.transaction').count()).toBe(0);
    await page.getByRole('button', { name: 'Undo' }).press('Enter');
    await expect.poll(() => page.locator('.transaction').count()).toBe(4);

    // The menu of a transaction by keyboard; the focus returns to its button.
    const more = transaction(page, '0x0000_1234').getByRole('button', { name: 'More about write 0x0004' });
    await more.press('Enter');
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect
      .poll(() => page.evaluate('navigator.clipboard.readText()'))
      .toContain(`{"op":1,"address":4,"data":[4660]}' '${bench.service.url}/fpga/2/run?wait=5'`);
    await expect
      .poll(() => page.evaluate('document.activeElement?.getAttribute("aria-label")'))
      .toBe('More about write 0x0004');
    expect(complaints.list).toEqual([]);
  });

  test('becomes a script that is recorded, edited by keyboard, run, saved with the design and exported', async () => {
    const { page, complaints } = await bench.open('/#/node/4/registers');
    await send(page, '0x10=0xCAFE');
    await send(page, '0x10');
    await page.locator('.transaction', { hasText: '0x0000_CAFE' }).nth(1).waitFor();
    await page.locator('label', { hasText: /^Script$/ }).click();
    await page.getByRole('button', { name: 'Create from transactions' }).click();
    await expect
      .poll(() => page.getByLabel('Step 2', { exact: true }).inputValue())
      .toBe('read 0x10 = 0xCAFE');
    await expect
      .poll(() => page.getByLabel('Step 1', { exact: true }).inputValue())
      .toBe('write 0x10 = 0xCAFE');

    // Another step with keys: a line below, which fails; Alt with an arrow moves it up and down.
    await page.getByLabel('Step 2', { exact: true }).press('Enter');
    await page.locator('input[aria-label="Step 3"]:focus').waitFor();
    await page.keyboard.type('read 0x10 = 0xBEEF // Never so');
    await page.keyboard.press('Alt+ArrowUp');
    await expect
      .poll(() => page.getByLabel('Step 2', { exact: true }).inputValue())
      .toBe('read 0x10 = 0xBEEF // Never so');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText(/2 passed, 1 failed, in/).waitFor();
    await page.getByText('It read 0x0000_CAFE.').waitFor();
    expect(await findingsInThemes(page)).toEqual([]);

    // An invalid step is reported at its line, and nothing runs.
    await page.getByLabel('Step 2', { exact: true }).fill('read 0x11');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText(/The address must be a multiple of 4/).waitFor();
    await page.getByLabel('Step 2', { exact: true }).fill('');
    await page.getByLabel('Step 2', { exact: true }).press('Backspace');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText(/2 passed, 0 failed, in/).waitFor();

    await page.getByRole('button', { name: 'Save with the design' }).click();
    await page.getByText('Saved: it runs after every build of this design.').waitFor();
    expect(await saved(page, 'Export for curl')).toContain('curl');
    expect(await saved(page, 'Export as Python')).toContain('wishbench');
    expect(await saved(page, 'Export as TypeScript')).toContain('wishbench');
    expect(await saved(page, 'JUnit XML')).toMatch(/<testsuite[^>]* failures="0"/);
    const { design } = await bench.service.client().getNodeDetails({ fpga_id: 4 });
    const kept = await bench.service.client().getDesignScript({ design_id: design?.design_id ?? '' });
    expect(kept?.steps).toHaveLength(2);

    // After a reload it is there again, in the view that was open.
    await page.reload();
    await page.getByLabel('Step 2', { exact: true }).waitFor();
    await expect
      .poll(() => page.getByLabel('Step 2', { exact: true }).inputValue())
      .toBe('read 0x10 = 0xCAFE');
    expect(complaints.list).toEqual([]);
  });
});
