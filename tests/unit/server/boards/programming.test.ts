import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { ProgramContext } from '../../../../server/boards/board.ts';
import { loadCatalogue } from '../../../../server/boards/catalogue/index.ts';
import { deviceFacts } from '../../../../server/boards/discovery/attached.ts';
import { programIce40 } from '../../../../server/boards/programmers/ice40-mpsse.ts';
import { type Clock, systemClock } from '../../../../server/clock.ts';
import { resourcePath } from '../../../../server/paths.ts';
import { briskClock, briskNow } from '../../../support/boards/brisk-clock.ts';
import { type ComputerOptions, EmulatedComputer } from '../../../support/boards/emulator/computer.ts';
import { Ft2232h, type Ft2232hOptions } from '../../../support/boards/emulator/ft2232h.ts';
import { FtdiChannelBuffers, STATUS } from '../../../support/boards/emulator/ftdi-channel.ts';
import { Ice40Board } from '../../../support/boards/emulator/ice40-board.ts';
import { ModelFabric } from '../../../support/boards/emulator/model-fabric.ts';
import { SpiFlash, type SpiFlashOptions } from '../../../support/boards/emulator/spi-flash.ts';
import { SOAK } from '../../../support/soak.ts';

const bitstream = new Uint8Array(readFileSync(resourcePath('base', 'ice40-hx8k-breakout.bin')));

interface Bench {
  computer: EmulatedComputer;
  chip: Ft2232h;
  board: Ice40Board;
  fabric: ModelFabric;
  log: string[];
  progress: number[];
  context: ProgramContext;
}

function bench(
  jumpers: 'sram' | 'flash',
  options: { flash?: SpiFlashOptions; chip?: Partial<Ft2232hOptions>; computer?: ComputerOptions } = {},
): Bench {
  const fabric = new ModelFabric();
  const board = new Ice40Board({ fabric, jumpers, flash: new SpiFlash(options.flash), now: briskNow });
  const chip = new Ft2232h({ board, ...options.chip });
  const computer = new EmulatedComputer(options.computer);
  computer.plug('1-2', chip);
  const log: string[] = [];
  const progress: number[] = [];
  const context = { log: (line: string) => log.push(line), progress: (f: number) => progress.push(f) };
  return { computer, chip, board, fabric, log, progress, context };
}

const device = async (computer: EmulatedComputer) => (await computer.bus.getDevices())[0]!;
const target = async (computer: EmulatedComputer) => deviceFacts(await device(computer));
const system = ({ bus }: EmulatedComputer) => ({ bus, clock: briskClock });

async function program({ computer, context }: Bench, mode: 'sram' | 'flash') {
  await programIce40(await target(computer), bitstream, mode, context, system(computer));
}

/** What the driver must clean up afterwards, in any case. */
function expectClean({ computer, chip }: Bench) {
  expect(computer.openHandles).toBe(0);
  if (chip.gone) return;
  expect(computer.device('1-2').drivers).toEqual(['ftdi_sio', 'ftdi_sio']);
  expect(chip.channels[0].latency).toBe(16);
  expect(chip.channels[0].bitMode).toBe(0);
}

test('SRAM: the FPGA gets the bitstream to the byte and starts', async () => {
  const it = bench('sram');
  await program(it, 'sram');
  expect(await it.fabric.cdone()).toBe(true);
  expect(Buffer.from(it.fabric.configuration).equals(bitstream)).toBe(true);
  expect(it.board.clocksAfterData).toBeGreaterThanOrEqual(49);
  expect(it.log.at(-1)).toMatch(/CDONE is high/);
  expect(it.progress.at(-1)).toBe(1);
  expect(it.progress).toEqual([...it.progress].sort((a, b) => a - b));
  expectClean(it);
});

test('flash: erased, written, verified, and the FPGA boots from it', async () => {
  const it = bench('flash', { flash: { fill: 0x00 } });
  await program(it, 'flash');
  expect(Buffer.from(it.board.flash.content.subarray(0, bitstream.length)).equals(bitstream)).toBe(true);
  expect(await it.fabric.cdone()).toBe(true);
  expect(it.progress.at(-1)).toBe(1);
  expectClean(it);
});

