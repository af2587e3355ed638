import { describe, expect, test } from 'vitest';
import { findings } from '../../support/browser/axe.ts';
import { example, startBench } from '../../support/browser/bench.ts';
import { hasChromium, IN_BROWSER } from '../../support/browser/browser.ts';

/** Clocks of a bit at 115,200 baud, in the unit of the example's register. */
const DIVISOR = Math.round(12e6 / 4 / 115_200) - 1;

describe.skipIf(!hasChromium)('a terminal on the serial line of a design', IN_BROWSER, () => {
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

  test('what the design sends is shown, what is typed is heard, and a wrong rate is told', async () => {
    const client = bench.service.client();
    // Through REST, as a script.
    await send('hello\r\n');
    await expect.poll(async () => (await client.readTerminal({ fpga_id: 2 })).text).toBe('hello\r\n');
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
    const screen = page.getByRole('textbox', { name: 'Terminal on uart_rx and uart_tx' });
    await expect.poll(() => screen.inputValue()).toBe('hello\n');
    await send('Grüße');
    await expect.poll(() => screen.inputValue()).toBe('hello\nGrüße');
    await screen.click();
    await page.keyboard.press('Z');
    await expect.poll(received).toBe('Z'.charCodeAt(0));
    await page.keyboard.press('Enter');
    await expect.poll(received).toBe(13);
    expect(await findings(page)).toEqual([]);

    await page.getByRole('combobox', { name: 'Rate of the serial line' }).selectOption('1000000');
    await expect.poll(async () => (await client.readTerminal({ fpga_id: 2 })).baud).toBe(1_000_000);
    await send('\0\0\0\0');
    await page.getByText('the design seems to send at another rate').waitFor();
    expect(complaints.list).toEqual([]);
    await page.context().close();
  });
});
