import type { Route } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { resourcePath } from '../../../server/paths.ts';
import { example, startBench } from '../../support/browser/bench.ts';
import { BUILD_TIMEOUT, goTo, hasChromium, IN_BROWSER, pressAll } from '../../support/browser/browser.ts';

const echo = example('echo.v');

/** Enters a name in the dialog of the button at the bottom of the rail. */
async function nameMe(page: import('playwright-core').Page, name: string): Promise<void> {
  await page.getByRole('button', { name: /^You are/ }).click();
  await page.getByRole('textbox', { name: 'Your name' }).fill(name);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: `You are ${name}` }).waitFor();
}

describe.skipIf(!hasChromium)('a live bench', IN_BROWSER, () => {
  const bench = startBench(['echo.v']);

  test('two browsers see each other’s changes with their owner, without a reload', async () => {
    const [alice, bob] = await Promise.all([bench.open(), bench.open()]);
    await nameMe(alice.page, 'alice');
    await nameMe(bob.page, 'bob');
    await bob.page.getByText('2 clients').waitFor();

    // Alice submits; Bob's bench shows her at work, then holding the node.
    await alice.page.keyboard.press('2');
    await alice.page.getByText('Drop an HDL file here', { exact: true }).waitFor();
    await alice.page.setInputFiles('input[type=file]', resourcePath('examples', 'echo.v'));
    await alice.page.getByRole('button', { name: 'Submit to node 2' }).click();
    const card = bob.page.getByRole('link', { name: /^Node 2, reserved, alice, echo\.v$/ });
    await card.waitFor({ timeout: BUILD_TIMEOUT });

    // Bob watches until he joins Alice's session; Alice sees who did what.
    await card.click();
    await bob.page.keyboard.press('r');
    await bob.page.getByText('alice holds this node with echo.v.').waitFor();
    await bob.page.getByRole('button', { name: 'Join session' }).click();
    await bob.page.getByLabel('Read or write').fill('0x20=7');
    await bob.page.getByLabel('Read or write').press('Enter');
    await alice.page.keyboard.press('r');
    await alice.page.locator('.transaction', { hasText: 'bob' }).getByText('0x0020').waitFor();

    // Bob tries to release Alice's node: a dialog names the holder; Alice's page follows.
    await bob.page.getByRole('button', { name: 'Release' }).click();
    const dialog = bob.page.getByRole('dialog', { name: 'Release node 2?' });
    await dialog.getByText(/alice holds this node with echo\.v/).waitFor();
    await dialog.getByRole('button', { name: 'Release' }).click();
    await alice.page
      .locator('.node-head')
      .getByText('idle', { exact: true })
      .waitFor({ timeout: BUILD_TIMEOUT });
    expect([...alice.complaints.list, ...bob.complaints.list]).toEqual([]);
    await Promise.all([alice.page.context().close(), bob.page.context().close()]);
  });

  test('the page shows a service restart, and afterwards the changes made in the meantime', async () => {
    await bench.service.build(1, 'echo.v', echo);
    const { page, complaints } = await bench.open();
    await page.getByRole('link', { name: /^Node 1, reserved, bob/ }).waitFor();
    await bench.service.stop();
    await page.getByText(/does not answer; trying again/).waitFor();
    await page.getByText('reconnecting', { exact: true }).waitFor();
    await bench.service.resume();
    await page
      .getByRole('button', { name: 'Try now' })
      .click({ timeout: 2000 })
      .catch(() => {});
    await page.getByText('live', { exact: true }).waitFor({ timeout: BUILD_TIMEOUT });
    // The reserved node was programmed again and kept its session.
    await page.getByRole('link', { name: /^Node 1, reserved, bob/ }).waitFor({ timeout: BUILD_TIMEOUT });
    await bench.service.run(1, { op: 1, address: 4, data: [99] });
    await goTo(page, '/node/1/registers');
    await page.locator('.transaction', { hasText: 'bob' }).getByText('0x0004').waitFor();
    expect(complaints.list).toEqual([]);
    await page.context().close();
  });

  test('page files whose download fails when the service stops load when it returns', async () => {
    await bench.service.build(5, 'echo.v', echo);
    const { page, complaints } = await bench.open();
    const files = /\/assets\/(?:PinnedValue|work|NodeScreen|RegistersPanel)-.*\.js$/;
    const onTheirWay: Route[] = [];
    let away = false;
    await page.route(files, async (route) => {
      if (away) await route.continue();
      else onTheirWay.push(route);
    });
    await page.reload();
    await page.getByRole('link', { name: /^Node 5, reserved, bob/ }).waitFor();
    await expect.poll(() => onTheirWay.length).toBeGreaterThan(0);
    await bench.service.stop();
    away = true;
    await Promise.all(onTheirWay.map((route) => route.abort('connectionrefused')));
    await page.getByText(/does not answer; trying again/).waitFor();
    await bench.service.resume();
    await page.getByText('live', { exact: true }).waitFor({ timeout: BUILD_TIMEOUT });
    await page.getByRole('link', { name: /^Node 5, reserved, bob/ }).waitFor({ timeout: BUILD_TIMEOUT });
    await goTo(page, '/node/5/registers');
    await page.getByLabel('Read or write').waitFor();
    expect(complaints.list).toEqual([]);
    await page.context().close();
  });

  test('a page without the required API key shows why; the operator can lift the requirement', async () => {
    const { page, complaints } = await bench.open();
    await page.getByText('live', { exact: true }).waitFor();
    await pressAll(page, 'g', 's');
    await page.getByRole('switch', { name: 'Require an API key' }).click();
    const asked = page.getByRole('dialog', { name: 'Require an API key?' });
    await asked.getByRole('textbox', { name: 'Your name' }).fill('lab-1');
    await asked.getByRole('button', { name: 'Require an API key' }).click();
    await page.getByText('Saved. It takes effect at once.').waitFor();
    // A page opened now has no key: it is empty and says why.
    const stranger = await bench.open();
    await stranger.page.getByRole('alert').getByRole('button', { name: 'Sign in' }).click();
    await stranger.page.getByLabel('Your API key').fill('wb_of_nobody');
    await stranger.page.getByRole('dialog').getByRole('button', { name: 'Sign in', exact: true }).click();
    await stranger.page.getByText(/This API key is unknown/).waitFor();
    await stranger.page.context().close();
    // The settings belong to who is on this computer.
    await page.reload();
    await page.getByRole('switch', { name: 'Require an API key' }).click();
    const dialog = page.getByRole('dialog', { name: 'Stop requiring an API key?' });
    await dialog.getByRole('button', { name: 'Stop requiring keys' }).click();
    await page.getByText('live', { exact: true }).waitFor();
    expect(complaints.list).toEqual([]);
    await page.context().close();
  });
});
