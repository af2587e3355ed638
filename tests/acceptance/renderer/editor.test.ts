import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { example, startBench } from '../../support/browser/bench.ts';
import { goTo, hasChromium, IN_BROWSER } from '../../support/browser/browser.ts';

const ECHO = example('echo.v');

const source = (page: Page) => page.locator('.cm-content');
const openFiles = (page: Page) => page.getByRole('navigation', { name: 'Open files' }).getByRole('button');

/** Types a comment at the end of the source. */
async function typeAtEnd(page: Page, text: string): Promise<void> {
  await source(page).click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type(`\n// ${text}`);
}

const drop = (page: Page, name: string, contents: string): Promise<void> =>
  page.evaluate(`(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([${JSON.stringify(contents)}], ${JSON.stringify(name)}));
    document.querySelector('.node').dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true }));
  })()`);

describe.skipIf(!hasChromium)('the source in the browser', IN_BROWSER, () => {
  const bench = startBench(['echo.v'], (service) => service.build(0, 'echo.v', ECHO, 'lab-1'));

  test('what was typed survives a reload, another node, a closed tab, and a discard', async () => {
    const { page, complaints } = await bench.open('/#/node/0/design', { as: 'lab-1' });
    await source(page).waitFor();
    await typeAtEnd(page, 'not lost');
    await expect.poll(() => openFiles(page).allTextContents()).toHaveLength(2);
    await page.reload();
    await source(page).getByText('// not lost').waitFor();
    expect((await openFiles(page).allTextContents())[1]).toMatch(/^echo\.v draft of \d\d:\d\d$/);
    await goTo(page, '#/node/5');
    await page.getByText('Drop an HDL file here', { exact: true }).waitFor();
    await drop(page, 'mine.v', ECHO);
    await page.getByText('fits', { exact: true }).waitFor();
    const second = await page.context().newPage();
    await page.close();
    await second.goto(`${bench.service.url}/#/node/5`);
    await second.getByRole('button', { name: /^Submit to node 5/ }).waitFor();
    await goTo(second, '#/node/0/design');
    await source(second).getByText('// not lost').waitFor();

    await second.getByRole('button', { name: 'Discard changes' }).click();
    await second.getByText('Discarded the changes of echo.v.').waitFor();
    await expect.poll(() => source(second).getByText('// not lost').count()).toBe(0);
    await expect
      .poll(() => second.evaluate('document.activeElement.closest("nav, .design-submit") !== null'))
      .toBe(true);
    await second.getByRole('button', { name: 'Undo' }).click();
    await source(second).getByText('// not lost').waitFor();
    expect(complaints.list).toEqual([]);
    await second.context().close();
  });
});
