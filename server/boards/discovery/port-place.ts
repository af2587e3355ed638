import { readlink, realpath } from 'node:fs/promises';
import path from 'node:path';
import type { ListedPort } from '../serial/binding.ts';

/** A serial port's place on the USB; null where the system does not report it. */
export interface PortPlace {
  /** Serial number of the USB device, without a channel letter. */
  serial: string | null;
  /** Bus and port numbers of the USB device, as `usbLocation` gives them. */
  location: string | null;
  /** Interface of the device: for an FTDI chip its channel, 0 = A, 1 = B. */
  interfaceNumber: number | null;
  /** Ids of the USB device, where no other field identifies it. */
  ids?: { vendorId: number; productId: number };
}

/** Bus and ports as one text: `1-2.3` as in Linux's sysfs; the bus is the platform's own name elsewhere. */
export function usbLocation(bus: string, ports: readonly number[]): string {
  return `${bus.replace(/^0+(?=\d)/, '')}-${ports.join('.')}`;
}

/**
 * The place as far as the listing shows it.
 * - Windows: `FTDIBUS\VID_0403+PID_6010+FT4ABCDB\0000` is channel B of FT4ABCD; `USB\…&MI_01\…` interface 1. An id with
 *   an ampersand, `6&1A2B3C&0&2`, is made up by Windows: it has neither a serial number nor a channel.
 * - macOS: `/dev/tty.usbserial-FT4ABCDB` or `…1` is channel B; without a serial number the name is the location and the
 *   channel, `…-14121`. The location id holds bus and ports in nibbles.
 * - Linux: the by-id link ends in `-if01-port0`.
 */
export function placeFromListing(port: ListedPort, platform: NodeJS.Platform): PortPlace {
  const serial = port.serialNumber || null;
  const pnpId = port.pnpId ?? '';
  switch (platform) {
    case 'win32': {
      const nameless = { serial: null, location: null, ...windowsIds(pnpId) };
      const [, key] = /^FTDIBUS\\.+\+(.+?)\\/i.exec(pnpId) ?? [];
      if (key?.includes('&')) return { ...nameless, interfaceNumber: null };
      if (key !== undefined) {
        const [, own = key, letter] = /^(.+)([A-D])$/i.exec(key) ?? [];
        return { serial: own, location: null, interfaceNumber: letter ? channel(letter) : null };
      }
      const [, part] = /&MI_([0-9a-f]{2})/i.exec(pnpId) ?? [];
      // Windows also makes up the instance id of a part of a composite device.
      if (part !== undefined) return { ...nameless, interfaceNumber: Number.parseInt(part, 16) };
      return serial?.includes('&')
        ? { ...nameless, interfaceNumber: null }
        : { serial, location: null, interfaceNumber: null };
    }
    case 'darwin': {
      const location = macLocation(port.locationId);
      const suffix = (serial !== null && port.path.includes(serial) && port.path.split(serial).at(-1)) || '';
      const digit = /^\d$/.test(suffix) ? suffix : macChannelDigit(port);
      return {
        serial,
        location,
        interfaceNumber: /^[A-D]$/.test(suffix) ? channel(suffix) : digit === null ? null : Number(digit),
      };
    }
    default: {
      const [, byId] = /-if(\d\d)(?:-port\d+)?$/.exec(pnpId) ?? [];
      const interfaceNumber = byId === undefined ? null : Number.parseInt(byId, 16);
      return { serial, location: null, interfaceNumber };
    }
  }
}

const channel = (letter: string) => letter.toUpperCase().charCodeAt(0) - 'A'.charCodeAt(0);

function windowsIds(pnpId: string): Pick<PortPlace, 'ids'> {
  const [, vendorId, productId] = /VID_([0-9a-f]{4})[&+]PID_([0-9a-f]{4})/i.exec(pnpId) ?? [];
  if (vendorId === undefined || productId === undefined) return {};
  return { ids: { vendorId: Number.parseInt(vendorId, 16), productId: Number.parseInt(productId, 16) } };
}

/** The last digit of a name made from the location: `usbserial-14121` at 0x14120000 is number 1. */
function macChannelDigit({ path: name, locationId }: ListedPort): string | null {
  const digits = macDigits(locationId)?.replace(/^0(?=.)|0+$/g, '');
  const [, place, digit] = /usbserial-([0-9a-f]+)(\d)$/i.exec(name) ?? [];
  return digits !== undefined && place?.toLowerCase() === digits.toLowerCase() ? (digit ?? null) : null;
}

/** IOKit's location id: the bus in the top byte, then a nibble per port. */
function macLocation(id: string | undefined): string | null {
  const digits = macDigits(id);
  if (digits === null) return null;
  const ports = Array.from(digits.slice(2).replace(/0+$/, ''), (nibble) => Number.parseInt(nibble, 16));
  return usbLocation(digits.slice(0, 2).toLowerCase(), ports);
}

function macDigits(id: string | undefined): string | null {
  const digits = id?.replace(/^0x/i, '').padStart(8, '0');
  return digits && /^[0-9a-f]{8}$/i.test(digits) ? digits : null;
}

/**
 * Linux's sysfs gives the exact place of a port, even for boards with the same serial number.
 * `…/usb1/1-2/1-2:1.1/ttyUSB1` is interface 1 of the device at bus 1, port 2.
 */
export async function placeFromSysfs(portPath: string, sys = '/sys'): Promise<PortPlace | null> {
  try {
    const device = path.join(sys, 'class', 'tty', path.basename(await realpathOrSelf(portPath)), 'device');
    const [last] = [...(await realpath(device)).matchAll(/\/(\d+-[\d.]+):\d+\.(\d+)(?=\/|$)/g)].slice(-1);
    const [, location, interfaceNumber] = last ?? [];
    if (location === undefined || interfaceNumber === undefined) return null;
    return { serial: null, location, interfaceNumber: Number(interfaceNumber) };
  } catch {
    return null;
  }
}

/** A port may be named by a link of /dev/serial. */
async function realpathOrSelf(file: string): Promise<string> {
  try {
    return path.resolve(path.dirname(file), await readlink(file));
  } catch {
    return file;
  }
}
