import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resourcePath } from '../../server/paths.ts';
import { BUILD_TIMEOUT, E2E_TIMEOUT, hasChromium, launchBrowser, openPage } from './support/browser.ts';
import { ServiceProcess } from './support/service.ts';

const echo = readFileSync(resourcePath('examples', 'echo.v'));

/** Puts a name into the dialog behind the button at the bottom of the rail. */
async function nameMe(page: import('playwright-core').Page, name: string): Promise<void> {
  await page.getByRole('button', { name: /^You are/ }).click();
  await page.getByLabel('Your name').fill(name);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: `You are ${name}` }).waitFor();
}

describe.skipIf(!hasChromium)('a live bench', { timeout: E2E_TIMEOUT }, () => {
  let service: ServiceProcess;
  let browser: Browser;
  beforeAll(async () => {
    [service, browser] = await Promise.all([ServiceProcess.start(), launchBrowser()]);
  }, E2E_TIMEOUT);
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  test('two browsers see each other’s changes as each other’s, without a reload', async () => {
    const [alice, bob] = await Promise.all([openPage(browser, service.url), openPage(browser, service.url)]);
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

    // Bob writes to Alice's node; Alice sees who did what.
    await card.click();
    await bob.page.keyboard.press('r');
    await bob.page.getByLabel('Read or write').fill('0x20=7');
    await bob.page.keyboard.press('Enter');
    await alice.page.getByText(/bob: Write at 0x0020/).waitFor();

    // Bob releases what is not his: he is told whose it is; Alice's page follows.
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

  test('a restart of the service is shown, and what happened meanwhile is there afterwards', async () => {
    await service.build(1, 'echo.v', echo);
    const { page, complaints } = await openPage(browser, service.url);
    await page.getByRole('link', { name: /^Node 1, reserved, bob/ }).waitFor();
    await service.stop();
    await page.getByText(/does not answer; trying again/).waitFor();
    await page.getByText('reconnecting', { exact: true }).waitFor();
    await service.resume();
    await page
      .getByRole('button', { name: 'Try now' })
      .click({ timeout: 2000 })
      .catch(() => {});
    await page.getByText('live', { exact: true }).waitFor({ timeout: BUILD_TIMEOUT });
    // The reserved node was programmed again and kept its session.
    await page.getByRole('link', { name: /^Node 1, reserved, bob/ }).waitFor({ timeout: BUILD_TIMEOUT });
    await service.run(1, { op: 1, address: 4, data: [99] });
    await page.getByText(/Write at 0x0004/).waitFor();
    expect(complaints.list).toEqual([]);
    await page.context().close();
  });

  test('a service that refuses callers without a key says so, and its operator can still stop that', async () => {
    const { page, complaints } = await openPage(browser, service.url);
    await page.getByText('live', { exact: true }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('s');
    await page.getByRole('switch', { name: 'Refuse callers without a key' }).click();
    await page.getByText('Saved. It takes effect at once.').waitFor();
    // A page that is opened now has no key: it shows nothing and says why.
    const stranger = await openPage(browser, service.url);
    await stranger.page.getByRole('button', { name: 'Sign in' }).click();
    await stranger.page.getByLabel('Or an API key that you have').fill('wb_of_nobody');
    await stranger.page.getByRole('dialog').getByRole('button', { name: 'Sign in' }).click();
    await stranger.page.getByText(/This API key is not known/).waitFor();
    await stranger.page.context().close();
    // The settings belong to who is on this computer.
    await page.reload();
    await page.getByRole('switch', { name: 'Refuse callers without a key' }).click();
    const dialog = page.getByRole('dialog', { name: 'Stop refusing callers?' });
    await dialog.getByRole('button', { name: 'Stop refusing' }).click();
    await page.getByText('live', { exact: true }).waitFor({ timeout: 20_000 });
    expect(complaints.list).toEqual([]);
    await page.context().close();
  });
});
