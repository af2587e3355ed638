import { spawnSync } from 'node:child_process';
import { chmodSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { SerialPort } from 'serialport';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createBoardPool } from '../../../../server/boards/board-pool.ts';
import { loadCatalogue } from '../../../../server/boards/catalogue/index.ts';
import type { SerialPorts } from '../../../../server/boards/discovery/serial-ports.ts';
import { openPort, portOpenError } from '../../../../server/boards/serial/open-port.ts';
import { systemClock } from '../../../../server/clock.ts';
import { silentLogger } from '../../../../server/log.ts';
import { closePort } from '../../../../server/wishbone/close-port.ts';
import { openUartboneLink } from '../../../../server/wishbone/uartbone-link.ts';
import { EmulatedComputer } from '../../../support/boards/emulator/computer.ts';
import { eventually, modelBoard } from '../../../support/boards/lab.ts';
import { memoryAssignments } from '../../../support/boards/memory-assignments.ts';
import { hasSocat, PtyPair, SerialPeer } from '../../../support/boards/pty.ts';
import { FakeBoard } from '../../../support/fake-board.ts';

const baud = 1_000_000;
const binding = SerialPort.binding;

/** Open files of this process for a device. */
function openFiles(device: string): number {
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).replace(' (deleted)', '') === device;
    } catch {
      return false;
    }
  }).length;
}

test('native errors on opening a port map to error codes', () => {
  const named = (text: string, platform: NodeJS.Platform = 'linux') =>
    portOpenError(new Error(text), platform).code;
  expect(named('Error Resource temporarily unavailable Cannot lock port')).toBe('port_busy');
  expect(named('Error: Device or resource busy, cannot open /dev/ttyUSB1')).toBe('port_busy');
  expect(named('Error Resource busy Cannot lock port', 'darwin')).toBe('port_busy');
  expect(named('Opening COM7: Access denied', 'win32')).toBe('port_busy');
  expect(named('Error: Permission denied, cannot open /dev/ttyUSB1')).toBe('port_permission_denied');
  expect(named('Error: No such file or directory, cannot open /dev/ttyUSB1')).toBe('port_missing');
  expect(named('Opening COM7: File not found', 'win32')).toBe('port_missing');
  expect(named('Error: Inappropriate ioctl for device setting custom baud rate of 115200')).toBe(
    'port_failed',
  );
});

