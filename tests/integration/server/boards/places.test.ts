import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isAssignments } from '../../../../server/boards/assignments.ts';
import { loadCatalogue } from '../../../../server/boards/catalogue/index.ts';
import { identifyBoards, linkPort } from '../../../../server/boards/discovery/attached.ts';
import {
  placeFromListing,
  placeFromSysfs,
  usbLocation,
} from '../../../../server/boards/discovery/port-place.ts';
import { interfaceDriver } from '../../../../server/boards/usb/native-usb-bus.ts';
import { usbError } from '../../../../server/boards/usb/usb-error.ts';
import { EmulatedComputer } from '../../../support/boards/emulator/computer.ts';
import { modelBoard } from '../../../support/boards/lab.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

/** Paths of sysfs are no paths of Windows. */
const onLinux = test.skipIf(process.platform === 'win32');

test('USB and sysfs locations have one form', () => {
  expect(usbLocation('001', [2])).toBe('1-2');
  expect(usbLocation('010', [3, 4])).toBe('10-3.4');
  expect(usbLocation('14', [1, 2])).toBe('14-1.2');
});

onLinux('Linux: sysfs gives device and interface for FTDI and CDC ports through links', async () => {
  const root = temporaryFolder('sysfs');
  const port = (name: string, device: string) => {
    mkdirSync(path.join(root, device), { recursive: true });
    mkdirSync(path.join(root, 'class/tty', name), { recursive: true });
    symlinkSync(path.join(root, device), path.join(root, 'class/tty', name, 'device'));
  };
  port('ttyUSB1', 'devices/pci0000:00/0000:00:14.0/usb1/1-2/1-2:1.1/ttyUSB1');
  port('ttyUSB7', 'devices/pci0000:00/0000:00:14.0/usb1/1-4/1-4.3/1-4.3:1.0/ttyUSB7');
  port('ttyACM0', 'devices/pci0000:00/0000:00:14.0/usb3/3-1/3-1:1.12');
  port('ttyS0', 'devices/platform/serial8250');
  expect(await placeFromSysfs('/dev/ttyUSB1', root)).toEqual({
    serial: null,
    location: '1-2',
    interfaceNumber: 1,
  });
  expect(await placeFromSysfs('/dev/ttyUSB7', root)).toEqual({
    serial: null,
    location: '1-4.3',
    interfaceNumber: 0,
  });
  expect(await placeFromSysfs('/dev/ttyACM0', root)).toEqual({
    serial: null,
    location: '3-1',
    interfaceNumber: 12,
  });
  expect(await placeFromSysfs('/dev/ttyS0', root)).toBeNull();
  expect(await placeFromSysfs('/dev/nothing', root)).toBeNull();
  const link = path.join(root, 'by-id-link');
  symlinkSync('/dev/ttyUSB1', link);
  expect(await placeFromSysfs(link, root)).toMatchObject({ location: '1-2', interfaceNumber: 1 });
});

onLinux('Linux: sysfs gives the driver of an interface, even usbfs', async () => {
  const sys = temporaryFolder('drivers');
  const folder = (...parts: string[]) => {
    const made = path.join(sys, ...parts);
    mkdirSync(made, { recursive: true });
    return made;
  };
  const board = folder('bus/usb/devices/1-4.3');
  writeFileSync(path.join(board, 'bConfigurationValue'), '1\n');
  for (const [name, driver] of [
    ['1-4.3:1.0', 'usbfs'],
    ['1-4.3:1.1', 'ftdi_sio'],
    ['1-4.3:1.2', null],
  ] as const) {
    const at = folder('bus/usb/devices', name);
    if (driver) symlinkSync(folder('bus/usb/drivers', driver), path.join(at, 'driver'));
  }
  expect(await interfaceDriver('1-4.3', 0, sys)).toBe('usbfs');
  expect(await interfaceDriver('1-4.3', 1, sys)).toBe('ftdi_sio');
  expect(await interfaceDriver('1-4.3', 2, sys)).toBeNull();
  expect(await interfaceDriver('1-4.3', 3, sys)).toBeUndefined();
  expect(await interfaceDriver('1-9', 0, sys)).toBeUndefined();
});