test.each(['sram', 'flash'] as const)('%s: at full speed, with packets of 64 bytes', async (mode) => {
  const it = bench(mode, { chip: { speed: 'full' } });
  await program(it, mode);
  expect(await it.fabric.cdone()).toBe(true);
  expectClean(it);
});

test('flash: left in continuous-read mode or deep sleep, it is woken', async () => {
  const it = bench('flash');
  it.board.flash.enterContinuousRead();
  await program(it, 'flash');
  it.board.flash.asleep = true;
  await program(it, 'flash');
  expect(await it.fabric.cdone()).toBe(true);
});

test('wrong jumpers: CDONE stays low, and the remedy names the jumpers', async () => {
  const { programmer } = loadCatalogue().get('ice40-hx8k-breakout')!;
  const jumpers = programmer.kind === 'ice40-mpsse' ? programmer.jumpers : undefined;
  const run = async (it: Bench, mode: 'sram' | 'flash', options = {}) =>
    programIce40(await target(it.computer), bitstream, mode, it.context, {
      ...system(it.computer),
      ...options,
    });
  const sram = bench('flash');
  // The design in the flash must run again afterwards.
  sram.board.flash.content.set(bitstream);
  await expect(run(sram, 'sram', { jumpers })).rejects.toMatchObject({
    code: 'cdone_low',
    message: expect.stringMatching(/flash \(ef 40 16 answers\)/),
    remedy: expect.stringMatching(/J6 at 1-2 and 3-4.*J7 open.*mode "flash"/),
  });
  expect(await sram.fabric.cdone()).toBe(true);
  expectClean(sram);
  await expect(run(sram, 'sram')).rejects.toMatchObject({
    remedy: expect.stringMatching(/docs\/boards\.md/),
  });
  const flash = bench('sram');
  await expect(run(flash, 'flash', { jumpers })).rejects.toMatchObject({
    code: 'flash_not_found',
    remedy: expect.stringMatching(/J6 and J7/),
  });
  expectClean(flash);
});

test('flash: existing content is not rewritten, and only different blocks are', async () => {
  const it = bench('flash');
  await program(it, 'flash');
  const { executed, content } = it.board.flash;
  const erasures = () => executed.splice(0).filter((opcode) => opcode === 0xd8).length;
  expect(erasures()).toBe(Math.ceil(bitstream.length / 65_536));

  await program(it, 'flash');
  expect(executed.filter((opcode) => opcode === 0x02 || opcode === 0x06)).toEqual([]);
  expect(erasures()).toBe(0);
  expect(it.log).toContain(`the flash holds these ${bitstream.length} bytes already: nothing is written`);
  expect(it.progress.at(-1)).toBe(1);
  expect(await it.fabric.cdone()).toBe(true);

  content[70_000] = (content[70_000] ?? 0) ^ 0xff;
  it.progress.length = 0;
  await program(it, 'flash');
  expect(erasures()).toBe(1);
  expect(Buffer.from(content.subarray(0, bitstream.length)).equals(bitstream)).toBe(true);
  expect(it.log).toContainEqual(expect.stringMatching(/^erased 1 block of 64 KiB; \d unchanged/));
  expect(it.progress).toEqual([...it.progress].sort((a, b) => a - b));
  expect(it.progress.at(-1)).toBe(1);
  expectClean(it);
});

test('a chip left in loopback with pending responses is resynchronised', async () => {
  const it = bench('flash');
  const other = await device(it.computer);
  await other.open();
  await other.detachKernelDriver(0);
  await other.claimInterface(0);
  await other.transferOut(2, Uint8Array.of(0x84, 0x81, 0x81));
  await other.releaseInterface(0);
  await other.close();
  await program(it, 'flash');
  expect(await it.fabric.cdone()).toBe(true);
});

