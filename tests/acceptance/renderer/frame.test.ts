import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { example, startBench } from '../../support/browser/bench.ts';
import { BUILD_TIMEOUT, goTo, hasChromium, IN_BROWSER } from '../../support/browser/browser.ts';

const echo = example('echo.v');

/** The place of each tab. */
const tabs = (page: Page): Promise<number[]> =>
  page.evaluate(`[...document.querySelectorAll('[role=tab]')].flatMap((tab) => {
    const { x, y } = tab.getBoundingClientRect();
    return [x, y];
  })`);

/** The colours that distinguish one of several. */
const look = (page: Page, selector: string): Promise<string> =>
  page.evaluate(`(() => {
    const element = document.querySelector(${JSON.stringify(selector)});
    const { backgroundColor, borderColor, borderBottomColor, color, borderWidth } = getComputedStyle(element);
    return [backgroundColor, borderColor, borderBottomColor, color, borderWidth].join(' ');
  })()`);

describe.skipIf(!hasChromium)('the frame of a node', IN_BROWSER, () => {
  const bench = startBench(['echo.v']);

  test('its tabs keep their position and selection through every change of the node’s state', async () => {
    const { page } = await bench.open('/#/node/3');
    const head = page.locator('.node-head');
    await head.getByText('idle', { exact: true }).waitFor();
    const where = await tabs(page);
    const panel = () => page.evaluate("document.querySelector('.tabs-panel').getBoundingClientRect().top");
    const top = await panel();
    await bench.service.build(3, 'echo.v', echo, 'lab-1');
    expect((await bench.service.client().getNodeDetails({ fpga_id: 3 })).error).toBeNull();
    await head.getByText('reserved', { exact: true }).waitFor({ timeout: BUILD_TIMEOUT });
    await expect.poll(() => tabs(page)).toEqual(where);
    await expect.poll(() => page.getByRole('tab', { selected: true }).textContent()).toBe('Design');
    await bench.service.free(3);
    await head.getByText('idle', { exact: true }).waitFor({ timeout: BUILD_TIMEOUT });
    // The activity shows next to the tabs, and moves nothing under the pointer.
    await page.getByRole('status', { name: 'Activity of this node' }).waitFor();
    await expect.poll(() => tabs(page)).toEqual(where);
    await expect.poll(panel).toBe(top);
    await page.context().close();
  });

  test('in a small window another page begins at its top', async () => {
    const { page } = await bench.open('/#/node/3/registers', { viewport: { width: 390, height: 844 } });
    await page.getByRole('tab', { name: 'Registers' }).waitFor();
    const top = () => page.evaluate("document.querySelector('.app').scrollTop");
    await page.evaluate("document.querySelector('.app').scrollTo(0, 30)");
    await expect.poll(top).toBe(30);
    await goTo(page, '#/settings');
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    await expect.poll(top).toBe(0);
    // Nothing reaches past the edge of a card.
    const past = () =>
      page.evaluate(`[...document.querySelectorAll('.settings-section *')].filter(
        (one) => one.getBoundingClientRect().right > one.closest('.settings-section').getBoundingClientRect().right,
      ).length`);
    await expect.poll(past).toBe(0);
    await page.context().close();
  });

  test('forced colours show selected tabs and links and switched-on controls', async () => {
    const { page } = await bench.open('', { forcedColors: 'active' });
    await page.getByRole('list', { name: 'Nodes' }).waitFor();
    await expect
      .poll(() => look(page, '.segmented input:checked + span'))
      .not.toBe(await look(page, '.segmented input:not(:checked) + span'));
    await expect
      .poll(() => look(page, '.rail-link[aria-current]'))
      .not.toBe(await look(page, '.rail-link:not([aria-current])'));
    await goTo(page, '#/node/3');
    await page.getByRole('tab', { name: 'Design' }).waitFor();
    await expect
      .poll(() => look(page, '.tab[aria-selected="true"]'))
      .not.toBe(await look(page, '.tab[aria-selected="false"]'));
    await goTo(page, '#/settings');
    // The sections come one after the other.
    await page.getByRole('switch').nth(1).waitFor();
    // One switch is on and one off, whatever the settings are.
    await page.evaluate(`(() => {
      const [one, other] = document.querySelectorAll('[role=switch]');
      one.dataset.test = 'on';
      one.checked = true;
      other.dataset.test = 'off';
      other.checked = false;
    })()`);
    await expect.poll(() => look(page, '[data-test=on]')).not.toBe(await look(page, '[data-test=off]'));
    await page.context().close();
  });
});
