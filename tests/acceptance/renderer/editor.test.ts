import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { allFindings } from '../../support/browser/axe.ts';
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

  test('typed text survives a reload, another node, a closed tab and an undone discard', async () => {
    const { page, complaints } = await bench.open('/#/node/0/design', { as: 'lab-1' });
    await source(page).waitFor();
    await typeAtEnd(page, 'not lost');
    await expect.poll(() => openFiles(page).allTextContents()).toHaveLength(2);
    await page.reload();
    await source(page).getByText('// not lost').waitFor();
    await expect
      .poll(async () => (await openFiles(page).allTextContents())[1])
      .toMatch(/^echo\.v draft of \d\d:\d\d$/);
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
    // The pointer on it keeps it.
    await second.getByRole('button', { name: 'Undo' }).hover();
    await expect.poll(() => source(second).getByText('// not lost').count()).toBe(0);
    await expect
      .poll(() => second.evaluate('document.activeElement.closest("nav, .design-submit") !== null'))
      .toBe(true);
    await second.getByRole('button', { name: 'Undo' }).click();
    await source(second).getByText('// not lost').waitFor();
    expect(complaints.list).toEqual([]);
    await second.context().close();
  });

  test('a template starts a slave; keys complete, find, rename and indent names', async () => {
    const { page, complaints } = await bench.open('/#/node/0/design', { as: 'lab-1' });
    const text = () => source(page).innerText();
    await source(page).click();
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Delete');
    await page.keyboard.type('slave');
    await page.getByRole('option', { name: /^slave template/ }).click();
    await page.keyboard.type('lamp');
    await page.getByText('fits', { exact: true }).waitFor();

    // The next field of the template is the register; what is typed there is typed wherever it is used.
    await page.keyboard.press('Tab');
    await page.keyboard.type('level');
    await expect.poll(text).toContain("if (rst) level <= 32'd0;");
    await page.keyboard.press('Escape');
    await page.keyboard.press('F12');
    const cursor = page.locator('.cm-shown-line');
    await expect.poll(() => cursor.innerText()).toBe('  reg [31:0] level;');

    await page.keyboard.press('Control+ArrowRight');
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('F2');
    const name = page.getByLabel('New name of level');
    await name.fill('wb_ack');
    await page.keyboard.press('Enter');
    await page.getByText('This name is in use here. Choose another one.').waitFor();
    await name.fill('brightness');
    expect(await allFindings(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await expect.poll(text).toContain("if (rst) brightness <= 32'd0;");
    expect(await text()).not.toContain('level');

    await page.keyboard.press('End');
    await page.keyboard.type('\nreg q;\nalways @(posedge clk) q <= brig');
    await page.getByRole('option', { name: /^brightness/ }).click();
    await page.keyboard.type('[0];');
    await page.keyboard.press('Control+Shift+F');
    await expect.poll(text).toContain('\n  always @(posedge clk) q <= brightness[0];\n');
    await page.getByText('fits', { exact: true }).waitFor();

    // At once: a scan between two keys finds other mistakes.
    await page.keyboard.insertText(' wire = ;');
    const messages = page.getByRole('region', { name: 'Matcher result' }).locator('button.diagnostic-error');
    const first = await messages.first().innerText();
    await page.keyboard.press('F8');
    const panel = page.locator('.cm-tool-panel');
    await panel.getByText('Line 15').waitFor();
    expect(await panel.innerText()).toContain(first.split('\n').at(-1)?.trim());
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    await page.keyboard.press('Control+f');
    await page.getByRole('textbox', { name: 'Find' }).fill('wb_');
    expect(await allFindings(page)).toEqual([]);
    expect(complaints.list).toEqual([]);
    await page.context().close();
  });
});
