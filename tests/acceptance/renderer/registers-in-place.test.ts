import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { RegisterMap } from '../../../server/contract/designs/register-map.ts';
import { findings } from '../../support/browser/axe.ts';
import { example, startBench } from '../../support/browser/bench.ts';
import { hasChromium, IN_BROWSER } from '../../support/browser/browser.ts';

const MAP: RegisterMap = {
  name: 'panel',
  registers: [
    {
      name: 'MODE',
      address: 0,
      access: 'rw',
      fields: [{ name: 'SHOWS', msb: 1, lsb: 0, values: { '0': 'switches', '1': 'count', '2': 'pattern' } }],
    },
    { name: 'PATTERN', address: 4, access: 'rw', width: 16, fields: [] },
    { name: 'COUNT', address: 8, access: 'ro', fields: [] },
  ],
};

describe.skipIf(!hasChromium)('editing registers in place', IN_BROWSER, () => {
  const bench = startBench(['panel.v'], async (service) => {
    await service.build(4, 'panel.v', example('panel.v'), 'anonymous');
    const client = service.client();
    const { design } = await client.getNodeDetails({ fpga_id: 4 });
    await client.putDesignMap({ design_id: design?.design_id ?? '', body: MAP });
  });

  test('overwrites values, toggles bits and selects names; exports the map in every format', async () => {
    const { page, complaints } = await bench.open('/#/node/4/registers');
    const read = async (address: number) =>
      (await bench.service.run(4, { op: 2, address }, 'anonymous')).data[0];
    await page.getByRole('button', { name: 'Read all' }).click();
    await page.getByRole('button', { name: '0x0000_0000, type over PATTERN' }).click();
    await page.keyboard.type('0x12345');
    await page.keyboard.press('Enter');
    const typing = page.getByLabel('New value of PATTERN');
    await expect.poll(() => typing.getAttribute('aria-invalid')).toBe('true');
    await typing.fill('0x1234');
    await typing.press('Enter');
    await page.getByText('written, and not read since').waitFor({ state: 'attached' });
    await expect.poll(() => read(4)).toBe(0x1234);

    await page.getByRole('button', { name: 'Bits of PATTERN' }).click();
    await page.getByRole('button', { name: 'bit 15 PATTERN' }).click();
    await expect.poll(() => read(4)).toBe(0x9234);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Space');
    await expect.poll(() => read(4)).toBe(0xd234);

    await page.getByRole('button', { name: 'Fields of MODE', exact: true }).click();
    await page.getByLabel('Choose MODE.SHOWS').selectOption('pattern');
    await expect.poll(() => read(0)).toBe(2);
    const pins = async () => (await bench.service.client().listPins({ fpga_id: 4 })).pins;
    await expect.poll(async () => (await pins()).find(({ name }) => name === 'led')?.value).toBe(0xd234);
    await page.getByLabel('Read or write').fill('MODE.SHOWS=count');
    await page.keyboard.press('Enter');
    await expect.poll(() => read(0)).toBe(1);
    await expect.poll(() => page.getByLabel('Choose MODE.SHOWS').inputValue()).toBe('1');
    // A read-only value cannot be edited.
    expect(await page.getByRole('button', { name: /type over COUNT/ }).count()).toBe(0);

    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      expect(await findings(page)).toEqual([]);
    }
    for (const [form, ending, says] of [
      ['CMSIS-SVD', '.svd', '<name>PATTERN</name>'],
      ['IP-XACT', '.xml', 'PATTERN'],
      ['LiteX csr.csv', '.csr.csv', 'csr_register,design_pattern,0x00000004'],
      ['LiteX csr.json', '.csr.json', 'csr_registers'],
    ] as const) {
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Map', exact: true }).click();
      await page.getByRole('menuitem', { name: `Export as ${form}`, exact: true }).click();
      const file = await download;
      expect(file.suggestedFilename()).toBe(`panel${ending}`);
      expect(readFileSync(await file.path(), 'utf8')).toContain(says);
    }
    expect(complaints.list).toEqual([]);
    await page.context().close();
  });
});
