import { afterEach, expect, test } from 'vitest';
import type { OpenFpgaLoader } from '../../../../server/boards/programmers/openfpgaloader.ts';
import { boardsError } from '../../../../server/errors/boards.ts';
import { GATEWARE_VERSION } from '../../../../server/toolchain/build/gateware.ts';
import { briskClock } from '../../../support/boards/brisk-clock.ts';
import {
  closeLabs,
  eventually,
  hx8kBitstream,
  lab,
  modelBoard,
  plugAgain,
  quietContext,
  seen,
} from '../../../support/boards/lab.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

afterEach(closeLabs);

const assigned = { 0: { board: 'usb:LAT001', definition: 'ice40-hx8k-breakout' } };

/** A bench with an HX8K board in slot 0, plugged into socket 1-2. */
async function withBoard() {
  const made = await lab({ assignments: assigned, clock: briskClock });
  const hardware = modelBoard({ serial: 'LAT001' });
  made.computer.plug('1-2', hardware.chip);
  await eventually(() => made.pool.board(0).view.present, 'the board is present');
  return { ...made, ...hardware, board: made.pool.board(0) };
}

/** The board programmed with the base bitstream, its link open. */
async function withLink() {
  const made = await withBoard();
  await made.board.program(hx8kBitstream(), quietContext);
  return { ...made, link: await made.board.openLink() };
}

async function code(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'nothing',
    (error: { code?: string }) => error.code ?? String(error),
  );
}

test('program, identify, write, read, close: the whole way through the production driver and link', async () => {
  const { board, fabric, computer } = await withBoard();
  fabric.buildId = '0123456789abcdef';
  const lines: string[] = [];
  await board.program(hx8kBitstream(), { log: (line) => lines.push(line), progress() {} });
  expect(lines.at(-1)).toMatch(/CDONE is high/);
  const link = await board.openLink();
  expect(await link.identity()).toEqual({
    version: GATEWARE_VERSION,
    clockHz: 12_000_000,
    buildId: '0123456789abcdef',
  });
  const words = Uint32Array.from({ length: 600 }, (_, at) => (at * 2_654_435_761) >>> 0);
  expect(await link.write(0x1000, words)).toMatchObject({ ok: true });
  const back = await link.read(0x1000, 600);
  expect(back).toEqual({ ok: true, data: words });
  expect(fabric.baud).toBe(3_000_000);
  await link.close();
  expect(computer.openHandles).toBe(0);
});

test('the whole way at full speed, where packets are 64 bytes', async () => {
  const made = await lab({ assignments: assigned, clock: briskClock });
  const { chip } = modelBoard({ serial: 'LAT001', speed: 'full' });
  made.computer.plug('1-2', chip);
  await eventually(() => made.pool.board(0).view.present, 'the board is present');
  const board = made.pool.board(0);
  await board.program(hx8kBitstream(), quietContext);
  const link = await board.openLink();
  const words = Uint32Array.from({ length: 300 }, (_, at) => (at * 2_654_435_761) >>> 0);
  expect(await link.write(0x1000, words)).toMatchObject({ ok: true });
  expect(await link.read(0x1000, 300)).toEqual({ ok: true, data: words });
  await link.close();
});

// Only the driver of Linux has that switch.
test.skipIf(process.platform !== 'linux')(
  'the driver is set to low latency: the chip answers after 1 ms',
  async () => {
    const { chip, link } = await withLink();
    expect(chip.channels[1].latency).toBe(1);
    await link.close();
  },
);

test('one link at a time; programming ends an open one', async () => {
  const { board, link, computer } = await withLink();
  expect(await code(board.openLink())).toBe('board_in_use');
  await board.program(hx8kBitstream(), quietContext);
  expect(await code(link.read(0, 1))).toBe('link_closed');
  const again = await board.openLink();
  expect(await again.read(0, 1)).toMatchObject({ ok: true });
  await again.close();
  expect(computer.openHandles).toBe(0);
});

test('of two simultaneous operations the second is refused, and the first completes', async () => {
  const { board } = await withBoard();
  const first = board.program(hx8kBitstream(), quietContext);
  expect(await code(board.program(hx8kBitstream(), quietContext))).toBe('board_in_use');
  await first;
});