test('an MPSSE that does not accept commands fails with usb_transfer_failed', async () => {
  const it = bench('sram');
  it.chip.engine.deaf = true;
  const fast: Clock = { ...briskClock, monotonic: () => performance.now() * 50 };
  const run = programIce40(await target(it.computer), bitstream, 'sram', it.context, {
    bus: it.computer.bus,
    clock: fast,
  });
  await expect(run).rejects.toMatchObject({ code: 'usb_transfer_failed' });
  expectClean(it);
});

test('the FPGA gets enough time to clear its memory, even if timers fire a millisecond early', async () => {
  let passed = 0;
  const early: Clock = {
    ...systemClock,
    after: (ms, callback) =>
      systemClock.after(0, () => {
        passed += Math.max(0, ms - 1);
        callback();
      }),
  };
  const fabric = new ModelFabric();
  const board = new Ice40Board({ fabric, now: () => passed });
  const computer = new EmulatedComputer();
  computer.plug('1-2', new Ft2232h({ board }));
  const quiet = { log() {}, progress() {} };
  await programIce40(await target(computer), bitstream, 'sram', quiet, { bus: computer.bus, clock: early });
  expect(await fabric.cdone()).toBe(true);
});

test('a damaged bitstream leaves CDONE low', async () => {
  const it = bench('sram');
  const damaged = bitstream.slice();
  damaged[5000]! ^= 1;
  const run = programIce40(await target(it.computer), damaged, 'sram', it.context, system(it.computer));
  await expect(run).rejects.toMatchObject({ code: 'cdone_low' });
  expectClean(it);
});

test('an FPGA that does not enter reset is not programmed', async () => {
  const it = bench('sram');
  it.board.cdoneStuck = true;
  await expect(program(it, 'sram')).rejects.toMatchObject({ code: 'fpga_not_in_reset' });
  expect(it.fabric.configuration.length).toBe(0);
  expectClean(it);
});

test('a flash that was busy while the computer stalled is polled again, not given up', async () => {
  const it = bench('flash');
  let now = 0;
  // Between two reads of the clock most of the time passes that a page may take.
  const halting: Clock = { ...briskClock, monotonic: () => (now += 400) };
  await programIce40(await target(it.computer), bitstream, 'flash', it.context, {
    bus: it.computer.bus,
    clock: halting,
  });
  expect(await it.fabric.cdone()).toBe(true);
  expectClean(it);
});

test('flash: interrupted at any byte of a write, the next programming recovers it whole', async () => {
  const it = bench('flash', { flash: { busyReads: { erase: 50, page: 20 } } });
  const { flash } = it.board;
  let busy = 0;
  let through = false;
  for (let afterBytes = 20_000; !through; afterBytes += SOAK ? 19_997 : 59_999) {
    flash.content.fill(0);
    it.chip.fault = { kind: 'stall', afterBytes };
    through = await program(it, 'flash').then(
      () => true,
      () => false,
    );
    busy += flash.busy ? 1 : 0;
    it.chip.fault = null;
    await program(it, 'flash');
    expect(Buffer.from(flash.content.subarray(0, bitstream.length)).equals(bitstream)).toBe(true);
  }
  // Erasures and pages continue without polls.
  expect(busy).toBeGreaterThan(0);
  expectClean(it);
});

test('programming fails with flash_timeout when the flash stays busy', async () => {
  const it = bench('flash', { flash: { busyReads: { erase: 5, page: 1 << 30 } } });
  await expect(program(it, 'flash')).rejects.toMatchObject({ code: 'flash_timeout' });
  expectClean(it);
});

test('a protected or worn flash fails the verification, with the address', async () => {
  const guarded = bench('flash', { flash: { protectedBelow: 1 << 20 } });
  await expect(program(guarded, 'flash')).rejects.toMatchObject({
    code: 'flash_verify_failed',
    message: expect.stringMatching(/0xff instead of 0x\w\w at address 0x0000\w\w/),
  });
  expectClean(guarded);
  const set = bitstream.findIndex((byte, at) => at > 70_000 && byte !== 0);
  const worn = bench('flash', { flash: { stuckAt: set } });
  await expect(program(worn, 'flash')).rejects.toMatchObject({
    code: 'flash_verify_failed',
    message: expect.stringContaining(`at address 0x${set.toString(16).padStart(6, '0')}`),
  });
  expectClean(worn);
});

