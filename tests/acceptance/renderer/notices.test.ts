import { describe, expect, test } from 'vitest';
import { findings } from '../../support/browser/axe.ts';
import { example, startBench } from '../../support/browser/bench.ts';
import { goTo, hasChromium, IN_BROWSER, pressAll } from '../../support/browser/browser.ts';

describe.skipIf(!hasChromium)('notices', IN_BROWSER, () => {
  const bench = startBench(['echo.v'], async (service) => {
    await service.build(3, 'echo.v', example('echo.v'), 'lab-1');
  });

  test('a request reaches the holder on another screen without a layout shift, and is answered there', async () => {
    const asker = bench.service.client('course-3');
    const { page, complaints } = await bench.open('/#/jobs', { as: 'lab-1' });
    await page.getByText('live', { exact: true }).waitFor();
    const heading = page.getByRole('heading', { name: 'Jobs' });
    const before = await heading.boundingBox();
    await asker.requestControl({ fpga_id: 3, body: { note: 'for the demo' } });
    const toast = page.locator('.toast');
    await toast.getByText('course-3 requests control of node 3: “for the demo”').waitFor();
    await expect.poll(() => page.title()).toBe('(1) Jobs – Wishbench');
    expect(await heading.boundingBox()).toEqual(before);
    expect(await findings(page, 'page')).toEqual([]);
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
    await list.getByRole('button', { name: 'Decline the request of course-3 for node 3' }).click();
    await list.getByRole('button', { name: /^Decline/ }).waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await toast.waitFor({ state: 'detached' });
    await expect.poll(() => page.title()).toBe('Jobs – Wishbench');
    const [entry] = await asker.listActivity({ fpga_id: 3 });
    expect(entry).toMatchObject({ kind: 'declined', by: 'lab-1', to: 'course-3' });
    expect(complaints.list).toEqual([]);
    await page.context().close();
  });

  test('“does not answer” disappears with its cause, and a lost service causes no layout shift', async () => {
    const { page } = await bench.open('/#/node/3/design', { as: 'lab-1' });
    const heading = page.getByRole('heading', { name: 'Node 3' });
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
    await page.context().close();
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
      await goTo(page, `#/node/3/${tab}`);
      expect((await answered).status()).toBe(204);
    }
    await goTo(page, '#/node/3/registers');
    const answered = empty('/script');
    await page.locator('label', { hasText: /^Script$/ }).click();
    expect((await answered).status()).toBe(204);
    for (const tab of ['Design', 'Log', 'Report', 'History']) {
      await goTo(page, `#/node/3/${tab.toLowerCase()}`);
      await page.getByRole('tab', { name: tab, selected: true }).waitFor();
    }
    expect(missing).toEqual([]);
    expect(complaints.list).toEqual([]);
    await page.context().close();
  });
});