test('Linux without sysfs: the by-id name gives the interface', () => {
  const listed = {
    path: '/dev/ttyUSB1',
    serialNumber: 'ib001',
    pnpId: 'usb-1BitSquared_iCEBreaker_V1.0e_ib001-if01-port0',
  };
  expect(placeFromListing(listed, 'linux')).toEqual({ serial: 'ib001', location: null, interfaceNumber: 1 });
});

test('Windows: FTDI ports carry the channel letter, composite devices the interface', () => {
  const place = (pnpId: string, serialNumber?: string) =>
    placeFromListing({ path: 'COM7', pnpId, serialNumber }, 'win32');
  expect(place('FTDIBUS\\VID_0403+PID_6010+FT4ABCDB\\0000')).toEqual({
    serial: 'FT4ABCD',
    location: null,
    interfaceNumber: 1,
  });
  expect(place('FTDIBUS\\VID_0403+PID_6010+FT4ABCDA\\0000')).toEqual({
    serial: 'FT4ABCD',
    location: null,
    interfaceNumber: 0,
  });
  expect(place('USB\\VID_0D28&PID_0204&MI_01\\6&1A2B3C&0&0001', '6&1A2B3C')).toEqual({
    serial: null,
    location: null,
    interfaceNumber: 1,
    ids: { vendorId: 0x0d28, productId: 0x0204 },
  });
  expect(place('USB\\VID_1234&PID_5678\\SN1', 'SN1')).toEqual({
    serial: 'SN1',
    location: null,
    interfaceNumber: null,
  });
});

test('Windows: a generated id is no serial number, and its last character no channel', () => {
  const place = (pnpId: string, serialNumber?: string) =>
    placeFromListing({ path: 'COM7', pnpId, serialNumber }, 'win32');
  const nameless = { serial: null, location: null, interfaceNumber: null };
  for (const madeUp of ['6&1A2B3C&0&2', '5&2F3A4B5C&0&1&A', '6&3707D8F5&0&1&B'])
    expect(place(`FTDIBUS\\VID_0403+PID_6010+${madeUp}\\0000`, madeUp)).toEqual({
      ...nameless,
      ids: { vendorId: 0x0403, productId: 0x6010 },
    });
  expect(place('USB\\VID_1234&PID_5678\\5&1A2B3C4D&0&2', '5&1A2B3C4D&0&2')).toEqual({
    ...nameless,
    ids: { vendorId: 0x1234, productId: 0x5678 },
  });
});

test('Windows: ports match boards regardless of case, and by ids if only one such board exists', async () => {
  const { boards } = loadCatalogue();
  const listed = (pnpId: string) => ({ path: 'COM7', ...placeFromListing({ path: 'COM7', pnpId }, 'win32') });
  const portOf = async (pnpId: string, ...strings: (string | null)[]) => {
    const computer = new EmulatedComputer();
    for (const [at, serial] of strings.entries())
      computer.plug(`1-${at + 1}`, modelBoard({ serial, product: 'iCEBreaker V1.0e' }).chip);
    const attached = identifyBoards(await computer.bus.getDevices(), [listed(pnpId)], boards);
    const definition = loadCatalogue().get('icebreaker')!;
    return attached.map((board) => linkPort(board, definition)?.path ?? null);
  };
  expect(await portOf('FTDIBUS\\VID_0403+PID_6010+IB001B\\0000', 'ib001', 'ib002')).toEqual(['COM7', null]);
  expect(await portOf('FTDIBUS\\VID_0403+PID_6010+IB001A\\0000', 'ib001')).toEqual([null]);
  const nameless = 'FTDIBUS\\VID_0403+PID_6010+6&1A2B3C&0&2\\0000';
  expect(await portOf(nameless, null)).toEqual(['COM7']);
  expect(await portOf(nameless, null, null)).toEqual([null, null]);
  expect(await portOf('FTDIBUS\\VID_0403+PID_6015+6&1A2B3C&0&2\\0000', null)).toEqual([null]);
});

test('macOS: the port of a board without a serial number is named after its location', () => {
  const place = (name: string, locationId: string) =>
    placeFromListing({ path: `/dev/tty.usbserial-${name}`, locationId }, 'darwin');
  expect(place('14120', '14120000')).toEqual({ serial: null, location: '14-1.2', interfaceNumber: 0 });
  expect(place('14121', '14120000')).toEqual({ serial: null, location: '14-1.2', interfaceNumber: 1 });
  expect(place('2101', '0x02100000')).toEqual({ serial: null, location: '2-1', interfaceNumber: null });
  expect(place('211', '0x02100000')).toEqual({ serial: null, location: '2-1', interfaceNumber: 1 });
});

