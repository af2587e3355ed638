import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { appRoot } from '../../../server/paths.ts';
import { temporaryFolder } from '../temporary.ts';

/** A device as Linux's sysfs shows it. */
export interface FakeUsbBoard {
  /** Bus 1, this port. */
  port: number;
  /** Number of the device on the bus. */
  number: number;
  vendorId: string;
  productId: string;
  release: string;
  manufacturer: string;
  product: string;
  serial: string;
}

export const ICEBREAKER: FakeUsbBoard = {
  port: 2,
  number: 7,
  vendorId: '0403',
  productId: '6010',
  release: '0700',
  manufacturer: '1BitSquared',
  product: 'iCEBreaker V1.0e',
  serial: 'ib001',
};

/** Device and configuration descriptor of a chip with two vendor-specific interfaces, as an FT2232H has them. */
function descriptors({ vendorId, productId, release }: FakeUsbBoard): Uint8Array {
  const swapped = (hex: string) => [...Buffer.from(hex, 'hex')].reverse();
  const device = [18, 1, 0, 2, 0, 0, 0, 64, ...swapped(vendorId), ...swapped(productId), ...swapped(release)];
  const interfaces = [0, 1].flatMap((n) => {
    const endpoints = [0x81 + 2 * n, 0x02 + 2 * n].flatMap((endpoint) => [7, 5, endpoint, 2, 0, 2, 0]);
    return [9, 4, n, 0, 2, 0xff, 0xff, 0xff, 2, ...endpoints];
  });
  const configuration = [9, 2, 9 + interfaces.length, 0, 2, 1, 0, 0x80, 250];
  return Uint8Array.from([...device, 1, 2, 3, 1, ...configuration, ...interfaces]);
}

/**
 * A folder that stands in for /sys and /dev with one USB board, whose device file nobody may open. With `hidraw` the
 * board is a CMSIS-DAP probe, whose other file, /dev/hidraw0, nobody may open either.
 */
export function fakeSystem(board = ICEBREAKER, { hidraw = false } = {}): string {
  const root = temporaryFolder('sys');
  const folder = (...parts: string[]) => {
    const made = path.join(root, ...parts);
    mkdirSync(made, { recursive: true });
    return made;
  };
  const write = (where: string, files: Record<string, string | Uint8Array>) => {
    for (const [name, content] of Object.entries(files))
      writeFileSync(path.join(where, name), typeof content === 'string' ? `${content}\n` : content);
  };
  const denied = (file: string) => {
    writeFileSync(file, '');
    chmodSync(file, 0o000);
  };
  const place = `devices/usb1/1-${board.port}`;
  const number = String(board.number).padStart(3, '0');
  const device = folder('sys', place);
  write(device, {
    busnum: '1',
    devnum: String(board.number),
    devpath: String(board.port),
    idVendor: board.vendorId,
    idProduct: board.productId,
    bcdDevice: board.release,
    version: ' 2.00',
    bDeviceClass: '00',
    bDeviceSubClass: '00',
    bDeviceProtocol: '00',
    bConfigurationValue: '1',
    speed: '480',
    manufacturer: board.manufacturer,
    product: board.product,
    serial: board.serial,
    descriptors: descriptors(board),
    uevent: `MAJOR=189\nMINOR=${board.number - 1}\nDEVNAME=bus/usb/001/${number}\nDEVTYPE=usb_device`,
  });
  symlinkSync('/sys/bus/usb', path.join(device, 'subsystem'));
  symlinkSync(`../../../${place}`, path.join(folder('sys/bus/usb/devices'), `1-${board.port}`));
  denied(path.join(folder('bus/usb/001'), number));
  if (!hidraw) return root;

  const interfaceName = `1-${board.port}:1.0`;
  const hidPlace = `${place}/${interfaceName}/0003:${board.vendorId}:${board.productId}.0001`.toUpperCase();
  const hid = folder('sys', place, interfaceName, path.basename(hidPlace));
  const raw = folder('sys', path.relative(path.join(root, 'sys'), hid), 'hidraw/hidraw0');
  write(path.dirname(hid), { uevent: 'DEVTYPE=usb_interface', bInterfaceNumber: '00' });
  symlinkSync('/sys/bus/usb', path.join(path.dirname(hid), 'subsystem'));
  const ids = `0003:0000${board.vendorId}:0000${board.productId}`.toUpperCase();
  write(hid, {
    uevent: `HID_ID=${ids}\nHID_NAME=${board.product}\nHID_PHYS=usb/input0\nHID_UNIQ=${board.serial}`,
    report_descriptor: Uint8Array.of(0x06, 0x00, 0xff, 0x09, 0x01, 0xa1, 0x01, 0xc0),
  });
  symlinkSync('/sys/bus/hid', path.join(hid, 'subsystem'));
  folder('sys/bus/hid');
  write(raw, { uevent: 'MAJOR=243\nMINOR=0\nDEVNAME=hidraw0' });
  symlinkSync('/sys/class/hidraw', path.join(raw, 'subsystem'));
  symlinkSync('../..', path.join(raw, 'device'));
  symlinkSync(path.relative(folder('sys/class/hidraw'), raw), path.join(root, 'sys/class/hidraw/hidraw0'));
  denied(path.join(root, 'hidraw0'));
  return root;
}

/**
 * Runs a command as a user without privileges, with /sys and the device files of `root`. libudev must accept a /sys
 * that is no sysfs.
 */
export function inside(root: string, command: string[], hidraw = false) {
  const binds = ['--ro-bind', '/', '/', '--bind', path.join(root, 'sys'), '/sys', '--dev', '/dev'];
  const device = ['--bind', path.join(root, 'bus'), '/dev/bus', '--proc', '/proc', '--tmpfs', '/tmp'];
  const raw = hidraw ? ['--ro-bind', path.join(root, 'hidraw0'), '/dev/hidraw0'] : [];
  // The project may lie below /tmp itself.
  const project = ['--ro-bind', appRoot, appRoot];
  const user = ['--unshare-user', '--uid', '1000', '--gid', '1000'];
  return spawnSync('bwrap', [...user, ...binds, ...device, ...raw, ...project, ...command], {
    encoding: 'utf8',
    env: { ...process.env, SYSTEMD_DEVICE_VERIFY_SYSFS: '0' },
  });
}

/** Whether this machine permits it. */
export const canFakeSystem = () => inside(fakeSystem(), ['true']).status === 0;
