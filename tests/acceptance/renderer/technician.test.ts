import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { resourcePath } from '../../../server/paths.ts';
import { ServiceInProcess } from '../../support/api/service-in-process.ts';
import { startBenchOf } from '../../support/browser/bench.ts';
import { BUILD_TIMEOUT, hasChromium, IN_BROWSER, openPage } from '../../support/browser/browser.ts';
import { ServiceProcess } from '../../support/browser/service.ts';

const echo = resourcePath('examples', 'echo.v');

describe.skipIf(!hasChromium)('a technician at the bench', IN_BROWSER, () => {
  const bench = startBenchOf(ServiceProcess);

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
    await page.context().close();
  });

  test('the first click ends with a word read back from a running design', async () => {
    // The build itself is watched in the test above.
    const fresh = await ServiceInProcess.start(['echo.v']);
    const { page, complaints } = await openPage(bench.browser, fresh.url);
    await page.getByRole('button', { name: 'Run the example' }).click();
    await page
      .getByText(/and read back 0xCAFE_F00D from the running design/)
      .waitFor({ timeout: BUILD_TIMEOUT });
    expect((await fresh.run(0, { op: 2, address: 16 })).data).toEqual([0xcafef00d]);
    expect(complaints.list).toEqual([]);
    await page.context().close();
    await fresh.close();
  });

  test('the editor marks an error in the source, and the log links to it', async () => {
    const broken = readFileSync(echo, 'utf8').replace(
      'reg [31:0] memory[0:511];',
      'reg [31:0] memory[0:511]',
    );
    const jobId = await bench.service.build(5, 'broken.v', broken);
    const { page, complaints } = await bench.open('/node/5');
    await page.locator('.cm-error-line').first().waitFor();
    await page.getByRole('tab', { name: 'Log' }).click();
    const place = page
      .getByRole('region', { name: 'Errors in this log' })
      .getByRole('button', { name: /^broken\.v:\d+$/ });
    const line = (await place.first().textContent())?.split(':')[1];
    await place.first().click();
    await page.locator('.cm-shown-line').waitFor();
    expect(page.url()).toBe(`${bench.service.url}/#/node/5/design?job=${jobId}&line=${line}`);
    expect(complaints.list).toEqual([]);
    await page.context().close();
  });

  test('a file opens at its first error, however far down, and does not scroll while typing', async () => {
    const lines = readFileSync(echo, 'utf8').replace('reg [31:0] memory[0:511];', 'reg [31:0] memory[0:511]');
    const contents = `// the first line\n${'// nothing yet\n'.repeat(200)}${lines}`;
    const { page, complaints } = await bench.open('/node/6');
    await page.getByText('Drop an HDL file here', { exact: true }).waitFor();
    await page.setInputFiles('input[type=file]', {
      name: 'deep.v',
      mimeType: 'text/plain',
      buffer: Buffer.from(contents),
    });
    const marked = page.locator('.cm-shown-line');
    await expect.poll(() => marked.isVisible()).toBe(true);
    // Rows out of sight are not in the document.
    const first = page.locator('.cm-content').getByText('// the first line');
    await expect.poll(() => first.count()).toBe(0);
    await page.locator('.cm-content').click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type(')');
    await page.locator('.cm-error-line').first().waitFor();
    expect(await first.isVisible()).toBe(true);
    expect(complaints.list).toEqual([]);
    await page.context().close();
  });

  test('a deep link opens a job, as a path and as a fragment', async () => {
    const [job] = await bench.service.client().listJobs({ limit: 1 });
    for (const address of [`/job/${job?.job_id}`, `/#/job/${job?.job_id}`]) {
      const { page } = await openPage(bench.browser, bench.service.url + address);
      await page.getByRole('heading', { name: `Node ${job?.fpga_id}` }).waitFor();
      await page.waitForURL(`${bench.service.url}/#/node/${job?.fpga_id}/log?job=${job?.job_id}`);
      await page.context().close();
    }
  });
});
