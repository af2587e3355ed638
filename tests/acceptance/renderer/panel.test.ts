import { describe, expect, test } from 'vitest';
import { findings, findingsInThemes } from '../../support/browser/axe.ts';
import { example, startBench } from '../../support/browser/bench.ts';
import { goTo, hasChromium, IN_BROWSER } from '../../support/browser/browser.ts';

/** Clocks of a bit at 115,200 baud, in the unit of the example's register. */
const DIVISOR = Math.round(12e6 / 4 / 115_200) - 1;

describe.skipIf(!hasChromium)('the panel of a running design', IN_BROWSER, () => {
  const bench = startBench(['panel.v', 'uart.v'], async (service) => {
    await service.build(1, 'panel.v', example('panel.v'), 'anonymous');
    await service.build(2, 'uart.v', example('uart.v'), 'anonymous');
    await service.run(2, { op: 1, address: 8, data: [DIVISOR] }, 'anonymous');
  });

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
  });

  test('dragged, widened and renamed ports appear the same to a colleague; they fit on a phone', async () => {
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
    expect(await findingsInThemes(page)).toEqual([]);
    const { page: other } = await bench.open('/#/node/1/panel', { as: 'bob' });
    await other.getByRole('region', { name: 'Speed, sw' }).waitFor();
    await expect.poll(() => names(other)).toEqual(await names(page));
    const width = async (on: typeof page) => (await on.locator('[data-card="sw"]').boundingBox())?.width;
    await expect.poll(() => width(other)).toBe(await width(page));
    // A viewer cannot use it.
    await other.getByText('Only the holder can use it').waitFor();
    expect(await other.getByRole('switch', { name: 'sw[0]' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Reset layout' }).click();
    await page.getByRole('region', { name: 'sw', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Arrange' }).click();
    const switched = () => other.getByRole('switch', { name: 'sw[0]' }).getAttribute('aria-checked');
    const before = await switched();
    await page.getByRole('switch', { name: 'sw[0]' }).click();
    await expect.poll(switched).not.toBe(before);

    // On a phone.
    await page.setViewportSize({ width: 390, height: 780 });
    await page.getByRole('switch', { name: 'sw[0]' }).waitFor();
    expect(await findings(page)).toEqual([]);
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    const beyond = `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.panel-stage'))`;
    await expect.poll(() => page.evaluate(beyond)).toBeLessThanOrEqual(0);
    expect(complaints.list).toEqual([]);
  });

  const send = (text: string) =>
    bench.service.run(
      2,
      { op: 1, address: 0, data: [...Buffer.from(text)], fixed_address: true },
      'anonymous',
    );

  test('the terminal shows the design’s output, sends keystrokes, and reports a wrong line rate', async () => {
    const client = bench.service.client();
    // Through REST, as a script.
    await send('hello\r\n');
    await expect.poll(async () => (await client.readTerminal({ fpga_id: 2 }))?.text).toBe('hello\r\n');
    expect(await client.readTerminal({ fpga_id: 2, from: 5 })).toMatchObject({
      ...{ input: 'uart_rx', output: 'uart_tx', baud: 115_200 },
      ...{ at: 5, text: '\r\n', lost: false, damaged: false },
    });
    await client.sendToTerminal({ fpga_id: 2, body: { text: '\u00a5' } });
    const received = async () => (await bench.service.run(2, { op: 2, address: 0 }, 'anonymous')).data[0];
    await expect.poll(received).toBe(0xa5);
    for (const body of [{ text: '€' }, { baud: 1 }, { text: 'x'.repeat(513) }])
      await expect(client.sendToTerminal({ fpga_id: 2, body })).rejects.toMatchObject({
        code: 'validation_error',
      });

    // In the browser.
    const { page, complaints } = await bench.open('/#/node/2/panel');
    const screen = page.getByRole('log', { name: 'Terminal on uart_rx and uart_tx' });
    const lines = () => screen.locator('.terminal-line').allInnerTexts();
    await expect.poll(lines).toEqual(['hello', '']);
    await send('Grüße');
    await expect.poll(lines).toEqual(['hello', 'Grüße']);
    await screen.click();
    await page.keyboard.press('Z');
    await expect.poll(received).toBe('Z'.charCodeAt(0));
    await page.keyboard.press('Enter');
    await expect.poll(received).toBe(13);

    await page.getByRole('combobox', { name: 'Rate of the serial line' }).selectOption('1000000');
    await expect.poll(async () => (await client.readTerminal({ fpga_id: 2 }))?.baud).toBe(1_000_000);
    await send('\0\0\0\0');
    await page.getByText('the design seems to send at another rate').waitFor();
    expect(complaints.list).toEqual([]);
  });

  test('the terminal scrolls back and searches while the design sends, and survives a switch of tabs', async () => {
    const client = bench.service.client();
    await client.sendToTerminal({ fpga_id: 2, body: { baud: 115_200 } });
    const { page, complaints } = await bench.open('/#/node/2/panel');
    const screen = page.getByRole('log', { name: 'Terminal on uart_rx and uart_tx' });
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    await button('Clear').click();
    for (const part of [0, 1, 2]) {
      const numbers = Array.from({ length: 25 }, (_, at) => `line ${part * 25 + at}\r\n`);
      await send(numbers.join(''));
      await screen.getByText(`line ${part * 25 + 24}`).waitFor();
    }
    // The end is in view until a person scrolls up: then it stays where they read.
    await screen.hover();
    await page.evaluate(`window.scrolled = new Promise((done) =>
      document.querySelector('[role=log]').addEventListener('scrollend', () => done(), { once: true })); undefined`);
    await page.mouse.wheel(0, -600);
    await page.evaluate('window.scrolled');
    await button('Jump to the end').waitFor();
    const top = () => screen.evaluate((element) => (element as { scrollTop: number }).scrollTop);
    const reading = await top();
    await send('news\r\n');
    await expect.poll(async () => (await client.readTerminal({ fpga_id: 2 }))?.text).toMatch(/news/);
    await page.getByLabel('Search the terminal').fill('LINE 1');
    await page.getByText('11 of 11').waitFor();
    expect(await top()).toBe(reading);
    await page.keyboard.press('Enter');
    await page.getByText('10 of 11').waitFor();
    await screen.getByText('line 18').waitFor();
    await button('Jump to the end').click();
    await screen.getByText('news').waitFor();

    // A line with local echo is sent whole, and the arrow brings it back.
    await button('Local echo').click();
    const line = page.getByLabel('Line to send');
    await line.fill('A');
    await line.press('Enter');
    await screen.getByText('A', { exact: true }).waitFor();
    await line.press('ArrowUp');
    await expect.poll(() => line.inputValue()).toBe('A');

    // Cleared and restored; also after a visit to another tab.
    await button('Clear').click();
    // The pointer on it keeps it.
    await button('Undo').last().hover();
    await expect.poll(() => screen.locator('.terminal-line').allInnerTexts()).toEqual(['']);
    await button('Undo').last().click();
    await screen.getByText('news').waitFor();
    await page.getByRole('tab', { name: 'Registers' }).click();
    await send('meanwhile\r\n');
    await page.getByRole('tab', { name: 'Panel' }).click();
    await screen.getByText('meanwhile').waitFor();
    await screen.getByText('A', { exact: true }).waitFor();
    await button('Hex').click();
    await screen
      .getByText(/^0000[0-9a-f]{3}0 ( [0-9a-f]{2}){8}/)
      .first()
      .waitFor();
    expect(await findings(page)).toEqual([]);
    expect(complaints.list).toEqual([]);
  });
});
