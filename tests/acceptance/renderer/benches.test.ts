import { afterAll, describe, expect, test } from 'vitest';
import { resourcePath } from '../../../server/paths.ts';
import { ServiceInProcess } from '../../support/api/service-in-process.ts';
import { startBench } from '../../support/browser/bench.ts';
import { BUILD_TIMEOUT, hasChromium, IN_BROWSER } from '../../support/browser/browser.ts';

describe.skipIf(!hasChromium)('two benches in one window', IN_BROWSER, () => {
  let other: ServiceInProcess | undefined;
  let key = '';
  const bench = startBench([], async (service) => {
    await service.client().changeSettings({ body: { benches: { known: [] } } });
    await other?.close();
    other = await ServiceInProcess.start(['echo.v']);
    const client = other.client();
    key = (await client.mintKey({ body: { owner: 'ada' } })).api_key;
    await client.changeSettings({ body: { auth: { enforcement: true }, benches: { title: 'Hall B' } } });
  });
  afterAll(() => other?.close());

  test('a technician adds a bench, signs in there once, works on its node, and sees it die', async () => {
    if (other === undefined) throw new Error('The other bench is there when the test begins.');
    const { page, complaints } = await bench.open('/#/settings', { as: 'ada' });
    await page.getByRole('button', { name: 'Add a bench' }).click();
    const section = page.locator('.settings-section', { hasText: 'Let benches of the list take work' });
    await section.getByLabel('Name', { exact: true }).fill('hall-b');
    await section.getByLabel('Address', { exact: true }).fill(other.url);
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Saved. It takes effect at once.').waitFor();

    // It enforces keys: the rack shows that and offers to sign in.
    await page.goto(`${bench.service.url}/#/`);
    const group = page.getByRole('region', { name: 'hall-b' });
    await group.getByText('Sign in there to see its nodes.').waitFor();
    await group.getByRole('link', { name: 'Sign in at hall-b' }).click();
    await page.getByRole('alert').getByRole('button', { name: 'Sign in' }).click();
    const dialog = page.getByRole('dialog', { name: 'Your name and sign-in' });
    await dialog.getByLabel('API key').fill(key);
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: 'hall-b', exact: true }).waitFor();
    await expect
      .poll(() => page.getByRole('list', { name: 'Nodes', exact: true }).getByRole('listitem').count())
      .toBe(10);

    // From there the nodes of this PC are in sight; back there, those of the other one, with the same sign-in.
    await page
      .getByRole('region', { name: /\(home\)$/ })
      .getByRole('link', { name: /, node 3/ })
      .waitFor();
    await page.getByRole('link', { name: /^Open .* \(home\)$/ }).click();
    await page.getByRole('heading', { name: 'Bench', exact: true }).waitFor();
    const far = page.getByRole('list', { name: 'Nodes of hall-b' });
    await expect.poll(() => far.getByRole('listitem').count()).toBe(10);

    // One click works on it: a design, a word written and read back, all on the other bench.
    await far.getByRole('link', { name: 'hall-b, node 4' }).click();
    await page.setInputFiles('input[type=file]', resourcePath('examples', 'echo.v'));
    await page.getByRole('button', { name: 'Submit to node 4' }).click();
    await page
      .locator('.node-head')
      .getByText('reserved', { exact: true })
      .waitFor({ timeout: BUILD_TIMEOUT });
    await page.keyboard.press('r');
    const command = page.getByLabel('Read or write');
    await command.fill('0x10=0xDEADBEEF');
    await command.press('Enter');
    await command.fill('0x10');
    await command.press('Enter');
    await page.getByRole('tabpanel').getByText('0xDEAD_BEEF').first().waitFor();
    const seen = await other.client(key).getNode({ fpga_id: 4 });
    expect([seen.state, seen.session?.owner]).toEqual(['reserved', 'ada']);
    expect((await bench.service.client().getNode({ fpga_id: 4 })).state).toBe('idle');

    // The rack of this PC shows it; the page stores only the other bench's key.
    await page.goto(`${bench.service.url}/#/`);
    await far.getByRole('link', { name: 'hall-b, node 4, reserved, ada, echo.v' }).waitFor();
    const kept = await page.evaluate(
      'Object.entries(sessionStorage).filter(([, value]) => value.includes("wbk_"))',
    );
    expect((kept as [string, string][]).map(([name]) => name)).toEqual([`wishbench.key@hall-b ${other.url}`]);

    // Dead; everything else stays visible.
    await other.stop();
    await page
      .getByRole('region', { name: 'hall-b' })
      .getByText('does not answer', { exact: true })
      .waitFor();
    expect(await page.getByRole('list', { name: 'Nodes', exact: true }).getByRole('listitem').count()).toBe(
      10,
    );
    await other.resume();
    await far.getByRole('link', { name: /hall-b, node 4, reserved/ }).waitFor();
    expect(complaints.list).toEqual([]);
  });
});