test('missing permission, another program, no driver: reported before any access', async () => {
  const denied = bench('sram');
  denied.computer.device('1-2').permitted = false;
  await expect(program(denied, 'sram')).rejects.toMatchObject({ code: 'usb_permission_denied' });

  const busy = bench('sram');
  const other = await device(busy.computer);
  await other.open();
  await other.detachKernelDriver(0);
  await other.claimInterface(0);
  await expect(program(busy, 'sram')).rejects.toMatchObject({ code: 'usb_busy' });
  // The other program continues: it keeps its interface.
  await expect(other.transferIn(1, 512)).resolves.toMatchObject({ status: 'ok' });
  expect(busy.computer.device('1-2').drivers).toEqual([null, 'ftdi_sio']);
  await other.releaseInterface(0);
  await other.close();
  expect(busy.computer.openHandles).toBe(0);
  expect(busy.chip.requests).toEqual([]);

  const windows = bench('sram', { computer: { system: 'windows' } });
  await expect(program(windows, 'sram')).rejects.toMatchObject({ code: 'usb_driver_missing' });
  expect(windows.computer.openHandles).toBe(0);
});

test.each(['sram', 'flash'] as const)(
  '%s: the serial port of channel B persists while channel A is used',
  async (mode) => {
    const it = bench(mode);
    const before = [...it.computer.serial.ports.values()].find((port) => port.interfaceNumber === 1)!.path;
    let during: number[] = [];
    it.context.progress = () => {
      during = [...it.computer.serial.ports.values()].map((port) => port.interfaceNumber);
    };
    await program(it, mode);
    expect(during).toEqual([1]);
    const after = [...it.computer.serial.ports.values()];
    expect(after.find((port) => port.interfaceNumber === 1)?.path).toBe(before);
    expect(after.map((port) => port.interfaceNumber).sort()).toEqual([0, 1]);
  },
);

test.each(['stall', 'timeout'] as const)(
  'a %s fails the transfer, and the chip is restored',
  async (kind) => {
    const it = bench('sram');
    it.chip.fault = { kind, afterBytes: 50_000 };
    await expect(program(it, 'sram')).rejects.toMatchObject({ code: 'usb_transfer_failed' });
    expectClean(it);
  },
);

test('aborted during programming: rejects with the signal’s reason and restores the chip', async () => {
  const it = bench('sram');
  const abort = new AbortController();
  const context = { ...it.context, signal: abort.signal, progress: () => abort.abort() };
  const run = programIce40(await target(it.computer), bitstream, 'sram', context, system(it.computer));
  await expect(run).rejects.toMatchObject({ code: 'programming_aborted' });
  expectClean(it);
});

test('a chip left amid a command by a killed program accepts the next one', async () => {
  const it = bench('sram');
  const other = await device(it.computer);
  await other.open();
  await other.detachKernelDriver(0);
  await other.claimInterface(0);
  const setup = {
    requestType: 'vendor',
    recipient: 'device',
    request: 0x0b,
    value: 0x02ff,
    index: 1,
  } as const;
  await other.controlTransferOut(setup, new Uint8Array(0));
  await other.transferOut(2, Uint8Array.of(0x11, 0xff, 0xff, 1, 2, 3));
  // The system closes what a killed program had open; the driver stays away.
  await other.releaseInterface(0);
  await other.close();
  await program(it, 'sram');
  expect(await it.fabric.cdone()).toBe(true);
  // And the port that the killed program had taken is back.
  expectClean(it);
});

test('the emulated chip sends no empty packet while it works on a command', async () => {
  const channel = new FtdiChannelBuffers('instant');
  await channel.receive(Uint8Array.of(1));
  await channel.take(1);
  const packet = channel.send(512);
  // Longer than it waits for an answer at rest.
  await new Promise((resolve) => setTimeout(resolve, 10));
  channel.give(Uint8Array.of(7));
  expect([...((await packet) ?? [])]).toEqual([...STATUS, 7]);
});
