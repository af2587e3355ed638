import { afterEach, expect, test } from 'vitest';
import { closeLabs, eventually, lab, modelBoard, plugAgain, seen } from '../../../support/boards/lab.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

afterEach(closeLabs);

const hx8k = 'ice40-hx8k-breakout';

/** A lab in which time passes only while something is waited for. */
const timeless = (options: Parameters<typeof lab>[0] = {}) => lab({ clock: new FakeClock(), ...options });

test('without hardware there are ten virtual boards', async () => {
  const { pool } = await timeless();
  expect(pool.list().map(({ id }) => id)).toEqual(Array.from({ length: 10 }, (_, slot) => `virtual:${slot}`));
  expect(pool.problems()).toEqual([]);
  expect(() => pool.board(10)).toThrow(RangeError);
});

test('a connected board appears with its candidate models, and disappears when unplugged', async () => {
  const { pool, computer } = await timeless();
  computer.plug('1-2', modelBoard({ serial: 'LAT001' }).chip);
  await seen(pool, 'usb:LAT001');
  const board = pool.list().find(({ id }) => id === 'usb:LAT001')!;
  expect(board).toMatchObject({
    kind: 'usb',
    definition: null,
    slot: null,
    serialPort: '/dev/ttyUSB1',
    usb: { vendorId: 0x0403, productId: 0x6010, serial: 'LAT001', port: '1-2' },
    reason: expect.stringContaining('iCEstick'),
  });
  expect([...board.candidates].sort()).toEqual([hx8k, 'icestick']);
  computer.unplug('1-2');
  await eventually(() => pool.list().length === 10, 'the board is gone');
});

test.each([
  ['refuses to be watched', false],
  ['lets itself be watched but tells nothing, as in a container', 'mute'],
] as const)('if the system %s, changes are polled', async (_how, hotplugEvents) => {
  const { pool, computer } = await timeless({ hotplugEvents });
  computer.plug('1-2', modelBoard({ serial: 'LAT001' }).chip);
  await seen(pool, 'usb:LAT001');
  computer.unplug('1-2');
  await eventually(() => pool.list().length === 10, 'the board is gone');
});

test('a serial port that appears after its device is found', async () => {
  const { pool, computer } = await timeless({ portDelay: 250 });
  computer.plug('1-2', modelBoard({ serial: 'LAT001' }).chip);
  await seen(pool, 'usb:LAT001');
  await eventually(() => pool.list().some(({ serialPort }) => serialPort === '/dev/ttyUSB1'), 'its port');
});

test('product names, releases and vendor ids identify boards; an unknown device is none', async () => {
  const { pool, computer } = await timeless();
  computer.plug(
    '1-1',
    modelBoard({ serial: 'A1', product: 'iCEBreaker V1.0e', manufacturer: '1BitSquared' }).chip,
  );
  computer.plug('1-2', modelBoard({ serial: 'A2', product: 'Alchitry Cu', manufacturer: 'Alchitry' }).chip);
  computer.plug(
    '1-3',
    modelBoard({ serial: 'FactoryAIOT Pro', product: 'JTAG Debugger', release: 0x0500 }).chip,
  );
  computer.plug(
    '1-4',
    modelBoard({ serial: 'A4', productId: 0x6015, product: 'ULX3S FPGA 85K v3.0.8' }).chip,
  );
  computer.plug(
    '1-5',
    modelBoard({ serial: 'A5', vendorId: 0x0d28, productId: 0x0204, product: 'DAPLink CMSIS-DAP' }).chip,
  );
  computer.plug(
    '1-6',
    modelBoard({ serial: 'A6', vendorId: 0x0d28, productId: 0x0204, product: 'BBC micro:bit CMSIS-DAP' })
      .chip,
  );
  computer.plug('1-7', modelBoard({ serial: 'A7', product: 'Some JTAG adapter' }).chip);
  computer.plug('1-8', modelBoard({ serial: 'A8', product: 'Lattice ECP5 Evaluation Board' }).chip);
  await seen(pool, 'usb:A8');
  const attached = pool.list().slice(10);
  expect(Object.fromEntries(attached.map(({ id, definition }) => [id, definition]))).toEqual({
    'usb:A1': 'icebreaker',
    'usb:A2': 'alchitry-cu',
    'port:1-3': 'tang-nano-9k',
    'usb:A4': 'ulx3s-85f',
    'usb:A5': 'colorlight-i5',
    'usb:A8': 'ecp5-evn',
  });
});

