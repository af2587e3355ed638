import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { loadCatalogue } from '../../../../server/boards/catalogue/index.ts';
import { isLineRates, type LineRates, transientLineRates } from '../../../../server/boards/line-rates.ts';
import { LineRateMemory } from '../../../../server/boards/real/line-rate-memory.ts';
import { bridgeCan } from '../../../../server/boards/serial/bridge-rates.ts';
import { createFabric } from '../../../../server/boards/virtual/create-fabric.ts';
import type { Fabric } from '../../../../server/boards/virtual/fabric.ts';
import { systemClock } from '../../../../server/clock.ts';
import { silentLogger } from '../../../../server/log.ts';
import { openStore } from '../../../../server/store/index.ts';
import { measureLineRate } from '../../../../server/wishbone/line-rate.ts';
import { briskClock } from '../../../support/boards/brisk-clock.ts';
import { Ft2232h } from '../../../support/boards/emulator/ft2232h.ts';
import { Ice40Board } from '../../../support/boards/emulator/ice40-board.ts';
import { ModelFabric } from '../../../support/boards/emulator/model-fabric.ts';
import { closeLabs, eventually, hx8kBitstream, lab } from '../../../support/boards/lab.ts';
import { NoisyWire } from '../../../support/boards/noisy-wire.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

const DEFINITION = 'ice40-hx8k-breakout';
const ID = 'usb:LAT001';
const assigned = { 0: { board: ID, definition: DEFINITION } };
const fabrics: Fabric[] = [];
const chips: Ft2232h[] = [];

afterEach(async () => {
  await closeLabs();
  for (const chip of chips.splice(0)) chip.unplug();
  for (const fabric of fabrics.splice(0)) await fabric.close();
});

/** The virtual board's fabric, which executes its bitstream. */
function executingFabric(): Fabric {
  const definition = loadCatalogue().get(DEFINITION);
  if (!definition) throw new Error(`no ${DEFINITION}`);
  const { fpga, clock, serial } = definition;
  const fabric = createFabric({ package: fpga.package, clock, rx: serial.rx, tx: serial.tx });
  fabrics.push(fabric);
  return fabric;
}

/** A programmed board at the end of a wire, in slot 0. */
async function plugged(wire: NoisyWire, lineRates = transientLineRates()) {
  const made = await lab({ assignments: assigned, clock: briskClock, lineRates });
  const chip = new Ft2232h({ board: new Ice40Board({ fabric: wire, jumpers: 'sram' }), serial: 'LAT001' });
  chips.push(chip);
  made.computer.plug('1-2', chip);
  await eventually(() => made.pool.board(0).view.present, 'the board is present');
  const board = made.pool.board(0);
  // Directly: the programmer would not wait for as long as a busy computer may need to translate the bitstream.
  await wire.configure(hx8kBitstream());
  expect(await wire.cdone()).toBe(true);
  const told = () => made.pool.list()[0]?.line_rate;
  return { ...made, board, told, lineRates };
}

const words = (length: number) => Uint32Array.from({ length }, (_, at) => (at * 2_654_435_761) >>> 0);

describe.each([
  ['a model of the base SoC', () => new ModelFabric()],
  ['the bitstream, executed', executingFabric],
])('%s behind an emulated FT2232H', (_, makeFabric) => {
  test.each([
    [5_000_000, 3_000_000],
    [2_500_000, 2_000_000],
    [1_500_000, 1_000_000],
    [500_000, 115_200],
  ])('on a wire limited to %i baud, the link settles at %i', async (limit, rate) => {
    const wire = new NoisyWire(makeFabric(), { limit });
    const { board, told, lineRates } = await plugged(wire);
    expect(told()).toBeNull();
    const link = await board.openLink();
    expect(link.lineRate).toBe(rate);
    expect(told()).toBe(rate);
    expect(wire.baud).toBe(rate);
    expect(await link.identity()).toMatchObject({ clockHz: 12_000_000 });
    await link.close();
    expect(told()).toBe(rate);
    expect(lineRates.value[ID]?.rate).toBe(rate);
    // A stored rate is not tried again.
    const { damaged } = wire;
    const again = await board.openLink();
    expect(again.lineRate).toBe(rate);
    expect(wire.damaged).toBe(damaged);
    await again.close();
  });
});

test('corruption in operation fails the transfer, and the next link runs one step slower', async () => {
  const wire = new NoisyWire(new ModelFabric());
  const { board, told } = await plugged(wire);
  const link = await board.openLink();
  expect(await link.write(0, words(500))).toMatchObject({ ok: true });
  wire.limit = 2_500_000;
  await expect(link.read(0, 500)).rejects.toMatchObject({ code: /link_(corrupted|silent)/ });
  await link.close();
  const next = await board.openLink();
  expect(next.lineRate).toBe(2_000_000);
  expect(told()).toBe(2_000_000);
  expect(await next.read(0, 500)).toEqual({ ok: true, data: words(500) });
  await next.close();
});

