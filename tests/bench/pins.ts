import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { resourcePath } from '../../server/paths.ts';
import { hasChromium, launchBrowser, openPage } from '../support/browser/browser.ts';
import { ServiceProcess } from '../support/browser/service.ts';
import { atLeast, atMost, type Figure, median, reported } from './figure.ts';

const TIMES = 50;

/** Milliseconds from the click on a switch to its lamp, as the page draws it. */
const CLICK = (bit: number) => `new Promise((resolve) => {
  const lamp = [...document.querySelectorAll('[role="img"]')].find((one) => one.ariaLabel.startsWith('led[${bit}] '));
  const before = lamp.dataset.lit;
  const began = performance.now();
  new MutationObserver(() => {
    if (lamp.dataset.lit !== before) requestAnimationFrame(() => resolve(performance.now() - began));
  }).observe(lamp, { attributes: true });
  document.querySelector('[aria-label="sw[${bit}]"]').click();
})`;

async function clicks(page: Page): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < TIMES; i++) times.push(await page.evaluate<number>(CLICK(i % 16)));
  return times;
}

/** Logic cells of the bench itself in the build of an example; those of the user's design are not among them. */
async function ownCells(service: ServiceProcess, fpga_id: number, example: string): Promise<number> {
  const source = readFileSync(resourcePath('examples', example));
  const job_id = await service.build(fpga_id, example, source, 'anonymous');
  const { utilisation } = await service.client().getBuildReport({ fpga_id, job_id });
  const cells = utilisation.find(({ resource }) => resource === 'logic cell');
  if (cells?.design === undefined)
    throw new Error(`The report of ${example} does not tell the design from the bench.`);
  return cells.used - cells.design;
}

/** Pins of a virtual board: over REST, and from a click in the panel to the lamp. */
export async function measurePins(): Promise<Figure[]> {
  const service = await ServiceProcess.start();
  const browser = hasChromium ? await launchBrowser() : null;
  try {
    const cells = await ownCells(service, 0, 'panel.v');
    const without = await ownCells(service, 1, 'echo.v');
    const client = service.client();
    const rest: number[] = [];
    for (let i = 0; i < TIMES; i++) {
      const began = performance.now();
      await client.setPins({ fpga_id: 0, body: { pins: { sw: i } } });
      rest.push(performance.now() - began);
    }
    const figures = [
      atMost('port block of 17 + 17 bits, logic cells', cells - without, '', 150),
      reported('pins set over REST and all read back, median', median(rest), 'ms'),
    ];
    if (browser === null) return [...figures, atLeast('Chromium is installed', 0, '', 1)];
    const { page } = await openPage(browser, `${service.url}/#/node/0/panel`, { idle: true });
    await page.getByRole('switch', { name: 'sw[0]' }).waitFor();
    const times = await clicks(page);
    await page.context().close();
    return [
      ...figures,
      atMost('click on a switch to its lamp lit, median', median(times), 'ms', 100),
      reported('the same: longest', Math.max(...times), 'ms'),
    ];
  } finally {
    await browser?.close();
    await service.close();
  }
}