test('assignment requires an unambiguous or specified model; it is stored, listed and reported', async () => {
  const { pool, computer, kept } = await timeless();
  computer.plug('1-2', modelBoard({ serial: 'LAT001' }).chip);
  await seen(pool, 'usb:LAT001');
  await expect(pool.assign(3, 'usb:NOBODY')).rejects.toMatchObject({ code: 'board_unknown' });
  await expect(pool.assign(3, 'usb:LAT001')).rejects.toMatchObject({
    code: 'board_ambiguous',
    message: expect.stringContaining('icestick'),
  });
  await expect(pool.assign(3, 'usb:LAT001', { definition: 'tang-nano-9k' })).rejects.toMatchObject({
    code: 'board_unsupported',
  });
  await expect(pool.assign(3, 'usb:LAT001', { definition: 'icestick', mode: 'sram' })).rejects.toMatchObject({
    code: 'board_unsupported',
    remedy: expect.stringContaining('flash'),
  });
  expect(kept.value).toEqual({});

  const told: string[] = [];
  pool.onChange((view) => told.push(`${view.slot} ${view.id}`));
  const view = await pool.assign(3, 'usb:LAT001', { definition: hx8k });
  expect(view).toEqual({
    slot: 3,
    id: 'usb:LAT001',
    kind: 'usb',
    definition: hx8k,
    name: 'iCE40-HX8K Breakout Board',
    present: true,
  });
  expect(told).toEqual(['3 usb:LAT001']);
  expect(kept.value).toEqual({ 3: { board: 'usb:LAT001', definition: hx8k } });
  expect(pool.list()).toHaveLength(10);
  expect(pool.list()[3]).toMatchObject({ id: 'usb:LAT001', slot: 3, mode: 'sram', definition: hx8k });

  // To another slot: it leaves the first, which is virtual again; its definition is known by now.
  await pool.assign(5, 'usb:LAT001', { mode: 'flash' });
  expect(kept.value).toEqual({ 5: { board: 'usb:LAT001', definition: hx8k, mode: 'flash' } });
  expect(pool.board(3).view.id).toBe('virtual:3');
  expect(pool.list()[5]?.mode).toBe('flash');

  await pool.assign(5, null);
  expect(kept.value).toEqual({});
  expect(pool.list()[10]).toMatchObject({ id: 'usb:LAT001', slot: null });
});

test('a slot whose node is in use keeps its board', async () => {
  const busy = new Set<number>();
  const { pool, computer, kept } = await timeless({ slotBusy: (slot) => busy.has(slot) });
  computer.plug('1-2', modelBoard({ serial: 'A1', product: 'iCEBreaker V1.0e' }).chip);
  await seen(pool, 'usb:A1');
  busy.add(2);
  await expect(pool.assign(2, 'usb:A1')).rejects.toMatchObject({ code: 'board_slot_busy' });
  await pool.assign(1, 'usb:A1');
  busy.add(1);
  await expect(pool.assign(4, 'usb:A1')).rejects.toMatchObject({ code: 'board_slot_busy' });
  await expect(pool.assign(1, null)).rejects.toMatchObject({ code: 'board_slot_busy' });
  expect(kept.value).toEqual({ 1: { board: 'usb:A1', definition: 'icebreaker' } });
  // Unless the board is away: then the node cannot continue.
  computer.unplug('1-2');
  await eventually(() => !pool.board(1).view.present, 'the board is away');
  expect(await pool.assign(1, null)).toMatchObject({ id: 'virtual:1', present: true });
});

test('a known board returns to its slot automatically, at any USB port', async () => {
  const { pool, computer } = await timeless({
    assignments: { 4: { board: 'usb:LAT001', definition: hx8k } },
  });
  expect(pool.board(4).view).toMatchObject({ present: false, reason: expect.stringContaining('LAT001') });
  const { chip } = modelBoard({ serial: 'LAT001' });
  computer.plug('1-4.3', chip);
  await eventually(() => pool.board(4).view.present, 'slot 4 has its board');
  computer.unplug('1-4.3');
  await eventually(() => !pool.board(4).view.present, 'slot 4 misses its board');
  computer.plug('2-1', plugAgain(chip));
  await eventually(() => pool.board(4).view.present, 'slot 4 has its board again');
  expect(pool.list()[4]?.usb?.port).toBe('2-1');
});

test('boards without a unique serial number are identified by their USB port', async () => {
  const { pool, computer } = await timeless();
  const plain = () => modelBoard({ serial: null, product: 'iCEBreaker V1.0e' }).chip;
  computer.plug('1-1', plain());
  computer.plug('1-2', plain());
  await seen(pool, 'port:1-2');
  await pool.assign(0, 'port:1-1');
  await pool.assign(1, 'port:1-2');
  expect(pool.list()[0]?.usb?.port).toBe('1-1');
  expect(pool.list()[1]?.usb?.port).toBe('1-2');
  computer.unplug('1-1');
  await eventually(() => !pool.board(0).view.present, 'slot 0 misses its board');
  expect(pool.board(1).view.present).toBe(true);
  // Another kind of board in that port is not taken for the assigned one.
  computer.plug('1-1', modelBoard({ serial: null, product: 'Alchitry Cu' }).chip);
  await eventually(() => pool.board(0).view.reason?.includes('Alchitry Cu') === true, 'the reason names it');
  expect(pool.board(0).view.present).toBe(false);
});