describe.skipIf(!hasSocat)('on a real pseudo-terminal, with the native binding', () => {
  let line: PtyPair;
  let peer: SerialPeer;

  beforeEach(async () => {
    line = await PtyPair.open();
    peer = await SerialPeer.open(line.there);
  });

  afterEach(async () => {
    await peer.close();
    await line.close();
  });

  const open = async (slackMs = 30_000) => {
    const { port } = await openPort({ path: line.here, baud, binding });
    return openUartboneLink(port, { baud, slackMs, clock: systemClock });
  };

  test('opens at the line rate, carries words, closes', async () => {
    const device = realpathSync(line.here);
    const link = await open();
    const words = Uint32Array.from({ length: 700 }, (_, at) => (at * 40_503) >>> 0);
    expect(await link.write(0, words)).toMatchObject({ ok: true });
    expect(await link.read(0, 700)).toEqual({ ok: true, data: words });
    expect(openFiles(device)).toBe(1);
    await link.close();
    expect(openFiles(device)).toBe(0);
  });

  test('opening an open port fails as busy and leaves the first link intact', async () => {
    const link = await open();
    await expect(openPort({ path: line.here, baud, binding })).rejects.toMatchObject({ code: 'port_busy' });
    expect(await link.read(0, 1)).toMatchObject({ ok: true });
    await link.close();
  });

  test('a port that does not exist is missing', async () => {
    const missing = openPort({ path: `${line.here}-not`, baud, binding });
    await expect(missing).rejects.toMatchObject({ code: 'port_missing' });
  });

  test('a port without permission is denied', async () => {
    chmodSync(line.here, 0o000);
    const said = process.getuid?.() === 0 ? openAsNobody(line.here) : null;
    const denied = said
      ? Promise.reject(portOpenError(new Error(said)))
      : openPort({ path: line.here, baud, binding });
    await expect(denied).rejects.toMatchObject({ code: 'port_permission_denied' });
  });

  test('answers that come in pieces of one to three bytes are put together', async () => {
    const link = await open();
    for (const piece of [1, 2, 3]) {
      peer.manners = { piece };
      expect(await link.read(0xf000_0000, 2)).toMatchObject({
        ok: true,
        data: Uint32Array.of(0x5742_4348, 1),
      });
    }
    await link.close();
  });

  test('a slow peer is waited for', async () => {
    const link = await open();
    peer.manners = { piece: 4, pause: 20 };
    expect(await link.read(0xf000_0000, 8)).toMatchObject({ ok: true });
    await link.close();
  });

  test('stale bytes in the port are discarded', async () => {
    const before = line.carried;
    peer.say(Uint8Array.from({ length: 500 }, (_, at) => at & 0xff));
    await eventually(() => line.carried - before === 500, 'the bytes are in the port');
    const link = await open();
    expect(await link.read(0, 4)).toMatchObject({ ok: true });
    await link.close();
  });

  test('garbage during a transfer causes an error or nothing, never a wrong word; the link recovers', async () => {
    const link = await open(500);
    await link.write(0x40, Uint32Array.of(0xdead_beef));
    for (let round = 0; round < 5; round++) {
      peer.say(Uint8Array.from({ length: 1 + round * 7 }, (_, at) => (at * 37 + round) & 0xff));
      const outcome = await link.read(0x40, 1).catch((error: { code: string }) => error.code);
      if (typeof outcome === 'string') expect(outcome).toBe('link_corrupted');
      else expect(outcome).toEqual({ ok: true, data: Uint32Array.of(0xdead_beef) });
    }
    const read = () => link.read(0x40, 1).catch((error: { code: string }) => error.code);
    await expect.poll(read).toEqual({ ok: true, data: Uint32Array.of(0xdead_beef) });
    await link.close();
  });

  test('an unresponsive peer is reported as silent', async () => {
    peer.manners = { silent: true };
    await expect(open(100)).rejects.toMatchObject({ code: 'link_silent' });
    expect(openFiles(realpathSync(line.here))).toBe(0);
  });

  test('losing the other end of the port closes the link', async () => {
    const device = realpathSync(line.here);
    const link = await open();
    await line.vanish();
    await expect(link.read(0, 1)).rejects.toMatchObject({ code: 'link_closed' });
    await link.close();
    expect(openFiles(device)).toBe(0);
  });

  /**
   * A pulled plug hangs up the terminal: each read returns nothing at once, and the native binding reads without end.
   * Only the board's departure can end that.
   */
  test('a hung-up terminal is closed when the board leaves', async ({ skip }) => {
    const device = realpathSync(line.here);
    const computer = new EmulatedComputer();
    const { chip } = modelBoard({ serial: 'LAT001' });
    computer.plug('1-2', chip);
    const ports: SerialPorts = {
      binding: async () => binding,
      list: async () => [{ path: line.here, serial: null, location: '1-2', interfaceNumber: 1 }],
    };
    const pool = await createBoardPool({
      catalogue: loadCatalogue(),
      assignments: memoryAssignments({ 0: { board: 'usb:LAT001', definition: 'ice40-hx8k-breakout' } }),
      logger: silentLogger,
      system: { bus: computer.bus, ports },
      virtualBoard: (slot) => new FakeBoard(slot),
    });
    try {
      const link = await pool.board(0).openLink();
      expect(await link.read(0, 1)).toMatchObject({ ok: true });
      if (!hangUp(line.here)) return skip('hanging up a terminal needs CAP_SYS_ADMIN');
      const reading = link.read(0, 1);
      computer.unplug('1-2');
      await expect(reading).rejects.toMatchObject({ code: 'board_vanished' });
      await eventually(() => openFiles(device) === 0, 'the terminal is let go');
    } finally {
      await pool.close();
    }
  });

  test('closing twice is closing once', async () => {
    const { port } = await openPort({ path: line.here, baud, binding });
    await closePort(port);
    await closePort(port);
    expect(port.isOpen).toBe(false);
  });
});

/** Opens a port as a user without permission, and returns the native layer's error. */
function openAsNobody(file: string): string {
  const serialport = createRequire(import.meta.url).resolve('serialport');
  const script = `
    const { SerialPort } = require(${JSON.stringify(serialport)});
    const port = new SerialPort({ path: ${JSON.stringify(file)}, baudRate: 115200, autoOpen: false });
    // Only now nobody: the project may lie where nobody can read.
    process.setgid(65534);
    process.setuid(65534);
    port.open((error) => console.log(error ? error.message : 'opened'));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
  return stdout.trim() || stderr;
}

/** vhangup for one terminal (ioctl TIOCVHANGUP): what the kernel does when a USB serial port is unplugged. */
function hangUp(file: string): boolean {
  const script = `import fcntl, os
fd = os.open(${JSON.stringify(file)}, os.O_RDWR | os.O_NOCTTY)
fcntl.ioctl(fd, 0x5437)`;
  return spawnSync('python3', ['-c', script]).status === 0;
}
