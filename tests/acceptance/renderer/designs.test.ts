import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { zipSync } from 'fflate';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { example, startBench } from '../../support/browser/bench.ts';
import { BUILD_TIMEOUT, hasChromium, IN_BROWSER } from '../../support/browser/browser.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const ECHO = example('echo.v');
/** A project that is none without its second file. */
const TOP = { name: 'top.v', contents: `\`include "width.vh"\n${ECHO}` };
const HEADER = { name: 'width.vh', contents: '`define WIDTH 32\n' };

const BEFORE = `// changed\n${ECHO}`;

/** Drops files on the open node, as a person does. */
const drop = (page: Page, files: readonly { name: string; contents: string }[]): Promise<void> =>
  page.evaluate(`(() => {
    const transfer = new DataTransfer();
    for (const { name, contents } of ${JSON.stringify(files)}) transfer.items.add(new File([contents], name));
    document.querySelector('.node').dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true }));
  })()`);

/** Drops a folder of this computer on the open node. */
async function dropFolder(page: Page, folder: string): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  const data = { items: [], files: [folder], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await devtools.send('Input.dispatchDragEvent', { type, x: 700, y: 400, data });
}

const files = (page: Page) =>
  page.getByRole('navigation', { name: 'Files of the project' }).getByRole('button');

describe.skipIf(!hasChromium)('designs in the browser', IN_BROWSER, () => {
  const bench = startBench(['echo.v', { filename: 'echo.v', source: BEFORE }], async (service) => {
    // Two versions of one design, built at once.
    await Promise.all([
      service.build(0, 'echo.v', ECHO, 'lab-1'),
      service.build(1, 'echo.v', BEFORE, 'lab-1'),
    ]);
  });

  test('several files and a zip form a project, whose files are listed and matched together', async () => {
    const { page, complaints } = await bench.open('/#/node/5', { as: 'lab-1' });
    await page.getByText('Drop an HDL file here', { exact: true }).waitFor();
    await drop(page, [TOP]);
    await page
      .getByText(/width\.vh/)
      .first()
      .waitFor();
    await page.getByText(/^The file could not be elaborated/).waitFor();
    await page.getByRole('button', { name: 'Close file' }).click();
    await drop(page, [TOP, HEADER]);
    await page.getByText('fits', { exact: true }).waitFor();
    await expect.poll(() => files(page).allTextContents()).toEqual(['top.v', 'width.vh']);
    await files(page).getByText('width.vh').click();
    await page.locator('.cm-content').getByText('WIDTH').waitFor();
    await page.getByRole('button', { name: 'Close file' }).click();

    const archive = zipSync(
      Object.fromEntries([TOP, HEADER].map(({ name, contents }) => [`soc/${name}`, Buffer.from(contents)])),
    );
    const zip = { name: 'soc.zip', mimeType: 'application/zip', buffer: Buffer.from(archive) };
    await page.setInputFiles('input[type=file]', zip);
    await page.getByText('fits', { exact: true }).waitFor();
    await expect.poll(() => files(page).allTextContents()).toEqual(['top.v', 'width.vh']);
    expect(complaints.list).toEqual([]);
  });

  test('a folder upload skips other tools’ files and accepts names with spaces', async () => {
    const folder = temporaryFolder('lab');
    for (const { name, contents } of [
      { name: 'RTL files/the top.v', contents: TOP.contents },
      {
        name: 'RTL files/adder.v',
        contents: 'module adder(input a, b, output q);\nassign q = a + b;\nendmodule\n',
      },
      { name: 'RTL files/inc/width.vh', contents: HEADER.contents },
      { name: 'out/top.bit', contents: Buffer.alloc(2 << 20) },
      ...Array.from({ length: 300 }, (_, i) => ({ name: `out/step ${i}.log`, contents: 'done\n' })),
    ]) {
      await mkdir(path.join(folder, path.dirname(name)), { recursive: true });
      await writeFile(path.join(folder, name), contents);
    }
    const { page, complaints } = await bench.open('/#/node/6', { as: 'lab-1' });
    await page.getByText('Drop an HDL file here', { exact: true }).waitFor();
    await dropFolder(page, path.join(folder, 'out'));
    await page.getByText('out has no HDL file.').waitFor();
    await dropFolder(page, folder);
    await page.getByText('fits', { exact: true }).waitFor();
    await expect.poll(() => files(page).allTextContents()).toEqual(['adder.v', 'inc/width.vh', 'the_top.v']);
    await page.getByText('more than 99 files ignored').waitFor();
    // The file with the slave is shown, and each module leads to its own.
    const shown = page.getByRole('button', { pressed: true });
    await expect.poll(() => shown.textContent()).toBe('the_top.v');
    await page.getByText('Other modules (1)').click();
    await page.getByRole('button', { name: 'adder', exact: true }).click();
    await expect.poll(() => shown.textContent()).toBe('adder.v');
    await page.getByRole('button', { name: 'echo', exact: true }).click();
    await expect.poll(() => shown.textContent()).toBe('the_top.v');
    expect(complaints.list).toEqual([]);
  });

  test('trying an example builds it and shows its script step by step', async () => {
    const { page, complaints } = await bench.open('/#/node/4', { as: 'course-3' });
    const card = page
      .getByRole('listitem')
      .filter({ has: page.getByRole('heading', { name: 'Echo memory' }) });
    await card.getByText('2 registers').click();
    await card.getByRole('rowheader', { name: 'LAST' }).waitFor();
    await card.getByRole('button', { name: 'Try it: Echo memory' }).click();
    const trial = page.getByRole('region', { name: 'Try it: Echo memory' });
    await trial.getByText('All 5 steps passed.').waitFor({ timeout: BUILD_TIMEOUT });
    await expect.poll(() => trial.getByRole('listitem').count()).toBe(5);
    await trial.getByText('0x0000_0001').first().waitFor();
    expect(complaints.list).toEqual([]);
  });

  test('the source highlights differences from another version', async () => {
    const { page, complaints } = await bench.open('/#/node/0/design', { as: 'lab-1' });
    await page.locator('.cm-content').waitFor();
    await page.getByLabel('Compare with a version').selectOption({ index: 1 });
    await expect.poll(() => page.locator('.cm-deletedChunk').textContent()).toContain('// changed');
    await page.getByLabel('Compare with a version').selectOption({ index: 0 });
    await page.locator('.cm-deletedChunk').waitFor({ state: 'detached' });
    expect(complaints.list).toEqual([]);
  });

  test('a user queues for another user’s node, sees the position, and leaves the queue', async () => {
    const other = bench.service.client('lab-2');
    const first = await other.submitToAnyNode({ body: { file: TOP, fpga_id: 0 } });
    const { page, complaints } = await bench.open('/#/node/0', { as: 'course-3' });
    await page.getByText('top.v of lab-2 waits for this node: next in the queue.').waitFor();
    await drop(page, [{ name: 'mine.v', contents: ECHO }]);
    await page.getByRole('button', { name: 'Wait for node 0' }).click();
    const note = page.getByRole('status').filter({ hasText: 'mine.v waits for this node' });
    await note.getByText('number 2 in the queue').waitFor();
    await other.cancelAnyJob({ job_id: first.job_id });
    await note.getByText('next in the queue').waitFor();
    await note.getByRole('button', { name: 'Cancel' }).click();
    await note.waitFor({ state: 'detached' });
    expect(await other.listJobs({ owner: '*', status: ['queued'] })).toEqual([]);
    expect((await other.getNode({ fpga_id: 0 })).session?.owner).toBe('lab-1');
    expect(complaints.list).toEqual([]);
  });
});