test('macOS: the name ends in the channel, the location id holds bus and ports', () => {
  const place = (name: string, locationId?: string) =>
    placeFromListing({ path: `/dev/tty.usbserial-${name}`, serialNumber: 'FT4ABCD', locationId }, 'darwin');
  expect(place('FT4ABCD1', '14120000')).toEqual({
    serial: 'FT4ABCD',
    location: '14-1.2',
    interfaceNumber: 1,
  });
  expect(place('FT4ABCDB', '0x02100000')).toEqual({ serial: 'FT4ABCD', location: '2-1', interfaceNumber: 1 });
  expect(place('1410')).toMatchObject({ location: null, interfaceNumber: null });
});

test('the link uses the port of the right interface, or the only one, never another', () => {
  const definition = loadCatalogue().get('icebreaker')!;
  let vendorId = 0x0403;
  const port = (path: string, interfaceNumber: number | null) => ({
    path,
    interfaceNumber,
    serial: null,
    location: '1-2',
  });
  const chosen = (...ports: ReturnType<typeof port>[]) => linkPort({ ports, vendorId }, definition)?.path;
  expect(chosen(port('a', 0), port('b', 1))).toBe('b');
  expect(chosen(port('a', null))).toBe('a');
  expect(chosen(port('a', 0))).toBeUndefined();
  expect(chosen(port('a', null), port('b', null))).toBeUndefined();
  expect(chosen()).toBeUndefined();
  vendorId = 0x0d28;
  expect(chosen(port('a', 2))).toBe('a');
  expect(chosen(port('a', 2), port('b', 4))).toBeUndefined();
});

test('USB layer errors map to error codes', () => {
  const open = (text: string) => usbError(new Error(text), 'open').code;
  const use = (text: string) => usbError(new Error(text), 'use').code;
  expect(open('open error: permission denied (errno 13)')).toBe('usb_permission_denied');
  expect(open('open error: device not found (errno 2)')).toBe('board_absent');
  expect(open('open error: could not open device for exclusive access (0xe00002c5)')).toBe('usb_busy');
  expect(open('claimInterface error: incompatible driver is installed for this interface')).toBe(
    'usb_driver_missing',
  );
  expect(use('claimInterface error: interface is busy (errno 16)')).toBe('usb_busy');
  expect(use('transferOut error: Disconnected')).toBe('board_vanished');
  expect(use('controlTransferOut error: device disconnected')).toBe('board_vanished');
  expect(use('detachKernelDriver error: device disconnected (errno 19)')).toBe('board_vanished');
  expect(use('transferIn error: Stall')).toBe('usb_transfer_failed');
  expect(use('transferIn error: Cancelled')).toBe('usb_transfer_failed');
  expect(use('something new')).toBe('usb_transfer_failed');
});

test('arbitrary port listings and assignment files are parsed without throwing', () => {
  const text = fc.oneof(fc.string(), fc.constantFrom('FTDIBUS\\', '&MI_', 'usb-x-if', '0x', '-if01-port0'));
  const listed = fc.record({
    path: text,
    serialNumber: fc.option(text, { nil: undefined }),
    pnpId: fc.option(text, { nil: undefined }),
    locationId: fc.option(text, { nil: undefined }),
  });
  const platform = fc.constantFrom<NodeJS.Platform>('linux', 'win32', 'darwin');
  fc.assert(
    fc.property(listed, platform, (port, where) => {
      const { interfaceNumber } = placeFromListing(port, where);
      expect(interfaceNumber === null || Number.isInteger(interfaceNumber)).toBe(true);
    }),
  );
  fc.assert(fc.property(fc.anything(), (value) => typeof isAssignments(value) === 'boolean'));
  expect(isAssignments({ 3: { board: 'usb:A', definition: 'icestick', mode: 'flash' } })).toBe(true);
  for (const wrong of [
    { 10: { board: 'usb:A', definition: 'x' } },
    { 1: { board: 'A', definition: 'x' } },
    { 1: { board: 'usb:A', definition: 'x', mode: 'both' } },
    [],
  ])
    expect(isAssignments(wrong)).toBe(false);
});
