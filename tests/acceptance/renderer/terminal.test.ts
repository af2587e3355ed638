import { describe, expect, test } from 'vitest';
import { findings } from '../../support/browser/axe.ts';
import { example, startBench } from '../../support/browser/bench.ts';
import { hasChromium, IN_BROWSER } from '../../support/browser/browser.ts';

/** Clocks of a bit at 115,200 baud, in the unit of the example's register. */
const DIVISOR = Math.round(12e6 / 4 / 115_200) - 1;

describe.skipIf(!hasChromium)('a terminal on a design’s serial line', IN_BROWSER, () => {
  const bench = startBench(['uart.v'], async (service) => {
    await service.build(2, 'uart.v', example('uart.v'), 'anonymous');
    await service.run(2, { op: 1, address: 8, data: [DIVISOR] }, 'anonymous');
  });
  const send = (text: string) =>
    bench.service.run(
      2,
      { op: 1, address: 0, data: [...Buffer.from(text)], fixed_address: true },
      'anonymous',
    );

  test('shows the design’s output, sends keystrokes, and reports a wrong line rate', async () => {
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
    expect(await findings(page)).toEqual([]);

    await page.getByRole('combobox', { name: 'Rate of the serial line' }).selectOption('1000000');
    await expect.poll(async () => (await client.readTerminal({ fpga_id: 2 }))?.baud).toBe(1_000_000);
    await send('\0\0\0\0');
    await page.getByText('the design seems to send at another rate').waitFor();
    expect(complaints.list).toEqual([]);
    await page.context().close();
  });

  test('scrolls back and searches while the design sends, and survives a switch of tabs', async () => {
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
    expect(await findings(page)).toEqual([]);
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
    await page.context().close();
  });
});
