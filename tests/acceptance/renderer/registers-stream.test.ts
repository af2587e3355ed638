import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { example, startBench } from '../../support/browser/bench.ts';
import { hasChromium, IN_BROWSER, pressAll } from '../../support/browser/browser.ts';

/** Addresses of the timer example: number of ends, and clocks since reset. */
const UPTIME = '0x000C';

const send = async (page: Page, line: string) => {
  const command = page.getByLabel('Read or write');
  await command.fill(line);
  await command.press('Enter');
};
const shownAt = (page: Page, address: string) =>
  page
    .getByRole('row')
    .filter({ has: page.getByRole('rowheader', { name: address }) })
    .locator('.watch-value');

describe.skipIf(!hasChromium)('a session in the register view', IN_BROWSER, () => {
  const bench = startBench(['timer.v'], async (service) => {
    await service.build(1, 'timer.v', example('timer.v'), 'anonymous');
  });
  const runs = async () =>
    (await bench.service.client().listNodeJobs({ fpga_id: 1, limit: 1000 })).filter(
      ({ type }) => type === 'run',
    );

  test('reads, writes and polls create no jobs', async () => {
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
    expect(complaints.list).toEqual([]);
    await page.context().close();
  });

  test('a reloaded page loses nothing', async () => {
    const { page } = await bench.open('/#/node/1/registers');
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
    await page.context().close();
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
    await page.context().close();
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
    await page.locator('.transaction', { hasText: '0x0000_1234' }).first().waitFor();
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
    await page.context().close();
  });

  test('without WebSockets, transactions become jobs and the page shows a notice', async () => {
    const { page } = await bench.open();
    await page.addInitScript(`
      window.WebSocket = class {
        constructor() { setTimeout(() => this.onerror?.(new Event('error'))); }
        close() {}
      };
    `);
    await page.goto(`${bench.service.url}/#/node/1/registers`);
    await page.reload();
    await send(page, '0x4');
    await shownAt(page, '0x0004').getByText(/^0x/).waitFor();
    await page.getByRole('button', { name: `Poll 0x0004` }).click();
    await page.getByText(/blocks WebSockets. Until then every read is a job of its own/).waitFor();
    expect((await runs()).length).toBeGreaterThan(0);
    await page.context().close();
  });
});
