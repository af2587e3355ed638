import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../../../../server/clock.ts';
import { packIce40 } from '../../../../../../server/toolchain/build/pack/pack.ts';
import { packInThread } from '../../../../../../server/toolchain/build/pack/pack-thread.ts';
import { closeTools, runEmbedded } from '../../../../../support/boards/virtual/tools.ts';
import { SOAK } from '../../../../../support/soak.ts';

/** One part of each die. */
const PARTS = ['lp384 qn32', 'hx1k tq144', 'u4k sg48', 'up5k sg48', 'hx8k ct256'];
const NO_DESIGN =
  '{"modules": {"top": {"attributes": {"top": "1"}, "ports": {}, "cells": {}, "netnames": {}}}}';

const installed = spawnSync('icepack', ['-h']).error === undefined;
if (!installed) process.stderr.write('icepack is not installed: only the embedded one is compared with\n');

/** nextpnr's own text form of a chip without a design: all its tiles, each of the right kind. */
async function blank(part: string): Promise<string> {
  const [device, pins = ''] = part.split(' ');
  const args = [`--${device}`, '--package', pins, '-q', '--json', 'd.json', '--asc', 'd.asc'];
  const files = await runEmbedded('nextpnr-ice40', args, { 'd.json': NO_DESIGN }, ['d.asc']);
  return Buffer.from(files['d.asc'] ?? []).toString();
}

/** Random numbers below 1 that a seed decides: xorshift of 32 bits. */
function randomFrom(seed: number): () => number {
  let state = seed | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

interface Change {
  seed: number;
  /** Part of the bits that are 1. */
  density: number;
  comment: string[] | null;
  warmBoot: 'enabled' | 'disabled' | null;
}

/** The text form with other bits in all tiles, contents in all block RAMs, and a comment. */
function changed(text: string, { seed, density, comment, warmBoot }: Change): string {
  const random = randomFrom(seed);
  const hex = () => Math.floor(random() * 16).toString(16);
  const lines = text
    .replace(/^\.comment.*\n/, '')
    .replace(/^[01]+$/gm, (bits) => bits.replace(/./g, () => (random() < density ? '1' : '0')));
  const rams = [...text.matchAll(/^\.ramb_tile (\d+ \d+)$/gm)]
    .filter(() => random() < 0.7)
    .map(
      ([, at]) =>
        `.ram_data ${at}\n${Array.from({ length: 16 }, () => `${Array.from({ length: 64 }, hex).join('')}\n`).join('')}`,
    );
  const extra = Array.from(
    { length: 4 },
    (_, k) => `.extra_bit ${k} ${Math.floor(random() * 100)} ${Math.floor(random() * 60)}\n`,
  );
  return [
    ...(comment === null ? [] : [['.comment made for a test', ...comment, ''].join('\n')]),
    lines,
    ...(warmBoot === null ? [] : [`.warmboot ${warmBoot}\n`]),
    ...rams,
    ...extra,
    '.sym 12 some.signal\n',
  ].join('');
}

const change: fc.Arbitrary<Change> = fc.record({
  seed: fc.integer(),
  density: fc.constantFrom(0.01, 0.5, 0.99),
  comment: fc.option(fc.array(fc.stringMatching(/^[a-z ]{0,12}$/), { maxLength: 3 })),
  warmBoot: fc.constantFrom(null, 'enabled', 'disabled'),
});

afterAll(closeTools);

describe.each(PARTS)('for an %s', (part) => {
  let text = '';
  beforeAll(async () => {
    text = await blank(part);
  });

  test('packs the same bytes as icepack', async () => {
    await fc.assert(
      fc.asyncProperty(change, async (how) => {
        const asc = Buffer.from(changed(text, how));
        const packed = Buffer.from(packIce40(asc));
        const files = await runEmbedded('icepack', ['d.asc', 'd.bin'], { 'd.asc': asc }, ['d.bin']);
        expect(packed.equals(files['d.bin'] ?? Buffer.of())).toBe(true);
        if (installed) {
          const { stdout, status } = spawnSync('icepack', { input: asc });
          expect(status).toBe(0);
          expect(packed.equals(stdout)).toBe(true);
        }
      }),
      { numRuns: SOAK ? 60 : 1 },
    );
  });
});

test.each([
  ['', 'the .device line is missing'],
  ['.device 9k\n', 'line 1: unknown die 9k'],
  ['.device 1k\n.device 1k\n', 'line 2: second .device line'],
  ['.logic_tile 1 1\n', 'line 1: the .device line is missing'],
  ['.device 1k\n.flash_tile 1 1\n', 'line 2: unknown statement .flash_tile'],
  ['.device 1k\n01\n', 'line 2: unexpected data line'],
  ['.device 1k\n.logic_tile 14 1\n', 'line 2: no tile at 14 1'],
  ['.device 1k\n.io_tile 0 0\n', 'line 2: no tile at 0 0'],
  ['.device 1k\n.io_tile 1 1\n', 'line 2: wrong type of tile at 1 1'],
  ['.device 1k\n.logic_tile 1\n', 'line 2: expected 2 numbers, not "1"'],
  ['.device 1k\n.logic_tile 1 1\n010\n', 'line 3: wrong size of tile at 1 1'],
  [`.device 1k\n.io_tile 1 0\n${`${'0'.repeat(18)}\n`.repeat(17)}`, 'line 19: wrong size of tile at 1 0'],
  [`.device 1k\n.io_tile 1 0\n${'2'.repeat(18)}\n`, 'line 3: a bit of the tile at 1 0 is neither 0 nor 1'],
  ['.device 1k\n.ram_data 3 2\n', 'line 2: no block RAM at 3 2'],
  ['.device 384\n.ram_data 3 1\n', 'line 2: no block RAM at 3 1'],
  [
    '.device 1k\n.ram_data 3 1\nAF\n',
    'line 3: the contents of the block RAM at 3 1 are not 16 lines of 64 digits',
  ],
  ['.device 1k\n.extra_bit 4 0 0\n', 'line 2: .extra_bit 4 0 0 names no bank'],
  ['.device 1k\n.extra_bit 0 332 0\n', 'line 2: .extra_bit 0 332 0 is outside its bank'],
  ['.device 1k\n.warmboot often\n', 'line 2: unknown .warmboot value often'],
])('rejects %j', (text, message) => {
  expect(() => packIce40(Buffer.from(text))).toThrow(message);
});

describe('the packing thread', () => {
  const text = Buffer.from('.comment\n.device 384\n');
  const options = { clock: systemClock, deadline: 60 };

  test('makes the same bitstream', async () => {
    expect(Buffer.from(await packInThread(text, options)).equals(packIce40(text))).toBe(true);
  });

  test('reports unreadable input', async () => {
    await expect(packInThread(Buffer.from('.device 9k\n'), options)).rejects.toMatchObject({
      code: 'tool_failed',
      message: 'The output of place and route cannot be packed: line 1: unknown die 9k.',
    });
  });

  test('ends with the build and at its deadline', async () => {
    const stop = new AbortController();
    const packing = packInThread(text, { ...options, signal: stop.signal });
    stop.abort();
    await expect(packing).rejects.toMatchObject({ code: 'build_aborted' });
    await expect(packInThread(text, { ...options, signal: stop.signal })).rejects.toMatchObject({
      code: 'build_aborted',
    });
    const atOnce = {
      ...systemClock,
      after(_: number, then: () => void) {
        then();
        return () => {};
      },
    };
    await expect(packInThread(text, { ...options, clock: atOnce })).rejects.toMatchObject({
      code: 'tool_deadline',
    });
  });
});