test('an absent board refuses programming and links, with the reason', async () => {
  const { pool } = await lab({ assignments: assigned });
  const board = pool.board(0);
  const refused = { code: 'board_absent', message: 'The board with serial number LAT001 is not plugged in.' };
  await expect(board.program(hx8kBitstream(), quietContext)).rejects.toMatchObject(refused);
  await expect(board.openLink()).rejects.toMatchObject(refused);
});

test('a busy port, a forbidden one, a missing one and a silent board have distinct codes', async () => {
  const { board, computer, fabric, chip } = await withBoard();
  await board.program(hx8kBitstream(), quietContext);
  const port = [...computer.serial.ports.values()].find(({ interfaceNumber }) => interfaceNumber === 1)!;

  const terminal = await (await computer.serialPorts.binding()).open({ path: port.path, baudRate: 115_200 });
  expect(await code(board.openLink())).toBe('port_busy');
  await terminal.close();

  port.permitted = false;
  expect(await code(board.openLink())).toBe('port_permission_denied');
  port.permitted = true;

  fabric.mute = true;
  expect(await code(board.openLink())).toBe('link_silent');
  fabric.mute = false;

  const link = await board.openLink();
  chip.unplug();
  expect(await code(link.read(0, 1))).toBe('board_vanished');
  await eventually(() => computer.openHandles === 0, 'nothing is held');
});

test('device and port that appear before their permissions are retried', async () => {
  const made = await lab({ assignments: assigned, clock: briskClock, rightsDelay: 300 });
  made.computer.plug('1-2', modelBoard({ serial: 'LAT001' }).chip);
  await eventually(() => made.pool.board(0).view.present, 'the board is present');
  const board = made.pool.board(0);
  await board.program(hx8kBitstream(), quietContext);
  const link = await board.openLink();
  expect(await link.read(0, 1)).toMatchObject({ ok: true });
  await link.close();
  expect(made.computer.openHandles).toBe(0);
});

test('a link opened before its port is permitted', async () => {
  const made = await lab({ assignments: assigned, rightsDelay: 300 });
  const { chip, fabric } = modelBoard({ serial: 'LAT001', jumpers: 'flash' });
  await fabric.configure(hx8kBitstream());
  expect(await fabric.cdone()).toBe(true);
  made.computer.plug('1-2', chip);
  await eventually(() => made.pool.list()[0]?.serialPort != null, 'its port is there');
  const link = await made.pool.board(0).openLink();
  expect(await link.read(0, 1)).toMatchObject({ ok: true });
  await link.close();
});

test.each([
  ['failed', boardsError('programmer_failed')],
  ['was killed', boardsError('programmer_deadline')],
] as const)(
  'the port of a one-interface board is restored after an openFPGALoader that %s',
  async (_how, failure) => {
    const ulx3s = { 0: { board: 'usb:D00085', definition: 'ulx3s-85f' } };
    const loader: OpenFpgaLoader = {
      async program({ attached }) {
        // As on the real system: libftdi detaches the driver, and a killed program attaches nothing.
        await attached.device.open();
        await attached.device.detachKernelDriver(0);
        await attached.device.close();
        expect(made.computer.device('1-2').drivers[0]).toBeNull();
        throw failure;
      },
    };
    const made = await lab({ assignments: ulx3s, clock: briskClock, loader });
    const strings = { serial: 'D00085', productId: 0x6015, product: 'ULX3S FPGA 85K v3.0.8' };
    made.computer.plug('1-2', modelBoard(strings).chip);
    await eventually(() => made.pool.list()[0]?.serialPort === '/dev/ttyUSB0', 'its port is there');
    await expect(made.pool.board(0).program(Uint8Array.of(1), quietContext)).rejects.toBe(failure);
    expect(made.computer.device('1-2').drivers[0]).toBe('ftdi_sio');
    await eventually(() => made.pool.list()[0]?.serialPort === '/dev/ttyUSB0', 'its port is there again');
    expect(made.computer.openHandles).toBe(0);
  },
);

test('a port that cannot be returned to its driver is reported in the log', async () => {
  const loader: OpenFpgaLoader = {
    async program({ attached }) {
      await attached.device.open();
      await attached.device.detachKernelDriver(0);
      await attached.device.close();
      made.computer.device('1-2').permitted = false;
    },
  };
  const made = await lab({
    assignments: { 0: { board: 'usb:D00085', definition: 'ulx3s-85f' } },
    clock: briskClock,
    loader,
  });
  const strings = { serial: 'D00085', productId: 0x6015, product: 'ULX3S FPGA 85K v3.0.8' };
  made.computer.plug('1-2', modelBoard(strings).chip);
  await eventually(() => made.pool.board(0).view.present, 'the board is present');
  const lines: string[] = [];
  await made.pool.board(0).program(Uint8Array.of(1), { log: (line) => lines.push(line), progress() {} });
  expect(lines).toEqual(['the serial port could not be returned to the system: plug the board in again']);
});

