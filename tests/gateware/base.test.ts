import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { basedBoards, buildBases, builtFrom, sourcesOf } from '../../resources/base/rebuild.ts';
import { loadCatalogue, VIRTUAL_BOARD } from '../../server/boards/catalogue/index.ts';
import { resourcePath } from '../../server/paths.ts';
import { gatewareParameters, gatewareSources, shortBuildId } from '../../server/toolchain/gateware.ts';

test('the base bitstream in resources/ is what its sources build to', async () => {
  const board = loadCatalogue().get(VIRTUAL_BOARD);
  if (!board) throw new Error(`no ${VIRTUAL_BOARD}`);
  const kept = readFileSync(resourcePath('base', `${VIRTUAL_BOARD}.bin`));
  // On a difference: `node run.mjs script resources/base/rebuild.ts`, and commit what it writes.
  for await (const { bitstream } of buildBases([board])) expect(Buffer.compare(bitstream, kept)).toBe(0);
  expect.assertions(1);
}, 180_000);

test('every board that the embedded tools build for has a base bitstream of today’s sources', async () => {
  const from = builtFrom();
  expect(Object.keys(from).sort()).toEqual(
    basedBoards()
      .map(({ id }) => id)
      .sort(),
  );
  for (const board of basedBoards()) {
    expect(await sourcesOf(board), board.id).toBe(from[board.id]);
    const bytes = readFileSync(resourcePath('base', `${board.id}.bin`));
    expect(bytes.includes(Buffer.from([0x7e, 0xaa, 0x99, 0x7e])), board.id).toBe(true);
  }
});

test('the parameters of every board of the catalogue are a header that defines what the top module asks for', async () => {
  const top = (await gatewareSources())['wishbench_top.v'] ?? '';
  const asked = new Set([...top.matchAll(/`(WISHBENCH_\w+)/g)].map(([, name]) => name));
  for (const board of loadCatalogue().boards) {
    const header = gatewareParameters(board, 'feed');
    const defined = [...header.matchAll(/^`define (\w+) (\S+)$/gm)].map(([, name]) => name);
    expect(new Set(defined), board.id).toEqual(asked);
    expect(header).toContain("64'h000000000000feed");
  }
});

test('the parameters leave the LEDs out where there are none, and refuse a line too fast for the clock', () => {
  const board = { clock: { hz: 12e6, pin: 'J3' }, serial: { baud: 3e6, rx: '', tx: '' } };
  const leds = { pins: [], activeLow: false };
  expect(gatewareParameters({ ...board, leds }, '0')).not.toContain('LEDS');
  const slow = { ...board, clock: { hz: 11e6, pin: 'J3' }, leds };
  expect(() => gatewareParameters(slow, '0')).toThrow(/12000000 Hz/);
});

test('a build id is cut to its last 64 bits', () => {
  expect(shortBuildId(`${'a'.repeat(48)}0123456789abcdef`)).toBe('0123456789abcdef');
  expect(shortBuildId('5')).toBe('0000000000000005');
  expect(() => shortBuildId('xyz')).toThrow(RangeError);
});
