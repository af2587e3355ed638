import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { allFindings } from '../../support/browser/axe.ts';
import { example, startBench } from '../../support/browser/bench.ts';
import { goTo, hasChromium, IN_BROWSER } from '../../support/browser/browser.ts';

const ECHO = example('echo.v');
const NO_SLAVE = 'module one(input a, output b);\nassign b = a;\nendmodule\n';
/** The mistake is far below what a window shows. */
const LATE_MISTAKE = `${'// a comment\n'.repeat(200)}module broken(input a;\nendmodule\n`;

/** How often a text is on the page for people to read. */
const readings = (page: Page, part: string): Promise<number> =>
  page.evaluate(`document.querySelector('main').innerText.split(${JSON.stringify(part)}).length - 1`);

async function choose(page: Page, name: string, contents: string): Promise<void> {
  await page.getByText('Drop an HDL file here', { exact: true }).waitFor();
  const file = { name, mimeType: 'text/plain', buffer: Buffer.from(contents) };
  await page.setInputFiles('input[type=file]', file);
}

const button = (page: Page) => page.locator('.design-submit .button');

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
  let late = '';
  const bench = startBench(['echo.v'], async (service) => {
    await service.build(0, 'echo.v', ECHO, 'lab-1');
    late = await service.build(1, 'late.v', LATE_MISTAKE);
    await service.build(2, 'one.v', NO_SLAVE);
  });

  test('typed text survives a reload, another node and an undone discard', async () => {
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
    await page.reload();
    await page.getByRole('button', { name: /^Submit to node 5/ }).waitFor();
    await goTo(page, '#/node/0/design');
    await source(page).getByText('// not lost').waitFor();

    await page.getByRole('button', { name: 'Discard changes' }).click();
    await page.getByText('Discarded the changes of echo.v.').waitFor();
    // The pointer on it keeps it.
    await page.getByRole('button', { name: 'Undo' }).hover();
    await expect.poll(() => source(page).getByText('// not lost').count()).toBe(0);
    await expect
      .poll(() => page.evaluate('document.activeElement.closest("nav, .design-submit") !== null'))
      .toBe(true);
    await page.getByRole('button', { name: 'Undo' }).click();
    await source(page).getByText('// not lost').waitFor();
    expect(complaints.list).toEqual([]);
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
  });

  test('a failed build shows the line of its reason, once; its log leads there, and a link to the job', async () => {
    const { page, complaints } = await bench.open('/#/node/1/design');
    await page.locator('.cm-error-line').getByText('module broken').waitFor();
    await page.getByText('failed here').waitFor();
    await expect.poll(() => readings(page, "expected ')'")).toBe(1);
    await page.getByRole('tab', { name: 'Log' }).click();
    const place = page
      .getByRole('region', { name: 'Errors in this log' })
      .getByRole('button', { name: /^late\.v:\d+$/ });
    const line = (await place.first().textContent())?.split(':')[1];
    await place.first().click();
    await page.locator('.cm-shown-line').waitFor();
    expect(page.url()).toBe(`${bench.service.url}/#/node/1/design?job=${late}&line=${line}`);

    // The page scans again to show why the modules did not fit.
    const scanned = page.waitForResponse((response) => response.url().endsWith('/scan'));
    await goTo(page, '#/node/2/design');
    await scanned;
    await page.locator('.cm-error-line').first().waitFor();
    await expect.poll(() => readings(page, 'no strobe or cycle input')).toBe(1);

    await page.goto(`${bench.service.url}/job/${late}`);
    await page.waitForURL(`${bench.service.url}/#/node/1/log?job=${late}`);
    await page.getByRole('heading', { name: 'Node 1' }).waitFor();
    expect(complaints.list).toEqual([]);
  });

  test('what cannot be built is not suggested by the primary button', async () => {
    const { page, complaints } = await bench.open('/#/node/5');
    await choose(page, 'one.v', NO_SLAVE);
    await page.getByText('No module is a usable Wishbone slave.').waitFor();
    await expect.poll(() => readings(page, 'no strobe or cycle input')).toBe(1);
    await expect.poll(() => button(page).first().getAttribute('class')).not.toContain('button-primary');
    expect(complaints.list).toEqual([]);
  });

  test('a file opens at its first error, however far down, and does not scroll while typing', async () => {
    const { page, complaints } = await bench.open('/#/node/6');
    await choose(page, 'deep.v', `// the first line\n${LATE_MISTAKE}`);
    await expect.poll(() => page.locator('.cm-shown-line').isVisible()).toBe(true);
    // Rows out of sight are not in the document.
    const first = page.locator('.cm-content').getByText('// the first line');
    await expect.poll(() => first.count()).toBe(0);
    await page.locator('.cm-content').click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type(')');
    await page.locator('.cm-error-line').first().waitFor();
    expect(await first.isVisible()).toBe(true);
    expect(complaints.list).toEqual([]);
  });
});