test('pending cleanup of an aborted operation does not refuse the next one', async () => {
  const { board, fabric } = await withBoard();
  const abort = new AbortController();
  let next: Promise<void> | undefined;
  const progress = () => {
    abort.abort();
    next ??= board.program(hx8kBitstream(), quietContext);
  };
  const first = board.program(hx8kBitstream(), { log() {}, progress, signal: abort.signal });
  await expect(first).rejects.toMatchObject({ code: 'programming_aborted' });
  await next;
  expect(await fabric.cdone()).toBe(true);
});

test('a replugged board is programmed at once, even while old handles still close', async () => {
  const { board, computer, chip, pool } = await withLink();
  computer.unplug('1-2');
  computer.plug('1-2', plugAgain(chip));
  await board.program(hx8kBitstream(), quietContext);
  const link = await pool.board(0).openLink();
  expect(await link.read(0, 1)).toMatchObject({ ok: true });
  await link.close();
  expect(computer.openHandles).toBe(0);
});

test('a listed device without a device file is not reported as unplugged', async () => {
  const { board, computer } = await withBoard();
  computer.device('1-2').fileMissing = true;
  await expect(board.program(hx8kBitstream(), quietContext)).rejects.toMatchObject({
    code: 'usb_unavailable',
    remedy: expect.stringContaining('/dev/bus/usb'),
  });
});

test('a port that never appears is reported as port_missing', async () => {
  const clock = new FakeClock();
  const { pool, computer } = await lab({ assignments: assigned, portDelay: 3_600_000, clock });
  computer.plug('1-2', modelBoard({ serial: 'LAT001' }).chip);
  await eventually(() => pool.board(0).view.present, 'the board is present');
  const before = clock.monotonic();
  let outcome = '';
  void code(pool.board(0).openLink()).then((answer) => {
    outcome = answer;
  });
  await eventually(() => outcome !== '', 'the link is given up');
  expect(outcome).toBe('port_missing');
  expect(clock.monotonic() - before).toBeGreaterThanOrEqual(5_000);
});

test('a port under another name after re-enumeration is followed', async () => {
  const { computer, pool, chip } = await withBoard();
  computer.unplug('1-2');
  await eventually(() => !pool.board(0).view.present, 'the board is away');
  computer.plug('1-7', modelBoard({ serial: 'OTHER' }).chip);
  await seen(pool, 'usb:OTHER');
  computer.plug('1-3', plugAgain(chip));
  await eventually(() => pool.list()[0]?.serialPort === '/dev/ttyUSB3', 'its port is ttyUSB3');
  await pool.board(0).program(hx8kBitstream(), quietContext);
  const link = await pool.board(0).openLink();
  expect(await link.read(0, 4)).toMatchObject({ ok: true });
  await link.close();
});

test('unplugged during a read: the read fails as vanished, and the board works after replugging', async () => {
  const { link, chip, computer, pool } = await withLink();
  const reading = link.read(0, 20_000);
  chip.fault = { kind: 'unplug', afterBytes: 3_000 };
  expect(await code(reading)).toBe('board_vanished');
  expect(await code(link.identity())).toBe('board_vanished');
  await eventually(() => !pool.board(0).view.present, 'the board is away');
  await link.close();
  expect(computer.openHandles).toBe(0);
  computer.plug('1-2', plugAgain(chip));
  await eventually(() => pool.board(0).view.present, 'the board is back');
  await pool.board(0).program(hx8kBitstream(), quietContext);
  const again = await pool.board(0).openLink();
  expect(await again.read(0, 1)).toMatchObject({ ok: true });
  await again.close();
});

test('unsolicited bytes on the line are detected, and the link recovers', async () => {
  const { link, fabric } = await withLink();
  fabric.babble(Uint8Array.of(1, 2, 3));
  const first = await code(link.read(0, 1));
  expect(['nothing', 'link_corrupted']).toContain(first);
  expect(await link.read(0, 1)).toMatchObject({ ok: true });
  await link.close();
});
