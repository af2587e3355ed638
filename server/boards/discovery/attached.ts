import type { BoardDefinition } from '../definition.ts';
import type { UsbBusDevice } from '../usb/usb-bus.ts';
import { usbLocation } from './port-place.ts';
import type { SerialPortInfo } from './serial-ports.ts';

/**
 * The facts about a USB device, read once, when a scan sees it. Call methods of `device` but read no properties: its
 * getters throw while a call is pending.
 */
interface DeviceFacts {
  readonly device: UsbBusDevice;
  readonly vendorId: number;
  readonly productId: number;
  /** bcdDevice. */
  readonly release: number;
  readonly serial: string | null;
  readonly manufacturer: string | null;
  readonly product: string | null;
  /** Bus and port numbers, e.g. `1-2.3`. */
  readonly location: string;
  /** The bus as the platform names it; on Linux its number in decimal digits. */
  readonly bus: string;
  /** Changes with every plugging-in on Linux. */
  readonly address: number;
  /** Null where the system does not report it. */
  readonly speed: UsbBusDevice['speed'] | null;
}

/** A device that may be a board of the catalogue. */
export interface AttachedBoard extends DeviceFacts {
  /** `usb:<serial>` when the serial number is the board's own, else `port:<location>`. */
  readonly id: string;
  /** Boards of the catalogue that it may be; at least one. */
  readonly candidates: readonly BoardDefinition[];
  /** Another attached device has the same serial number. */
  readonly serialShared: boolean;
  /** Ports of this device, by interface number where it is known. */
  readonly ports: readonly SerialPortInfo[];
}

/** USB vendor id of FTDI. */
const FTDI = 0x0403;

/** Placeholder serial numbers of chips without one. */
const PLACEHOLDER_SERIAL = /^(0+|F+|1234567890?|123456|none|n\/a|default|unknown)$/i;

/** Reads the facts of an unused device; a string that the system withholds is null. */
export function deviceFacts(device: UsbBusDevice): DeviceFacts {
  return {
    device,
    vendorId: device.vendorId,
    productId: device.productId,
    release:
      (device.deviceVersionMajor << 8) | (device.deviceVersionMinor << 4) | device.deviceVersionSubminor,
    serial: text(() => device.serialNumber),
    manufacturer: text(() => device.manufacturerName),
    product: text(() => device.productName),
    location: usbLocation(device.bus, device.ports),
    bus: device.bus,
    address: device.address,
    speed: device.speed ?? null,
  };
}

/** The getters of `usb` open the device for a string that the system has not cached, and throw if they may not. */
function text(read: () => string | null | undefined): string | null {
  try {
    return read()?.trim() || null;
  } catch {
    return null;
  }
}

/** Whether any board of the catalogue has this device's ids; cheaper than reading its strings. */
export function mayBeBoard(device: UsbBusDevice, boards: readonly BoardDefinition[]): boolean {
  return boards.some(({ usb }) => usb?.vendorId === device.vendorId && usb.productId === device.productId);
}

/** The boards of the catalogue that a device may be: ids, release and product name all match. */
function candidatesFor(facts: DeviceFacts, boards: readonly BoardDefinition[]): BoardDefinition[] {
  return boards.filter(({ usb }) => {
    if (usb === undefined) return false;
    if (usb.vendorId !== facts.vendorId || usb.productId !== facts.productId) return false;
    if (usb.deviceRelease !== undefined && usb.deviceRelease !== facts.release) return false;
    if (usb.product === undefined || facts.product === null) return true;
    return new RegExp(usb.product, 'i').test(facts.product);
  });
}

/**
 * Determines which devices are boards, with their identity and their serial ports. A serial number identifies a board
 * only where it is unique. It must not be a placeholder, a number that a vendor puts into every board, or a number of
 * two attached devices. Otherwise the USB port identifies the board.
 */
export function identifyBoards(
  devices: readonly UsbBusDevice[],
  ports: readonly SerialPortInfo[],
  boards: readonly BoardDefinition[],
): AttachedBoard[] {
  const found = devices.filter((device) => mayBeBoard(device, boards)).map(deviceFacts);
  const attached: AttachedBoard[] = [];
  for (const facts of found) {
    const candidates = candidatesFor(facts, boards);
    if (candidates.length === 0) continue;
    const { serial } = facts;
    const serialShared = serial !== null && found.some((other) => other !== facts && other.serial === serial);
    const known = candidates.some(({ usb }) => usb?.sharedSerials?.includes(serial ?? ''));
    const own = serial !== null && !serialShared && !known && !PLACEHOLDER_SERIAL.test(serial);
    attached.push({
      ...facts,
      id: own ? `usb:${serial}` : `port:${facts.location}`,
      candidates,
      serialShared,
      ports: ports.filter((port) => belongsTo(port, facts, found)),
    });
  }
  return attached;
}

/**
 * Whether a port belongs to this device: by its place where the system reports it, else by an attribute that only this
 * device has. Windows writes serial numbers in capitals, and gives only the ids for a device without one.
 */
function belongsTo(port: SerialPortInfo, facts: DeviceFacts, found: readonly DeviceFacts[]): boolean {
  if (port.location !== null) return port.location === facts.location;
  const { serial, ids } = port;
  const fits = (one: DeviceFacts) =>
    serial !== null
      ? one.serial?.toLowerCase() === serial.toLowerCase()
      : one.vendorId === ids?.vendorId && one.productId === ids.productId;
  return fits(facts) && found.filter(fits).length === 1;
}

/** The serial port of a board's link; null while the system has none or it is uncertain. */
export function linkPort(
  attached: Pick<AttachedBoard, 'ports' | 'vendorId'>,
  definition: BoardDefinition,
): SerialPortInfo | null {
  const wanted = definition.usb?.serialInterface;
  const exact = attached.ports.find((port) => port.interfaceNumber === wanted);
  if (exact) return exact;
  const [only, ...others] = attached.ports;
  if (!only || others.length > 0) return null;
  // A chip with one UART has one port, whatever its interface. A single port of a multi-channel FTDI chip may be the
  // wrong channel: if its number is known, it must match.
  return only.interfaceNumber === null || attached.vendorId !== FTDI ? only : null;
}
