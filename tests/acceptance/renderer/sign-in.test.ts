import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { resourcePath } from '../../../server/paths.ts';
import { startBench } from '../../support/browser/bench.ts';
import { goTo, hasChromium, IN_BROWSER, pressAll } from '../../support/browser/browser.ts';

const live = (page: Page) => page.getByText('live', { exact: true }).waitFor();

describe.skipIf(!hasChromium)('identity', IN_BROWSER, () => {
  const bench = startBench(['echo.v']);

  describe('names', () => {
    const ownerOf = async (node: number) => {
      const [job] = await bench.service.client().listNodeJobs({ fpga_id: node });
      return job?.owner;
    };

    test('are requested once, at the first submit', async () => {
      const { page } = await bench.open('/#/node/1', { newcomer: true });
      await page.setInputFiles('input[type=file]', resourcePath('examples', 'echo.v'));
      await page.getByRole('button', { name: 'Submit to node 1' }).click();
      await page.getByRole('dialog', { name: 'What’s your name?' }).waitFor();
      // The bench records nothing before the answer.
      expect(await ownerOf(1)).toBeUndefined();
      await page.getByRole('textbox', { name: 'Your name' }).fill('course-3');
      await page.getByRole('button', { name: 'Use this name' }).click();
      await page.getByRole('region', { name: 'Stages' }).waitFor();
      expect(await ownerOf(1)).toBe('course-3');
      // No second prompt after a reload.
      await page.goto(`${bench.service.url}/?again#/node/2`);
      await page.getByRole('heading', { name: 'Node 2' }).waitFor();
      await page.setInputFiles('input[type=file]', resourcePath('examples', 'echo.v'));
      await page.getByRole('button', { name: 'Submit to node 2' }).click();
      await page.getByRole('region', { name: 'Stages' }).waitFor();
      expect([await ownerOf(2), await page.getByRole('dialog').count()]).toEqual(['course-3', 0]);
    });
  });

  describe('unsaved settings', () => {
    test('require confirmation before a link, a key or closing the tab discards them', async () => {
      const { page } = await bench.open('/#/settings');
      const port = page.getByLabel('Port', { exact: true });
      await port.fill('8123');
      const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
      await page.getByRole('link', { name: 'Jobs' }).click();
      await dialog.getByRole('button', { name: 'Keep as it is' }).click();
      expect([page.url(), await port.inputValue()]).toEqual([`${bench.service.url}/#/settings`, '8123']);

      const asked = page.waitForEvent('dialog');
      void page.close({ runBeforeUnload: true });
      const leaving = await asked;
      expect(leaving.type()).toBe('beforeunload');
      await leaving.dismiss();
      await expect.poll(() => port.inputValue()).toBe('8123');

      await page.getByRole('heading', { name: 'Settings' }).click();
      await pressAll(page, 'g', 'b');
      await dialog.getByRole('button', { name: 'Leave without saving' }).click();
      await page.waitForURL(`${bench.service.url}/#/`);
      await page.getByRole('heading', { name: 'Bench' }).waitFor();

      // No prompt where nothing would be lost.
      await page.getByRole('link', { name: 'Settings' }).click();
      await page.getByLabel('Port', { exact: true }).waitFor();
      await page.getByRole('link', { name: 'Jobs' }).click();
      await page.getByRole('heading', { name: 'Jobs' }).waitFor();
    });

    test('have a save bar that covers nothing', async () => {
      const { page } = await bench.open('/#/settings', {
        viewport: { width: 1280, height: 700 },
      });
      await page.getByLabel('Port', { exact: true }).fill('8123');
      const bar = await page.locator('.settings-save').boundingBox();
      const body = await page.locator('.screen-body').boundingBox();
      expect((body?.y ?? 0) + (body?.height ?? 0)).toBeLessThanOrEqual(bar?.y ?? 0);
    });

    test('switches and choices are distinguishable in forced colours', async () => {
      const { page } = await bench.open('/#/settings', { forcedColors: 'active' });
      await page.getByRole('button', { name: 'Make a key for a program…' }).click();
      const operator = page.getByRole('switch', { name: 'Operator of the bench' });
      const filled = () =>
        page.evaluate<string>(
          "getComputedStyle(document.querySelector('dialog .switch input')).backgroundColor",
        );
      await operator.waitFor();
      const off = await filled();
      await operator.click();
      await expect.poll(() => filled()).not.toBe(off);
      await page.keyboard.press('Escape');
      const colours = () =>
        page.evaluate<string[]>(
          "[...document.querySelector('.segmented').querySelectorAll('span')].map((one) => getComputedStyle(one).backgroundColor)",
        );
      // Only the chosen one is different.
      await expect.poll(async () => new Set(await colours()).size).toBe(2);
    });
  });

  // Last: from then on the bench refuses who has no key.
  describe('keys without an identity provider', () => {
    /** Of the invitation. */
    let link = '';
    const placeOf = (address: string) => address.slice(bench.service.url.length);

    test('a key for a program is shown once and works', async () => {
      const { page } = await bench.open('/#/settings');
      await page.getByRole('button', { name: 'Make a key for a program…' }).click();
      const dialog = page.getByRole('dialog', { name: 'Make a key for a program' });
      await dialog.getByLabel('Name', { exact: true }).fill('ci');
      await dialog.getByRole('button', { name: 'Make the key' }).click();
      const key = (await dialog.getByText(/^wbk_/).textContent()) ?? '';
      await dialog.getByRole('button', { name: 'Done' }).click();
      await page.getByRole('rowheader', { name: 'ci' }).waitFor();
      await expect.poll(() => page.getByText(/wbk_/).count()).toBe(0);
      expect((await bench.service.client(key).getOwnKey()).username).toBe('ci');
    });

    test('requiring keys signs the operator in first; the operator invites a colleague, and revokes that key', async () => {
      const { page, complaints } = await bench.open('/#/settings');
      await page.getByRole('switch', { name: 'Require an API key' }).click();
      const dialog = page.getByRole('dialog', { name: 'Require an API key?' });
      await dialog.getByRole('textbox', { name: 'Your name' }).fill('lab-1');
      await dialog.getByRole('button', { name: 'Require an API key' }).click();
      await page.getByRole('button', { name: 'You are lab-1' }).waitFor();
      await expect
        .poll(() => page.getByRole('switch', { name: 'Require an API key' }).isChecked())
        .toBe(true);
      await live(page);
      await expect.poll(() => page.getByRole('alert').count()).toBe(0);
      await expect(bench.service.client().listNodes()).rejects.toMatchObject({ code: 'missing_api_key' });

      // The user is still signed in in another tab.
      const tab = await page.context().newPage();
      await tab.goto(bench.service.url);
      await live(tab);
      await tab.close();

      // A link for a colleague, who signs in with it once.
      await page.getByRole('button', { name: 'Invite a colleague…' }).click();
      const inviting = page.getByRole('dialog', { name: 'Invite a colleague' });
      await inviting.getByLabel('Name', { exact: true }).fill('course-3');
      await inviting.getByLabel('What it is for').fill('desk 4');
      await inviting.getByRole('button', { name: 'Make the link' }).click();
      await inviting.getByRole('img', { name: 'QR code of the link for course-3' }).waitFor();
      link = (await inviting.getByText(/#\/join\/wbi_/).textContent()) ?? '';
      await inviting.getByRole('button', { name: 'Done' }).click();
      await page.getByRole('rowheader', { name: 'course-3' }).waitFor();

      const colleague = await bench.open(placeOf(link));
      // A newcomer is not signed in yet; the connection is fine.
      await colleague.page.getByText('not signed in', { exact: true }).waitFor();
      expect(await colleague.page.getByText('reconnecting').count()).toBe(0);
      await colleague.page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await colleague.page.getByRole('button', { name: 'You are course-3' }).waitFor();
      await live(colleague.page);
      expect(colleague.page.url()).toBe(`${bench.service.url}/#/`);
      await colleague.page.reload();
      await live(colleague.page);

      // After the revocation the colleague sees that, and is asked to sign in.
      await page.reload();
      await page.getByRole('button', { name: 'Revoke the key of course-3' }).click();
      await page
        .getByRole('dialog', { name: 'Revoke the key of course-3?' })
        .getByRole('button', { name: 'Revoke' })
        .click();
      await colleague.page.getByRole('alert').getByRole('button', { name: 'Sign in' }).click();
      await colleague.page.getByText('The bench refuses the key of course-3').waitFor();
      expect(complaints.list).toEqual([]);
    });

    test('an unknown key and a used invitation are refused; the operator regains access without one, and lifts the requirement', async () => {
      const { page, complaints } = await bench.open(placeOf(link));
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByText(/is unknown, has expired or was already used/).waitFor();
      await goTo(page, '#/settings');
      await page.getByRole('alert').getByRole('button', { name: 'Sign in' }).click();
      const dialog = page.getByRole('dialog', { name: 'Your name and sign-in' });
      await dialog.getByLabel('Your API key').fill('wb_of_nobody');
      await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
      await dialog.getByText(/This API key is unknown/).waitFor();
      await dialog.getByRole('textbox', { name: 'Your name' }).fill('lab-2');
      await dialog.getByRole('button', { name: 'Sign in as the operator' }).click();
      await page.getByRole('button', { name: 'You are lab-2' }).waitFor();
      await live(page);
      await page.getByRole('switch', { name: 'Require an API key' }).click();
      const asked = page.getByRole('dialog', { name: 'Stop requiring an API key?' });
      await asked.getByRole('button', { name: 'Stop requiring keys' }).click();
      await expect.poll(async () => (await bench.service.client().listNodes()).length).toBe(10);
      expect(complaints.list).toEqual([]);
    });
  });
});
