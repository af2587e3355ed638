import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { resourcePath } from '../../../server/paths.ts';
import { example, startBench } from '../../support/browser/bench.ts';
import { BUILD_TIMEOUT, hasChromium, IN_BROWSER } from '../../support/browser/browser.ts';
import { doTask, TASKS } from '../../support/browser/tasks.ts';

const echo = resourcePath('examples', 'echo.v');

describe.skipIf(!hasChromium)('a technician at the bench', IN_BROWSER, () => {
  const bench = startBench();

  test('chooses a file, checks the match, submits, watches, reads, writes, saves the log, releases', async () => {
    const { page, complaints } = await bench.open();
    await page.getByRole('heading', { name: 'Bench' }).waitFor();
    await expect.poll(() => page.getByRole('list', { name: 'Nodes' }).getByRole('listitem').count()).toBe(10);

    // Choose: the matcher shows its result before the build.
    await page.keyboard.press('4');
    await page.getByText('Drop an HDL file here', { exact: true }).waitFor();
    await page.setInputFiles('input[type=file]', echo);
    await page.locator('dd', { hasText: 'word addresses' }).waitFor();
    await page.locator('.cm-content').getByText('module echo').waitFor();

    // Submit and watch; the source stays where it is.
    const editor = await page.locator('.cm-content').elementHandle();
    await page.getByRole('button', { name: 'Submit to node 4' }).click();
    await page.getByRole('region', { name: 'Stages' }).getByText('Synthesis').waitFor();
    await page
      .locator('.node-head')
      .getByText('reserved', { exact: true })
      .waitFor({ timeout: BUILD_TIMEOUT });
    expect(await editor?.evaluate(({ isConnected }) => isConnected)).toBe(true);

    // Registers: the write is read back.
    await page.keyboard.press('r');
    const command = page.getByLabel('Read or write');
    await command.fill('0x10=0xDEADBEEF');
    await command.press('Enter');
    await command.fill('0x10');
    await command.press('Enter');
    await page.getByRole('tabpanel').getByText('0xDEAD_BEEF').first().waitFor();
    expect((await bench.service.run(4, { op: 2, address: 16 })).data).toEqual([0xdeadbeef]);
    await page.locator('label', { hasText: /^Signed$/ }).click();
    await page.getByRole('tabpanel').getByText('−559_038_737').first().waitFor();
    await page.locator('label', { hasText: /^Hex$/ }).click();

    // The log is there and searchable, and its saved file equals the service's log.
    await page.getByRole('tab', { name: 'Log' }).click();
    await page.getByLabel('Search the log').fill('synthesis');
    await page.getByText(/^\d+ of \d+$/).waitFor();
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save the log' }).click();
    const file = await (await saved).path();
    const client = bench.service.client();
    const job = (await client.listNodeJobs({ fpga_id: 4, limit: 1000 })).at(-1);
    const kept = await client.getJobLog({ fpga_id: 4, job_id: job?.job_id ?? '' });
    expect(readFileSync(file)).toEqual(Buffer.from(kept));

    // The report has utilisation and timing.
    await page.getByRole('tab', { name: 'Report' }).click();
    await page.getByRole('meter', { name: 'LUT', exact: true }).waitFor();
    await page.getByText('meets the target').waitFor();
    await page.getByRole('heading', { name: 'Critical path' }).waitFor();

    // Release asks for confirmation, since transactions were not exported; then the node is free.
    await page.getByRole('button', { name: 'Release' }).click();
    const dialog = page.getByRole('dialog', { name: 'Release node 4?' });
    await dialog.getByRole('button', { name: 'Release' }).click();
    await page.locator('.node-head').getByText('idle', { exact: true }).waitFor({ timeout: BUILD_TIMEOUT });
    expect((await bench.service.client().getNode({ fpga_id: 4 })).state).toBe('idle');
    expect(complaints.list).toEqual([]);
  });
});

describe.skipIf(!hasChromium)('tasks', IN_BROWSER, () => {
  const change = '\n// changed';
  const timer = example('timer.v');
  const bench = startBench(['echo.v', 'timer.v', { filename: 'timer.v', source: timer + change }]);

  // The figures of docs/notes/tasks.md.
  const hands = [
    { clicks: 1, keys: 0 },
    { clicks: 6, keys: 4 },
    { clicks: 4, keys: 5 },
  ];
  for (const [at, task] of TASKS.entries())
    test(`need few clicks and keys: ${task.name}`, async () => {
      expect(await doTask(bench.browser, bench.service, task, change)).toMatchObject(hands[at] ?? {});
    });
});
