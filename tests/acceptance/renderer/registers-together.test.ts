import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findings } from '../../support/browser/axe.ts';
import { example, startBench } from '../../support/browser/bench.ts';
import { hasChromium, IN_BROWSER } from '../../support/browser/browser.ts';

const send = async (page: Page, line: string) => {
  const command = page.getByLabel('Read or write');
  await command.fill(line);
  await command.press('Enter');
};

describe.skipIf(!hasChromium)('a session with several viewers', IN_BROWSER, () => {
  const bench = startBench(['echo.v'], async (service) => {
    await service.build(3, 'echo.v', example('echo.v'), 'lab-1');
  });

  test('a viewer sees the holder’s transactions live, requests control, and receives it', async () => {
    const address = '/#/node/3/registers';
    const [holder, viewer] = await Promise.all([
      bench.open(address, { as: 'lab-1' }),
      bench.open(address, { as: 'course-3' }),
    ]);
    await send(holder.page, '0x10=0x1111');
    await viewer.page.getByText('lab-1 holds this node with echo.v.').waitFor();
    await viewer.page.locator('.transaction', { hasText: '0x0000_1111' }).waitFor();
    await send(holder.page, '0x14=0x2222');
    await viewer.page.locator('.transaction', { hasText: 'lab-1' }).nth(1).getByText('0x0000_2222').waitFor();
    await expect.poll(() => viewer.page.getByLabel('Read or write').isDisabled()).toBe(true);
    expect(await findings(viewer.page, 'page')).toEqual([]);

    await viewer.page.getByRole('button', { name: 'Request control' }).click();
    await viewer.page.getByText('You have requested control.').waitFor();
    await holder.page.getByText('course-3 requests control.').first().waitFor();
    expect(await findings(holder.page, 'page')).toEqual([]);
    await holder.page.getByRole('button', { name: 'Approve: hand node 3 over to course-3' }).first().click();

    // Now they have changed places, and the history has gone with the session.
    await holder.page.getByText('course-3 holds this node with echo.v.').waitFor();
    await viewer.page.getByText('lab-1 holds this node').waitFor({ state: 'detached' });
    await send(viewer.page, '0x10');
    await holder.page.locator('.transaction', { hasText: 'course-3' }).getByText('0x0000_1111').waitFor();
    await expect.poll(() => viewer.page.locator('.transaction').count()).toBe(3);
    expect(holder.complaints.list).toEqual([]);
    expect(viewer.complaints.list).toEqual([]);
    await Promise.all([holder.page.context().close(), viewer.page.context().close()]);
  });
});
