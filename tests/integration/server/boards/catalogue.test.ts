import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { constraintsOf, loadCatalogue, VIRTUAL_BOARD } from '../../../../server/boards/catalogue/index.ts';
import { userClock } from '../../../../server/boards/definition.ts';
import { appRoot, resourcePath } from '../../../../server/paths.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

test('the catalogue loads and every board has its constraints', () => {
  const catalogue = loadCatalogue();
  expect(catalogue.get(VIRTUAL_BOARD)?.programmer.kind).toBe('virtual');
  for (const board of catalogue.boards) expect(constraintsOf(board)).toContain(board.clock.pin);
});

test('rx is pulled up on every board, so an unconnected input is idle', () => {
  const pulledUp: Record<string, RegExp> = {
    ice40: /^set_io .*-pullup yes\b.* rx \S+$/m,
    ecp5: /^IOBUF PORT "rx" .*\bPULLMODE=UP\b.*;$/m,
    gowin: /^IO_PORT "rx" .*\bPULL_MODE=UP\b.*;$/m,
  };
  for (const board of loadCatalogue().boards)
    expect(constraintsOf(board), board.id).toMatch(pulledUp[board.fpga.family] ?? '');
});

/** The catalogue of one board file: a known board, changed. */
function catalogueWith(id: string, change: (file: Record<string, unknown>) => void) {
  const folder = temporaryFolder('catalogue');
  const file = JSON.parse(readFileSync(resourcePath('boards', `${id}.json`), 'utf8'));
  change(file);
  writeFileSync(path.join(folder, `${id}.json`), JSON.stringify(file));
  writeFileSync(path.join(folder, file.constraints), '');
  return () => loadCatalogue(folder);
}

test('the user clock is the oscillator’s, halved once or several times', () => {
  const withUserClock = (hz: number) =>
    catalogueWith('alchitry-cu', (file) => {
      file['clock'] = { hz: 100_000_000, pin: 'P7', user: { hz } };
    });
  const clockAt = (hz: number) => userClock(withUserClock(hz)().boards[0]!);
  expect(clockAt(100_000_000)).toEqual({ hz: 100_000_000, halvings: 0 });
  expect(clockAt(50_000_000)).toEqual({ hz: 50_000_000, halvings: 1 });
  expect(clockAt(12_500_000)).toEqual({ hz: 12_500_000, halvings: 3 });
  for (const hz of [30_000_000, 33_333_333, 200_000_000])
    expect(withUserClock(hz), String(hz)).toThrow(/alchitry-cu\.json: clock\.user\.hz/);
});

test('board facts documented before hardware tests', () => {
  const catalogue = loadCatalogue();
  expect(userClock(catalogue.get('alchitry-cu')!).hz).toBe(50_000_000);
  expect(catalogue.get('ecp5-evn')!.remarks.join(' ')).toMatch(/R34 and R35.*channel B.*EEPROM/);
  expect(catalogue.get('colorlight-i5')!.programmer).toMatchObject({ flashShippedProtected: true });
  for (const size of ['12f', '25f', '45f', '85f'])
    expect(catalogue.get(`ulx3s-${size}`)!.driveHigh).toEqual(['L2']);
});

test('an invalid board file is named with its error', () => {
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