test('two boards with one serial number: marked uncertain, never guessed, distinguished by port', async () => {
  const { pool, computer } = await timeless({
    assignments: { 0: { board: 'usb:SAME', definition: 'icebreaker' } },
  });
  const twin = () => modelBoard({ serial: 'SAME', product: 'iCEBreaker V1.0e' }).chip;
  computer.plug('1-1', twin());
  computer.plug('1-2', twin());
  await seen(pool, 'port:1-2');
  await eventually(() => pool.board(0).view.reason?.includes('ambiguous') === true, 'slot 0 says why');
  expect(pool.board(0).view.present).toBe(false);
  const free = pool.list().slice(10);
  expect(free.map(({ id }) => id)).toEqual(['port:1-1', 'port:1-2']);
  expect(free[0]?.reason).toContain('same serial number');
  await expect(pool.board(0).program(new Uint8Array(1), { log() {}, progress() {} })).rejects.toMatchObject({
    code: 'board_absent',
    message: expect.stringContaining('ambiguous'),
  });
  await pool.assign(0, 'port:1-2');
  expect(pool.list()[0]).toMatchObject({ id: 'port:1-2', present: true, usb: { port: '1-2' } });
  // The twin leaves: the assigned board stays, under its assigned name.
  computer.unplug('1-1');
  await eventually(() => pool.list().length === 10, 'the twin is gone');
  expect(pool.list()[0]).toMatchObject({ id: 'port:1-2', present: true });
});

test('a twin does not disturb the board connected first', async () => {
  const { pool, computer } = await timeless();
  computer.plug('1-1', modelBoard({ serial: 'SAME', product: 'iCEBreaker V1.0e' }).chip);
  await seen(pool, 'usb:SAME');
  await pool.assign(0, 'usb:SAME');
  computer.plug('1-2', modelBoard({ serial: 'SAME', product: 'iCEBreaker V1.0e' }).chip);
  await seen(pool, 'port:1-2');
  expect(pool.list()[0]).toMatchObject({ id: 'usb:SAME', present: true, usb: { port: '1-1' } });
});

test('failed lists are problems with a remedy; known boards stay; it recovers', async () => {
  const { pool, computer } = await timeless({ hotplugEvents: false });
  computer.plug('1-1', modelBoard({ serial: 'A1', product: 'iCEBreaker V1.0e' }).chip);
  await seen(pool, 'usb:A1');
  computer.usbListFails = new Error('getDevices error: /sys/bus/usb/devices/ not found (errno 2)');
  await eventually(() => pool.problems().length > 0, 'the problem is shown');
  expect(pool.problems()[0]).toMatchObject({
    code: 'usb_unavailable',
    remedy: expect.stringMatching(/\/sys/),
  });
  expect(pool.list().map(({ id }) => id)).toContain('usb:A1');
  computer.usbListFails = null;
  await eventually(() => pool.problems().length === 0, 'the problem is gone');

  computer.serial.listFails = Object.assign(new Error('spawn udevadm ENOENT'), { code: 'ENOENT' });
  computer.plug('1-2', modelBoard({ serial: 'A2', product: 'iCEBreaker V1.0e' }).chip);
  await seen(pool, 'usb:A2');
  expect(pool.problems()[0]).toMatchObject({
    code: 'ports_unavailable',
    message: expect.stringContaining('udevadm'),
  });
  expect(pool.list().find(({ id }) => id === 'usb:A2')?.serialPort).toBeNull();
});

test('with unreadable descriptor strings the board is identified by its port', async () => {
  const { pool, computer } = await timeless();
  computer.permitted = false;
  computer.stringsCached = false;
  computer.plug('1-1', modelBoard({ serial: 'A1', product: 'iCEBreaker V1.0e' }).chip);
  await seen(pool, 'port:1-1');
  expect(pool.list()[10]?.candidates.length).toBeGreaterThan(1);
});

test('closing leaves no watcher, handle or timer', async () => {
  const { pool, computer } = await timeless();
  computer.plug('1-1', modelBoard({ serial: 'A1' }).chip);
  await seen(pool, 'usb:A1');
  expect(computer.watchers).toBe(1);
  await pool.close();
  expect(computer.watchers).toBe(0);
  expect(computer.openHandles).toBe(0);
});