test('a board whose last program was killed is found together with its line rate', async () => {
  const wire = new NoisyWire(new ModelFabric());
  const { board, computer } = await plugged(wire);
  await board.openLink();
  const port = [...computer.serial.ports.values()].find(({ opened }) => opened);
  await port?.opened?.close();
  // As after kill -9: the board got no message, and no process holds the port.
  const { pool } = await lab({ assignments: assigned, clock: briskClock, computer });
  await eventually(() => pool.board(0).view.present, 'the board is present');
  const link = await pool.board(0).openLink();
  expect(link.lineRate).toBe(3_000_000);
  expect(await link.read(0, 5)).toMatchObject({ ok: true });
  await link.close();
});

test('measuring over the board’s link: words, errors and a rate that fails', async () => {
  const wire = new NoisyWire(new ModelFabric(), { limit: 2_500_000, every: 3_000 });
  const { board } = await plugged(wire);
  const link = await board.openLink();
  expect(link.lineRates).toEqual([115_200, 1_000_000, 2_000_000, 3_000_000]);
  for (const rate of link.lineRates.slice(0, 3))
    expect(await measureLineRate(link, rate, 2_000, systemClock)).toMatchObject({
      rate,
      words: 2_000,
      errors: 0,
    });
  const bad = await measureLineRate(link, 3_000_000, 2_000, systemClock);
  expect(bad.errors).toBeGreaterThan(0);
  expect(await link.read(0, 5)).toMatchObject({ ok: true });
  await link.close();
});

test('the rate survives a restart of the service, in a separate file', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'wishbench-line-rates-'));
  try {
    const options = { logger: silentLogger };
    const first = await openStore(folder, options);
    const { board } = await plugged(
      new NoisyWire(new ModelFabric(), { limit: 2_500_000 }),
      await first.document('line-rates', {}, isLineRates),
    );
    await (await board.openLink()).close();
    await closeLabs();
    await first.close();
    const second = await openStore(folder, options);
    const kept = await second.document('line-rates', {}, isLineRates);
    expect(kept.value[ID]?.rate).toBe(2_000_000);
    await second.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
});

describe('stored line rate', () => {
  const DAY = 24 * 60 * 60 * 1000;

  function memory(initial: LineRates = {}) {
    const store = transientLineRates();
    void store.write(initial);
    const clock = new FakeClock();
    return { store, clock, known: new LineRateMemory({ board: ID, store, clock, logger: silentLogger }) };
  }

  /** A link whose line carries every rate. */
  function fakeLink() {
    const tried: number[] = [];
    const link = {
      lineRate: 115_200,
      lineRates: [115_200, 1_000_000, 2_000_000, 3_000_000],
      async setLineRate(rate: number) {
        tried.push(rate);
        link.lineRate = rate;
      },
      read: async () => ({ ok: true as const, data: new Uint32Array(0) }),
      write: async () => ({ ok: true as const, data: new Uint32Array(0) }),
      identity: async () => ({ version: 2, clockHz: 12_000_000, buildId: '' }),
      close: async () => {},
    };
    return { link, tried };
  }

  test('a rate below the highest is probed upwards after a day, the highest never', async () => {
    const { known, clock, store } = memory();
    known.failed(3_000_000, fakeLink().link.lineRates);
    expect(known.rate).toBe(2_000_000);
    const soon = fakeLink();
    await known.settle(soon.link);
    expect(soon.tried).toEqual([2_000_000]);
    clock.advance(DAY + 1);
    const later = fakeLink();
    await known.settle(later.link);
    expect(later.tried).toEqual([1_000_000, 2_000_000, 3_000_000]);
    expect(store.value[ID]?.rate).toBe(3_000_000);
    clock.advance(2 * DAY);
    const highest = fakeLink();
    await known.settle(highest.link);
    expect(highest.tried).toEqual([3_000_000]);
  });

  test('one failure lowers the rate by one step, however many transfers fail; the first rate has none below', () => {
    const { known } = memory();
    const { lineRates } = fakeLink().link;
    for (let i = 0; i < 5; i++) known.failed(2_000_000, lineRates);
    expect(known.rate).toBe(1_000_000);
    known.failed(115_200, lineRates);
    expect(known.rate).toBe(1_000_000);
  });

  test('an invalid file is rejected', () => {
    expect(isLineRates({ [ID]: { rate: 2_000_000, at: 5 } })).toBe(true);
    for (const wrong of [null, [], { [ID]: 3 }, { [ID]: { rate: 'fast', at: 1 } }])
      expect(isLineRates(wrong)).toBe(false);
  });
});

test('the rates of the chips are those of FTDI’s AN_120', () => {
  for (const rate of [115_200, 1_000_000, 2_000_000, 3_000_000]) {
    expect(bridgeCan('ft2232h', rate), `${rate}`).toBe(true);
    expect(bridgeCan('ft231x', rate), `${rate}`).toBe(true);
  }
  expect(bridgeCan('ft2232h', 12_000_000)).toBe(true);
  expect(bridgeCan('ft2232h', 6_000_000)).toBe(true);
  expect(bridgeCan('ft2232h', 10_000_000)).toBe(false);
  expect(bridgeCan('ft231x', 2_500_000)).toBe(false);
  expect(bridgeCan('ft231x', 6_000_000)).toBe(false);
  expect(bridgeCan('ft231x', 1_500_000)).toBe(true);
});
