import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { example, startBench } from '../../support/browser/bench.ts';
import { BUILD_TIMEOUT, hasChromium, IN_BROWSER } from '../../support/browser/browser.ts';

const echo = example('echo.v');
const CHANGED = `// changed\n${echo}`;

/** A page of a user with a name. */
const state = (page: Page, word: string) =>
  page.locator('.node-head').getByText(word, { exact: true }).waitFor({ timeout: BUILD_TIMEOUT });

describe.skipIf(!hasChromium)('other users’ actions on a node', IN_BROWSER, () => {
  const bench = startBench(['echo.v', { filename: 'echo.v', source: CHANGED }]);

  test('are shown with their actor, the saved data and the next step, also after a reload', async () => {
    await bench.service.build(3, 'echo.v', echo, 'lab-1');
    await bench.service.run(3, { op: 1, address: 0, data: [7] }, 'lab-1');
    const { page } = await bench.open('/#/node/3/design', { as: 'lab-1' });
    await state(page, 'reserved');
    const client = bench.service.client('lab-2');
    await client.jobEnded(await client.resetNode({ fpga_id: 3 }));
    await state(page, 'idle');
    const line = page.getByRole('status', { name: 'Activity of this node' });
    await line.getByText(/^lab-2 reset this node/).waitFor();
    await line.getByText('your transaction is kept').waitFor();
    // Nothing has moved: the tab and its content are the same.
    await expect.poll(() => page.getByRole('tab', { selected: true }).textContent()).toBe('Design');
    await page.locator('.cm-content').getByText('module echo').waitFor();
    // It is still there after a reload, and its next step is one click.
    await page.reload();
    await line.getByRole('button', { name: 'Submit again' }).click();
    await state(page, 'reserved');
    expect((await bench.service.client().getNode({ fpga_id: 3 })).session?.owner).toBe('lab-1');
    await line.getByRole('button', { name: 'Dismiss' }).click();
    await line.waitFor({ state: 'detached' });
    await page.reload();
    await state(page, 'reserved');
    await expect.poll(() => line.count()).toBe(0);
    await page.context().close();
  });

  test('a dropped file replaces one’s own session, which survives a failed build', async () => {
    const { page } = await bench.open('/#/node/3/design', { as: 'lab-1' });
    await state(page, 'reserved');
    const before = (await bench.service.client('lab-1').getNode({ fpga_id: 3 })).session?.session_id;
    // Typed into the source and submitted with the keyboard: the build fails, and nothing changes.
    await page.locator('.cm-content').click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('nonsense ');
    await page
      .getByText(/^draft of \d/)
      .first()
      .waitFor();
    await page.locator('.cm-error-line').first().waitFor();
    await page.keyboard.press('Control+Enter');
    await page
      .getByRole('region', { name: 'Stages' })
      .getByText('failed here')
      .waitFor({ timeout: BUILD_TIMEOUT });
    expect((await bench.service.client('lab-1').getNode({ fpga_id: 3 })).session?.session_id).toBe(before);
    // A good one takes its place in one act.
    await page.evaluate(`(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([${JSON.stringify(CHANGED)}], 'echo.v'));
      document.querySelector('.node').dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true }));
    })()`);
    const nodeNow = () => bench.service.client('lab-1').getNode({ fpga_id: 3 });
    await expect
      .poll(
        async () => {
          const { state: now, session } = await nodeNow();
          return now === 'reserved' && session?.session_id !== before;
        },
        { timeout: BUILD_TIMEOUT },
      )
      .toBe(true);
    expect((await nodeNow()).session?.owner).toBe('lab-1');
    await page.context().close();
  });
});
