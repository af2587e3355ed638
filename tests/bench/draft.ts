import { readFileSync } from 'node:fs';
import { resourcePath } from '../../server/paths.ts';
import { launchBrowser, openPage } from '../support/browser/browser.ts';
import { ServiceProcess } from '../support/browser/service.ts';
import { atMost, type Figure, median, reported } from './figure.ts';
import { tasksDuring, WATCH } from './page-watch.ts';

const MINUTES = 10;
/** From key to key, milliseconds: a fast typist. */
const KEY_MS = 120;

/** A source that grows line by line: every third one is a comment. */
const line = (count: number): string =>
  count % 3 === 0 ? `// line ${count} of a draft\n` : `reg [31:0] r${count} = 32'd${count};\n`;

/** A draft that is typed for ten minutes, while the page stores it and the bench scans it. */
export async function measureDraft(): Promise<Figure[]> {
  const [service, browser] = await Promise.all([ServiceProcess.start(), launchBrowser()]);
  try {
    const { page } = await openPage(browser, `${service.url}/#/node/0/design`, { idle: true, as: 'lab-1' });
    await page.addInitScript(WATCH);
    await page.reload();
    await page.getByText('Drop an HDL file here', { exact: true }).waitFor();
    await page.setInputFiles('input[type=file]', {
      name: 'uart.v',
      mimeType: 'text/plain',
      buffer: readFileSync(resourcePath('examples', 'uart.v')),
    });
    await page.getByText('fits', { exact: true }).waitFor();
    await page.locator('.cm-content').click();
    await page.keyboard.press('Control+End');
    // The last line is the end of the module.
    await page.keyboard.press('ArrowUp');
    let lines = 0;
    let keys = 0;
    const typeForAMinute = async () => {
      for (const until = Date.now() + 60_000; Date.now() < until; lines += 1)
        for (const key of line(lines)) {
          await page.keyboard.press(key === '\n' ? 'Enter' : key);
          await page.waitForTimeout(KEY_MS);
          keys += 1;
        }
    };
    const [processor, wall]: [number[], number[]] = [[], []];
    for (let minute = 0; minute < MINUTES; minute += 1) {
      const [busy, took] = await tasksDuring(browser, 'a minute', typeForAMinute);
      processor.push(busy?.value ?? Number.NaN);
      wall.push(took?.value ?? Number.NaN);
    }
    const stored = await page.evaluate<number>("JSON.stringify(localStorage).includes('of a draft') ? 1 : 0");
    if (stored === 0) throw new Error('The draft is not in the storage of the browser.');
    await page.context().close();
    return [
      atMost(
        `a draft typed for ${MINUTES} minutes: longest task, of the processor`,
        Math.max(...processor),
        'ms',
        50,
      ),
      reported('the same: median of the longest of each minute', median(processor), 'ms'),
      reported('the same: as long as it took', Math.max(...wall), 'ms'),
      reported('the same: keys', keys, ''),
    ];
  } finally {
    await browser.close();
    await service.close();
  }
}
