import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { basedBoards, buildGates } from '../../../resources/base/rebuild.ts';
import { loadCatalogue, VIRTUAL_BOARD } from '../../../server/boards/catalogue/index.ts';
import { resourcePath } from '../../../server/paths.ts';
import { baseAhead, gatesFile } from '../../../server/toolchain/build/ahead/base-gates.ts';
import {
  gatewareParameters,
  gatewareSources,
  identifierOf,
  shortBuildId,
} from '../../../server/toolchain/build/gateware.ts';
import { createEmbeddedEngine } from '../../../server/toolchain/engines/embedded/embedded-engine.ts';
import { embeddedVersion } from '../../../server/toolchain/engines/embedded/tool-packages.ts';
import { BASE_GATES } from '../../../server/toolchain/families/family.ts';
import { familyOf } from '../../../server/toolchain/families/index.ts';
import { runningTime } from '../../support/running-time.ts';
import { SOAK } from '../../support/soak.ts';
import { freshToolchain } from '../../support/toolchain/build/support.ts';
import { storedRuns } from '../../support/toolchain/support.ts';

describe('resources/ matches what its sources generate', () => {
  const board = loadCatalogue().get(VIRTUAL_BOARD)!;
  // On a difference: `npm run generate -- base`, and commit what it writes.
  const { toolchain, dispose } = freshToolchain();
  const engine = createEmbeddedEngine(storedRuns);
  afterAll(() => Promise.all([dispose(), engine.close()]));

  test('the base bitstream, which is built and cached if resources/ does not contain it', async () => {
    const ready = await toolchain.baseBitstream(board);
    expect(Buffer.from(ready).equals(readFileSync(resourcePath('base', `${VIRTUAL_BOARD}.bin`)))).toBe(true);
    // The same board under a name that is not in resources.
    const unknown = { ...board, id: 'unknown-board' };
    const built = Buffer.from(await toolchain.baseBitstream(unknown));
    expect(built.equals(Buffer.from(ready))).toBe(true);
    const ranFor = await runningTime();
    expect(built.equals(Buffer.from(await toolchain.baseBitstream(unknown)))).toBe(true);
    expect(ranFor()).toBeLessThan(4000);
  });

  // In every run, `npm run check` holds them to their sources by digest, and ahead.test.ts does in simulation.
  if (SOAK)
    test('the gates', async () => {
      const gates = await buildGates(board, engine);
      expect(String(brotliDecompressSync(gates))).toBe(
        String(brotliDecompressSync(readFileSync(gatesFile(board)))),
      );
    });
});

test('every board that the embedded tools build for has a base bitstream and gates of today’s sources and tools', async () => {
  const versions = { yosys: embeddedVersion('yosys') };
  const sources = await gatewareSources();
  for (const board of basedBoards()) {
    const bytes = readFileSync(resourcePath('base', `${board.id}.bin`));
    expect(bytes.includes(Buffer.from([0x7e, 0xaa, 0x99, 0x7e])), board.id).toBe(true);
    const family = familyOf(board);
    const inputs = { board, family, versions };
    const gates = String((await baseAhead(inputs, '0123456789abcdef', sources))?.files[BASE_GATES]);
    // They contain the id, once and whole, and no other one.
    const withId = (from: string) => family.ahead?.replaceBuildId(gates, from, 'f'.repeat(16));
    expect(withId('0123456789abcdef'), board.id).not.toBe(gates);
    expect(() => withId('0123456789abcdee'), board.id).toThrow('0 block RAMs');
    // Files of other tools or of another board are not used.
    const others = [
      { ...inputs, versions: { yosys: 'Yosys 0' } },
      { ...inputs, board: { ...board, name: `${board.name} II` } },
    ];
    for (const other of others) expect(await baseAhead(other, '0', sources), board.id).toBe(null);
  }
});

test('every board’s parameter header defines what the top module requires', async () => {
  const top = (await gatewareSources())['wishbench_top.v'] ?? '';
  const asked = new Set([...top.matchAll(/`(WISHBENCH_\w+)/g)].map(([, name]) => name));
  for (const board of loadCatalogue().boards) {
    const header = gatewareParameters(board, 'feed');
    const defined = [...header.matchAll(/^`define (\w+) (\S+)$/gm)].map(([, name]) => name);
    // Only where the board has such pins.
    const { leds, driveHigh = [], clock } = board;
    const absent = [
      ...(leds.pins.length > 0 ? [] : ['WISHBENCH_LEDS', 'WISHBENCH_LEDS_ACTIVE_LOW']),
      ...(driveHigh.length > 0 ? [] : ['WISHBENCH_HIGH']),
      ...(clock.user ? [] : ['WISHBENCH_CLOCK_HALVINGS']),
      // Only for designs with ports outside the bus.
      ...['WISHBENCH_PINS_IN', 'WISHBENCH_PINS_OUT', 'WISHBENCH_PINS_INITIAL'],
      // Only where signals are probed.
      ...['WISHBENCH_PROBES', 'WISHBENCH_CAPTURE_DEPTH_LOG2'],
      // Only where pins are a serial line.
      ...['WISHBENCH_TERMINAL_IN', 'WISHBENCH_TERMINAL_OUT', 'WISHBENCH_TERMINAL_CLOCKS'],
      // Only where one of them is bound to pins of the board.
      ...['WISHBENCH_BOUND_PORTS', 'WISHBENCH_BOUND_CONNECTIONS'],
    ];
    const wanted = [...asked].filter((name) => !absent.includes(name ?? ''));
    expect(new Set(defined), board.id).toEqual(new Set(wanted));
    expect(header).toContain("64'h000000000000feed");
  }
});

test('the parameters omit absent LEDs and reject a line rate too fast for the clock', () => {
  const board = { name: 'a board', clock: { hz: 12e6, pin: 'J3' }, serial: { baud: 3e6, rx: '', tx: '' } };
  const leds = { pins: [], activeLow: false };
  expect(gatewareParameters({ ...board, leds }, '0')).not.toContain('LEDS');
  const slow = { ...board, clock: { hz: 11e6, pin: 'J3' }, leds };
  expect(() => gatewareParameters(slow, '0')).toThrow(/12000000 Hz/);
});

test('the identifier is printable and leaves room for its terminating 0', () => {
  expect(identifierOf({ name: 'iCEstick' })).toBe('Wishbench on iCEstick');
  const long = identifierOf({ name: `Überlang\n${'x'.repeat(100)}` });
  expect(long).toMatch(/^Wishbench on \?berlang\?x+$/);
  expect(long).toHaveLength(63);
  for (const board of loadCatalogue().boards)
    expect(identifierOf(board), board.id).toBe(`Wishbench on ${board.name}`);
});

test('a build id is cut to its last 64 bits', () => {
  expect(shortBuildId(`${'a'.repeat(48)}0123456789abcdef`)).toBe('0123456789abcdef');
  expect(shortBuildId('5')).toBe('0000000000000005');
  expect(() => shortBuildId('xyz')).toThrow(RangeError);
});
