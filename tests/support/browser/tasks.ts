// Three tasks as people do them in the GUI, with what their hands do.
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { resourcePath } from '../../../server/paths.ts';
import type { CalledService } from '../api/called-service.ts';

/** Clicks and chosen files, and keys other than typed text. */
interface Hand {
  clicks: number;
  keys: number;
}

const PATIENCE = 60_000;

/** Counts for `Hand`. */
const COUNT = `
  window.hand = { clicks: 0, keys: 0 };
  addEventListener('pointerdown', () => window.hand.clicks++, true);
  addEventListener('keydown', ({ key, ctrlKey, target }) => {
    const text = key.length === 1 && !ctrlKey && target.closest('input, textarea, .cm-editor');
    if (!text && !['Shift', 'Control', 'Alt', 'Meta'].includes(key)) window.hand.keys++;
  }, true);
`;
declare const window: { hand: Hand };

const reserved = (page: Page) => page.locator('.node-head').getByText('reserved', { exact: true }).waitFor();
const value = (page: Page, text: string) => page.getByRole('tabpanel').getByText(text).first().waitFor();

/** Types into the focused field, as a person does. */
async function command(page: Page, text: string): Promise<void> {
  await page.locator('[data-register-command]:focus').waitFor();
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
}

/** A file from the disk: choose, submit, write and read back, save the log, release. */
async function technician(page: Page): Promise<void> {
  await page.keyboard.press('4');
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose a file' }).click();
  await (await chooser).setFiles(resourcePath('examples', 'echo.v'));
  await page.getByRole('button', { name: 'Submit to node 4' }).click();
  await reserved(page);
  await page.keyboard.press('r');
  await command(page, '0x10=0xBEEF');
  await command(page, '0x10');
  await value(page, '0x0000_BEEF');
  await page.getByRole('tab', { name: 'Log' }).click();
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save the log' }).click();
  await saved;
  await page.getByRole('button', { name: 'Release' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Release' }).click();
  await page.locator('.node-head').getByText('idle', { exact: true }).waitFor();
}

/** The first visit: from the page to a word read back from a running design. */
async function newcomer(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Run the example' }).click();
  await page.getByText(/and read back 0xCAFE_F00D from the running design/).waitFor();
}

/** Edit and run: changes the running design, builds it, writes and reads back. */
async function edits(page: Page, service: CalledService, change: string): Promise<void> {
  const session = async () => (await service.client('lab-2').getNode({ fpga_id: 3 })).session?.session_id;
  const before = await session();
  await page.keyboard.press('3');
  await page.getByRole('tab', { name: 'Design' }).click();
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+End');
  await page.keyboard.insertText(change);
  await page.getByText('fits', { exact: true }).first().waitFor();
  await page.keyboard.press('Control+Enter');
  for (let now = before; now === undefined || now === before; now = await session())
    await page.waitForTimeout(20);
  await page.getByRole('tab', { name: 'Registers' }).click();
  await page.locator('[data-register-command]').click();
  await command(page, '0x4=7');
  await command(page, '0x4');
  await value(page, '0x0000_0007');
}

interface Task {
  name: string;
  /** Null: a newcomer. */
  user: string | null;
  /** What is on the bench before it. */
  prepare?(service: CalledService): Promise<unknown>;
  run(page: Page, service: CalledService, change: string): Promise<void>;
}

/** In this order: the first visit finds a bench on which nothing has run. */
export const TASKS: readonly Task[] = [
  { name: 'a student’s first visit, to a word read back', user: null, run: newcomer },
  { name: 'a technician: file, build, write, read, log, release', user: 'lab-1', run: technician },
  {
    name: 'a student: edit the running design, build, write, read',
    user: 'lab-2',
    prepare: (service) =>
      service.build(3, 'timer.v', readFileSync(resourcePath('examples', 'timer.v')), 'lab-2'),
    run: edits,
  },
];

/**
 * Does a task in a window of its own: what the hand did, and the seconds without those of a person who reads and thinks.
 * @param change what is typed at the end of a source that is edited
 */
export async function doTask(
  browser: Browser,
  service: CalledService,
  { user, prepare, run }: Task,
  change: string,
): Promise<Hand & { seconds: number }> {
  await prepare?.(service);
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  await context.addInitScript(COUNT);
  if (user !== null)
    await context.addInitScript(
      `localStorage.setItem('wishbench.preferences', ${JSON.stringify(JSON.stringify({ name: user }))});`,
    );
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  const began = performance.now();
  await page.goto(service.url);
  await page.getByRole('list', { name: 'Nodes' }).waitFor();
  await run(page, service, change);
  const seconds = (performance.now() - began) / 1000;
  const hand = await page.evaluate(() => window.hand);
  await context.close();
  return { ...hand, seconds };
}
