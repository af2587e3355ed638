import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { resourcePath } from '../../../server/paths.ts';
import { startBench } from '../../support/browser/bench.ts';
import { hasChromium, IN_BROWSER, openPage, pressAll } from '../../support/browser/browser.ts';

const live = (page: Page) => page.getByText('live', { exact: true }).waitFor();

describe.skipIf(!hasChromium)('identity', IN_BROWSER, () => {
  const bench = startBench(['echo.v']);

  describe('names', () => {
    async function submit(node: number, answer: (page: Page) => Promise<void>): Promise<Page> {
      const { page } = await bench.open(`/#/node/${node}`, { newcomer: true });
      await page.setInputFiles('input[type=file]', resourcePath('examples', 'echo.v'));
      await page.getByRole('button', { name: `Submit to node ${node}` }).click();
      await page.getByRole('dialog', { name: 'What’s your name?' }).waitFor();
      // The bench records nothing before the answer.
      expect(await bench.service.client().listNodeJobs({ fpga_id: node })).toEqual([]);
      await answer(page);
      await page.getByRole('region', { name: 'Stages' }).waitFor();
      return page;
    }

    const ownerOf = async (node: number) => {
      const [job] = await bench.service.client().listNodeJobs({ fpga_id: node });
      return job?.owner;
    };

    test('are requested once, at the first submit; anonymous users are distinguishable', async () => {
      const named = await submit(1, async (page) => {
        await page.getByRole('textbox', { name: 'Your name' }).fill('course-3');
        await page.getByRole('button', { name: 'Use this name' }).click();
      });
      expect(await ownerOf(1)).toBe('course-3');
      // No second prompt, neither here nor after a reload.
      await named.reload();
      await named.goto(`${bench.service.url}/#/node/2`);
      await named.getByRole('heading', { name: 'Node 2' }).waitFor();
      await named.setInputFiles('input[type=file]', resourcePath('examples', 'echo.v'));
      await named.getByRole('button', { name: 'Submit to node 2' }).click();
      await named.getByRole('region', { name: 'Stages' }).waitFor();
      expect([await ownerOf(2), await named.getByRole('dialog').count()]).toEqual(['course-3', 0]);

      const goOn = (page: Page) => page.getByRole('button', { name: /^Continue as anonymous/ }).click();
      const one = await submit(3, goOn);
      const two = await submit(4, goOn);
      const owners = [await ownerOf(3), await ownerOf(4)];
      for (const owner of owners) expect(owner).toMatch(/^anonymous \([0-9a-f]{4}\)$/);
      expect(new Set(owners).size).toBe(2);
      await one.reload();
      await one.getByRole('button', { name: `You are ${owners[0]}` }).waitFor();
      for (const page of [named, one, two]) await page.context().close();
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
      await page.context().close();
    });

    test('have a save bar that covers nothing', async () => {
      const { page } = await bench.open('/#/settings', {
        viewport: { width: 1280, height: 700 },
      });
      await page.getByLabel('Port', { exact: true }).fill('8123');
      const bar = await page.locator('.settings-save').boundingBox();
      const body = await page.locator('.screen-body').boundingBox();
      expect((body?.y ?? 0) + (body?.height ?? 0)).toBeLessThanOrEqual(bar?.y ?? 0);
      await page.context().close();
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
      await page.context().close();
    });
  });

  // Last: from then on the bench refuses who has no key.
  describe('keys without an identity provider', () => {
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
      await page.context().close();
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

      // The user is still signed in after a reload, and in another tab.
      await page.reload();
      await live(page);
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
      const link = (await inviting.getByText(/#\/join\/wbi_/).textContent()) ?? '';
      await inviting.getByRole('button', { name: 'Done' }).click();
      await page.getByRole('rowheader', { name: 'course-3' }).waitFor();

      const colleague = await openPage(bench.browser, link);
      // A newcomer is not signed in yet; the connection is fine.
      await colleague.page.getByText('not signed in', { exact: true }).waitFor();
      expect(await colleague.page.getByText('reconnecting').count()).toBe(0);
      await colleague.page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await colleague.page.getByRole('button', { name: 'You are course-3' }).waitFor();
      await live(colleague.page);
      expect(colleague.page.url()).toBe(`${bench.service.url}/#/`);
      await colleague.page.reload();
      await live(colleague.page);
      const late = await openPage(bench.browser, link);
      await late.page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await late.page.getByText(/is unknown, has expired or was already used/).waitFor();
      await late.page.context().close();

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
      await colleague.page.context().close();
      await page.context().close();
    });

    test('the operator regains access from a browser without a key', async () => {
      const { page } = await bench.open();
      await page.getByRole('alert').getByRole('button', { name: 'Sign in' }).click();
      const dialog = page.getByRole('dialog', { name: 'Your name and sign-in' });
      await dialog.getByRole('textbox', { name: 'Your name' }).fill('lab-2');
      await dialog.getByRole('button', { name: 'Sign in as the operator' }).click();
      await page.getByRole('button', { name: 'You are lab-2' }).waitFor();
      await live(page);
      await page.context().close();
    });
  });
});
