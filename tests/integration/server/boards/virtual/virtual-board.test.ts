import { afterAll, expect, test } from 'vitest';
import { loadCatalogue, VIRTUAL_BOARD } from '../../../../../server/boards/catalogue/index.ts';
import { createVirtualBoard } from '../../../../../server/boards/virtual/virtual-board.ts';
import { systemClock } from '../../../../../server/clock.ts';
import { silentLogger } from '../../../../../server/log.ts';
import { baseBitstream, landmarks } from '../../../../support/boards/virtual/bitstreams.ts';

const definition = loadCatalogue().get(VIRTUAL_BOARD);
if (!definition) throw new Error(`no ${VIRTUAL_BOARD} in the catalogue`);
const board = createVirtualBoard(3, definition, { logger: silentLogger, clock: systemClock });
const base = baseBitstream();
const quietly = { log: () => {}, progress: () => {} };

afterAll(() => board.close());

test('a virtual board describes itself', () => {
  expect(board.view).toMatchObject({ slot: 3, id: 'virtual:3', kind: 'virtual', present: true });
});

test('programming delivers the bitstream, reports progress and ends with CDONE high', async () => {
  const fractions: number[] = [];
  const lines: string[] = [];
  await board.program(base, {
    log: (line) => lines.push(line),
    progress: (fraction) => fractions.push(fraction),
  });
  expect(fractions).toEqual([...fractions].sort((a, b) => a - b));
  expect(fractions.at(-1)).toBe(1);
  expect(lines.join()).toContain('CDONE is high');
});

test('the board carries one link at a time, which can be reopened', async () => {
  for (let time = 0; time < 2; time++) {
    const link = await board.openLink();
    expect(await link.identity()).toMatchObject({ clockHz: definition.clock.hz });
    await expect(board.openLink()).rejects.toMatchObject({ code: 'port_busy' });
    await link.close();
  }
});

test('programming ends an open link', async () => {
  const link = await board.openLink();
  await board.program(base, quietly);
  await expect(link.read(0xf000_0000, 1)).rejects.toMatchObject({ code: expect.stringMatching(/^link_/) });
  const again = await board.openLink();
  expect(await again.identity()).toMatchObject({ clockHz: definition.clock.hz });
  await again.close();
});

test('a bitstream that the board refuses is an error with the reason', async () => {
  const damaged = Uint8Array.from(base);
  const { covered } = landmarks(base);
  damaged[covered + 9999] = (damaged[covered + 9999] ?? 0) ^ 1;
  await expect(board.program(damaged, quietly)).rejects.toMatchObject({ code: 'fabric_crc' });
  await expect(board.program(base.subarray(0, 1000), quietly)).rejects.toMatchObject({
    code: 'fabric_incomplete',
  });
  await expect(board.program(new Uint8Array(0), quietly)).rejects.toMatchObject({
    code: 'fabric_incomplete',
  });
  await expect(board.program(baseBitstream('icestick'), quietly)).rejects.toMatchObject({
    code: 'fabric_wrong_device',
  });
  await board.program(base, quietly);
});

test('programming can be aborted, and only one runs at a time', async () => {
  await expect(board.program(base, { ...quietly, signal: AbortSignal.abort() })).rejects.toMatchObject({
    code: 'programming_aborted',
  });
  const first = board.program(base, quietly);
  await expect(board.program(base, quietly)).rejects.toMatchObject({ code: 'board_in_use' });
  await first;
});
