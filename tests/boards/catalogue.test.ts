import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { constraintsOf, loadCatalogue, VIRTUAL_BOARD } from '../../server/boards/catalogue/index.ts';
import { appRoot, resourcePath } from '../../server/paths.ts';
import { temporaryFolder } from './support/temporary.ts';

test('the catalogue loads and every board has its constraints', () => {
  const catalogue = loadCatalogue();
  expect(catalogue.get(VIRTUAL_BOARD)?.programmer.kind).toBe('virtual');
  for (const board of catalogue.boards) expect(constraintsOf(board)).toContain(board.clock.pin);
});

test('a board file that does not fit the schema is named with what is wrong', () => {
  const folder = temporaryFolder('catalogue');
  writeFileSync(path.join(folder, 'x.json'), JSON.stringify({ id: 'x' }));
  expect(() => loadCatalogue(folder)).toThrow(/x\.json/);
});

test('the documentation and the udev rules know every board', () => {
  const docs = readFileSync(path.join(appRoot, 'docs', 'boards.md'), 'utf8');
  const rules = readFileSync(resourcePath('udev', '70-wishbench.rules'), 'utf8');
  const hex = (id: number) => id.toString(16).padStart(4, '0');
  for (const { id, usb, serial } of loadCatalogue().boards) {
    if (!usb) continue;
    if (!/^ulx3s-[24]5f$/.test(id)) expect(docs).toContain(`\`${id}\``);
    expect(docs, id).toContain(`| ${serial.rx} | ${serial.tx} |`);
    expect(rules, id).toContain(
      `ATTR{idVendor}=="${hex(usb.vendorId)}", ATTR{idProduct}=="${hex(usb.productId)}"`,
    );
  }
});
