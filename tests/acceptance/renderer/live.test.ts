import type { Page, Route } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { resourcePath } from '../../../server/paths.ts';
import { findings } from '../../support/browser/axe.ts';
import { example, startBench } from '../../support/browser/bench.ts';
import { BUILD_TIMEOUT, goTo, hasChromium, IN_BROWSER, pressAll } from '../../support/browser/browser.ts';

const echo = example('echo.v');
const CHANGED = `// changed\n${echo}`;

const state = (page: Page, word: string) =>
  page.locator('.node-head').getByText(word, { exact: true }).waitFor({ timeout: BUILD_TIMEOUT });

/** Enters a name in the dialog of the button at the bottom of the rail. */
async function nameMe(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: /^You are/ }).click();
  await page.getByRole('textbox', { name: 'Your name' }).fill(name);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: `You are ${name}` }).waitFor();
}

describe.skipIf(!hasChromium)('a live bench', IN_BROWSER, () => {
  const bench = startBench(['echo.v', { filename: 'echo.v', source: CHANGED }]);

  // First: it is offered until there was a build.
  test('the first click ends with a word read back from a running design', async () => {
    const { page, complaints } = await bench.open();
    await page.getByRole('button', { name: 'Run the example' }).click();
    await page
      .getByText(/and read back 0xCAFE_F00D from the running design/)
      .waitFor({ timeout: BUILD_TIMEOUT });
    expect((await bench.service.run(0, { op: 2, address: 16 })).data).toEqual([0xcafef00d]);
    expect(complaints.list).toEqual([]);
  });

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
  });

  test('what others did to a node shows its actor, the saved data and the next step, also after a reload', async () => {
    await bench.service.build(3, 'echo.v', echo, 'grace');
    await bench.service.run(3, { op: 1, address: 0, data: [7] }, 'grace');
    const { page } = await bench.open('/#/node/3/design', { as: 'grace' });
    await state(page, 'reserved');
    const client = bench.service.client('lab-2');
    await client.jobEnded(await client.resetNode({ fpga_id: 3 }));
    await state(page, 'idle');
    const line = page.getByRole('status', { name: 'Activity of this node' });
    await line.getByText(/^lab-2 reset this node/).waitFor();
    await line.getByText('your transaction is kept').waitFor();
    // Nothing has moved: the tab and its content are the same.
    await expect.poll(() => page.getByRole('tab', { selected: true }).textContent()).toBe('Design');
    await page.locator('.cm-content').getByText('module echo').waitFor();
    // It is still there after a reload, and its next step is one click.
    await page.reload();
    await line.getByRole('button', { name: 'Submit again' }).click();
    await state(page, 'reserved');
    expect((await bench.service.client().getNode({ fpga_id: 3 })).session?.owner).toBe('grace');
    await line.getByRole('button', { name: 'Dismiss' }).click();
    await line.waitFor({ state: 'detached' });
    await page.reload();
    await state(page, 'reserved');
    await expect.poll(() => line.count()).toBe(0);
  });

  test('a dropped file replaces one’s own session, which survives a failed build', async () => {
    const { page } = await bench.open('/#/node/3/design', { as: 'grace' });
    await state(page, 'reserved');
    const before = (await bench.service.client('grace').getNode({ fpga_id: 3 })).session?.session_id;
    // Typed into the source and submitted with the keyboard: the build fails, and nothing changes.
    await page.locator('.cm-content').click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('nonsense ');
    await page
      .getByText(/^draft of \d/)
      .first()
      .waitFor();
    await page.locator('.cm-error-line').first().waitFor();
    await page.keyboard.press('Control+Enter');
    await page
      .getByRole('region', { name: 'Stages' })
      .getByText('failed here')
      .waitFor({ timeout: BUILD_TIMEOUT });
    expect((await bench.service.client('grace').getNode({ fpga_id: 3 })).session?.session_id).toBe(before);
    // A good one takes its place in one act.
    await page.evaluate(`(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([${JSON.stringify(CHANGED)}], 'echo.v'));
      document.querySelector('.node').dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true }));
    })()`);
    const nodeNow = () => bench.service.client('grace').getNode({ fpga_id: 3 });
    await expect
      .poll(
        async () => {
          const { state: now, session } = await nodeNow();
          return now === 'reserved' && session?.session_id !== before;
        },
        { timeout: BUILD_TIMEOUT },
      )
      .toBe(true);
    expect((await nodeNow()).session?.owner).toBe('grace');
  });

  test('a request for control reaches the holder on another screen without a layout shift, and is answered there', async () => {
    await bench.service.build(6, 'echo.v', echo, 'lab-1');
    const asker = bench.service.client('course-3');
    const { page, complaints } = await bench.open('/#/jobs', { as: 'lab-1' });
    await page.getByText('live', { exact: true }).waitFor();
    const heading = page.getByRole('heading', { name: 'Jobs' });
    const before = await heading.boundingBox();
    await asker.requestControl({ fpga_id: 6, body: { note: 'for the demo' } });
    const toast = page.locator('.toast');
    await toast.getByText('course-3 requests control of node 6: “for the demo”').waitFor();
    await expect.poll(() => page.title()).toBe('(1) Jobs – Wishbench');
    expect(await heading.boundingBox()).toEqual(before);
    // It covers neither the connection nor the bell, at every width.
    for (const width of [1440, 1024, 860, 700, 561, 390]) {
      await page.setViewportSize({ width, height: 800 });
      await page.getByRole('button', { name: 'Notices, 1 new' }).click({ trial: true });
      const between = async () => {
        const box = await toast.boundingBox();
        const live = await page.getByText('live', { exact: true }).boundingBox();
        return (live?.x ?? 0) - (box?.x ?? 0) - (box?.width ?? 0);
      };
      if (width > 390) await expect.poll(between).toBeGreaterThan(0);
    }
    await page.setViewportSize({ width: 1280, height: 800 });

    // After a reload it is there again, once.
    await page.reload();
    await toast.getByRole('link', { name: /^course-3 requests/ }).waitFor();
    await pressAll(page, 'g', 'n');
    const list = page.getByRole('dialog', { name: 'Notices' });
    await expect.poll(() => list.getByRole('listitem').count()).toBe(1);
    expect(await findings(page, 'page')).toEqual([]);
    await list.getByRole('button', { name: 'Decline the request of course-3 for node 6' }).click();
    await list.getByRole('button', { name: /^Decline/ }).waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await toast.waitFor({ state: 'detached' });
    await expect.poll(() => page.title()).toBe('Jobs – Wishbench');
    const [entry] = await asker.listActivity({ fpga_id: 6 });
    expect(entry).toMatchObject({ kind: 'declined', by: 'lab-1', to: 'course-3' });
    expect(complaints.list).toEqual([]);
  });

  test('“does not answer” disappears with its cause, and a lost service causes no layout shift', async () => {
    const { page } = await bench.open('/#/node/6/design', { as: 'lab-1' });
    const heading = page.getByRole('heading', { name: 'Node 6' });
    // All of it is there.
    await page.getByText('live', { exact: true }).waitFor();
    await page.locator('.cm-content').waitFor();
    const before = await heading.boundingBox();
    await bench.service.stop();
    await page.getByText('The service does not answer; trying again').waitFor();
    expect(await heading.boundingBox()).toEqual(before);
    await page.getByRole('button', { name: 'Release' }).click();
    await bench.service.resume();
    await page.getByText('live', { exact: true }).waitFor();
    await page.getByText('The service does not answer').waitFor({ state: 'detached' });
    await page.getByText('The service answers again.').first().waitFor();
  });

  test('a design without script, panel, waves and terminal shows empty views, not missing ones', async () => {
    const { page, complaints } = await bench.open('/#/boards', { as: 'lab-1' });
    const missing: string[] = [];
    page.on('response', (answer) => {
      if (answer.status() === 404) missing.push(answer.url());
    });
    await page
      .getByRole('button', { name: /^Check/ })
      .first()
      .click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    const empty = (path: string) => page.waitForResponse((answer) => answer.url().endsWith(path));
    for (const [tab, path] of [
      ['panel', '/panel'],
      ['signals', '/waves'],
    ] as const) {
      const answered = empty(path);
      await goTo(page, `#/node/6/${tab}`);
      expect((await answered).status()).toBe(204);
    }
    await goTo(page, '#/node/6/registers');
    const answered = empty('/script');
    await page.locator('label', { hasText: /^Script$/ }).click();
    expect((await answered).status()).toBe(204);
    for (const tab of ['Design', 'Log', 'Report', 'History']) {
      await goTo(page, `#/node/6/${tab.toLowerCase()}`);
      await page.getByRole('tab', { name: tab, selected: true }).waitFor();
    }
    expect(missing).toEqual([]);
    expect(complaints.list).toEqual([]);
  });
});
