import { describe, expect, test } from 'vitest';
import { findings } from '../../support/browser/axe.ts';
import { example, startBench } from '../../support/browser/bench.ts';
import { goTo, hasChromium, IN_BROWSER } from '../../support/browser/browser.ts';

describe.skipIf(!hasChromium)('the panel of a running design', IN_BROWSER, () => {
  const bench = startBench(['panel.v'], (service) =>
    service.build(1, 'panel.v', example('panel.v'), 'anonymous'),
  );

  test('switches control lamps, a button counts with pointer and keyboard, and no button stays pressed', async () => {
    const { page, complaints } = await bench.open('/#/node/1/panel');
    const client = bench.service.client();
    const pin = async (name: string) =>
      (await client.listPins({ fpga_id: 1 })).pins.find((one) => one.name === name)?.value;
    await page.getByRole('switch', { name: 'sw[3]' }).click();
    await page.getByRole('img', { name: 'led[3] lit' }).waitFor();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Space');
    await page.getByRole('img', { name: 'led[4] lit' }).waitFor();
    await expect.poll(() => pin('sw')).toBe(0x18);
    const button = page.getByRole('button', { name: 'button_n', exact: true });
    await button.hover();
    await page.mouse.down();
    await expect.poll(() => pin('button_n')).toBe(0);
    await page.mouse.move(5, 5);
    await page.mouse.up();
    await expect.poll(() => pin('button_n')).toBe(1);
    await button.focus();
    await page.keyboard.down('Space');
    await expect.poll(() => pin('button_n')).toBe(0);
    await page.keyboard.press('Tab');
    await expect.poll(() => pin('button_n')).toBe(1);
    await page.keyboard.up('Space');
    expect((await bench.service.run(1, { op: 2, address: 8 }, 'anonymous')).data).toEqual([2]);
    expect(complaints.list).toEqual([]);
    await page.context().close();
  });

  test('a port is plotted in place and pinned to the node’s card, where it stays live', async () => {
    const { page, complaints } = await bench.open('/#/node/1/panel');
    await page.getByRole('button', { name: 'Plot led' }).click();
    const course = page.getByRole('img', { name: /^Course of led over 30 s/ });
    await course.waitFor();
    const path = () => course.locator('path').getAttribute('d');
    const before = await path();
    await bench.service.client().setPins({ fpga_id: 1, body: { pins: { sw: 0xff } } });
    await page.getByRole('img', { name: 'Course of led over 30 s, now 0x00FF' }).waitFor();
    await expect.poll(path).not.toBe(before);
    await page.getByRole('button', { name: 'Show led on the node’s card' }).click();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      expect(await findings(page)).toEqual([]);
    }
    await goTo(page, '#/');
    await page.getByRole('img', { name: 'led, now 0x00FF' }).waitFor();
    await bench.service.client().setPins({ fpga_id: 1, body: { pins: { sw: 0x12 } } });
    await page.getByRole('img', { name: 'led, now 0x0012' }).waitFor();
    // It is still chosen after a reload.
    await goTo(page, '#/node/1/panel');
    await page.reload();
    await page.getByRole('button', { name: 'Plot led', pressed: true }).click();
    await page.getByRole('button', { name: 'Show led on the node’s card', pressed: true }).click();
    await course.waitFor({ state: 'detached' });
    expect(complaints.list).toEqual([]);
    await page.context().close();
  });

  test('a slider, a typed number, seven-segment digits and a bar update together, also in two windows', async () => {
    const { page, complaints } = await bench.open('/#/node/1/panel');
    const client = bench.service.client();
    const look = (name: string, as: string) => page.getByLabel(`Appearance of ${name}`).selectOption(as);
    await look('sw', 'slider');
    await look('led', 'digits');
    await page.getByRole('slider', { name: 'sw' }).fill(String(0x1234));
    const digits = page.getByRole('img', { name: 'led shows 0x1234' });
    await digits.waitFor();
    // 1, 2, 3 and 4 have two, five, five and four segments.
    expect(await digits.locator('path[data-lit="true"]').count()).toBe(16);
    await page.getByRole('slider', { name: 'sw' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('img', { name: 'led shows 0x1235' }).waitFor();

    await look('sw', 'hex');
    await look('led', 'bar');
    const field = page.getByLabel('Value of sw');
    await field.fill('0x1_0000');
    await field.press('Enter');
    await page.getByRole('alert').waitFor();
    await field.fill('0b1000_0000_0000_0000');
    await field.press('Enter');
    const bar = page.getByRole('meter', { name: 'led' });
    await expect.poll(() => bar.getAttribute('aria-valuenow')).toBe('32768');
    const half = `(({ parentElement, offsetWidth }) => offsetWidth / parentElement.clientWidth)(
      document.querySelector('.pin-bar > span'))`;
    await expect.poll(() => page.evaluate<number>(half)).toBeCloseTo(0.5, 1);
    await look('led', 'hex');
    await page.getByText('0x8000', { exact: true }).waitFor();
    await page.getByText('32768', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Reset layout' }).click();

    const { page: other, complaints: others } = await bench.open('/#/node/1/panel');
    // A write sets a whole port: the second window has the first one's bit.
    await page.getByRole('switch', { name: 'sw[0]' }).click();
    await other.getByRole('img', { name: 'led[0] lit' }).waitFor();
    await other.getByRole('switch', { name: 'sw[7]' }).click();
    for (const window of [page, other])
      for (const bit of [0, 7, 15]) await window.getByRole('img', { name: `led[${bit}] lit` }).waitFor();
    await expect
      .poll(async () => (await client.listPins({ fpga_id: 1 })).pins.find(({ name }) => name === 'sw')?.value)
      .toBe(0x8081);
    await client.setPins({ fpga_id: 1, body: { pins: { sw: 0 } } });
    expect([...complaints.list, ...others.list]).toEqual([]);
    await other.context().close();
    await page.context().close();
  });

  test('a port’s appearance is saved with the design; other users see it live, but read-only', async () => {
    const { page } = await bench.open('/#/node/1/panel');
    await page.getByLabel('Appearance of led').selectOption('bar');
    await page.getByRole('meter', { name: 'led' }).waitFor();
    const bob = { key: 'wishbench.preferences', value: '{"nameAsked":true,"name":"bob"}' };
    const { page: other, complaints } = await bench.open();
    await other.evaluate(`localStorage.setItem(${JSON.stringify(bob.key)}, ${JSON.stringify(bob.value)})`);
    await goTo(other, '#/node/1/panel');
    await other.reload();
    await other.getByRole('meter', { name: 'led' }).waitFor();
    await other.getByText('Only the holder can use it').waitFor();
    await expect.poll(() => other.getByRole('switch', { name: 'sw[0]' }).isDisabled()).toBe(true);
    const before = await other.getByRole('switch', { name: 'sw[0]' }).getAttribute('aria-checked');
    await page.getByRole('switch', { name: 'sw[0]' }).click();
    await expect
      .poll(() => other.getByRole('switch', { name: 'sw[0]' }).getAttribute('aria-checked'))
      .not.toBe(before);
    await page.getByRole('button', { name: 'Reset layout' }).click();
    await page.getByRole('img', { name: /^led\[0\]/ }).waitFor();
    expect(complaints.list).toEqual([]);
    await other.context().close();
    await page.context().close();
  });

  test('dragged, widened and renamed ports appear the same to a colleague', async () => {
    const { page, complaints } = await bench.open('/#/node/1/panel');
    await page.getByRole('button', { name: 'Arrange' }).click();
    const names = (on: typeof page) =>
      on
        .locator('[data-card]')
        .evaluateAll((cards) =>
          cards.map((card) => (card as unknown as { dataset: Record<string, string> }).dataset['card']),
        );
    await expect.poll(() => names(page)).not.toEqual([]);
    const [first, second] = await names(page);
    const card = (name: string | undefined) => page.locator(`[data-card="${name}"]`);
    const box = await card(second).boundingBox();
    await page.getByRole('button', { name: `Move ${first}:` }).hover();
    await page.mouse.down();
    await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) * 0.8, (box?.y ?? 0) + 30, { steps: 4 });
    await page.mouse.up();
    await expect.poll(async () => (await names(page)).slice(0, 2)).toEqual([second, first]);
    await page.getByLabel('Label of sw').fill('Speed');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Speed, sw' }).waitFor();
    // The edge snaps to twelfths of the panel.
    const room = await page.locator('.panel-ports').boundingBox();
    const edge = await card('sw').locator('.card-edge').boundingBox();
    await page.mouse.move((edge?.x ?? 0) + 5, (edge?.y ?? 0) + (edge?.height ?? 0) / 2);
    await page.mouse.down();
    const sw = await card('sw').boundingBox();
    await page.mouse.move((sw?.x ?? 0) + (room?.width ?? 0) * 0.76, (edge?.y ?? 0) + 40, { steps: 4 });
    await page.mouse.up();
    await expect.poll(() => page.getByLabel('Width of sw').inputValue()).toBe('9');
    expect(await findings(page)).toEqual([]);
    const { page: other } = await bench.open('/#/node/1/panel');
    await other.getByRole('region', { name: 'Speed, sw' }).waitFor();
    await expect.poll(() => names(other)).toEqual(await names(page));
    const width = async (on: typeof page) => (await on.locator('[data-card="sw"]').boundingBox())?.width;
    await expect.poll(() => width(other)).toBe(await width(page));
    await page.getByRole('button', { name: 'Reset layout' }).click();
    await page.getByRole('region', { name: 'sw', exact: true }).waitFor();
    expect(complaints.list).toEqual([]);
    await other.context().close();
    await page.context().close();
  });

  test('is readable in both themes and at 390 pixels', async () => {
    const { page } = await bench.open('/#/node/1/panel', {
      viewport: { width: 390, height: 780 },
    });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await expect.poll(() => page.evaluate('document.documentElement.dataset.theme')).toBe(colorScheme);
      await page.getByRole('switch', { name: 'sw[0]' }).waitFor();
      expect(await findings(page)).toEqual([]);
      await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
      const beyond = `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.panel-stage'))`;
      await expect.poll(() => page.evaluate(beyond)).toBeLessThanOrEqual(0);
    }
    await page.context().close();
  });
});
