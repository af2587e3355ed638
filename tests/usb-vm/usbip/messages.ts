/**
 * The messages of USB/IP (Linux, Documentation/usb/usbip_protocol.rst), as a server reads and writes them. All numbers
 * are big-endian. Input from the wire is checked here: an invalid message throws, and ends its connection.
 */

const VERSION = 0x0111;
const BUS_ID = 32;
/** Bytes of every message once a device is imported, transfer data aside. */
export const HEADER = 48;
/** Bytes that one transfer may carry: usbfs passes 16 KiB at a time, ftdi_sio less. */
const TRANSFER_MAX = 1024 * 1024;

/** Before a device is imported. */
export type Request = { kind: 'list' } | { kind: 'import'; busId: string };

/** Afterwards. */
export type Command =
  | {
      kind: 'submit';
      seqnum: number;
      direction: 'in' | 'out';
      endpoint: number;
      /** Bytes to read; of an OUT transfer, those of `data`. */
      length: number;
      setup: Buffer;
      data: Buffer;
    }
  | { kind: 'unlink'; seqnum: number; victim: number };

/** A message with its size in bytes; null while it is incomplete. */
export type Read<T> = { message: T; size: number } | null;

export function readRequest(bytes: Buffer): Read<Request> {
  if (bytes.length < 8) return null;
  if (bytes.readUInt16BE(0) !== VERSION) throw new Error('USB/IP of another version');
  switch (bytes.readUInt16BE(2)) {
    case 0x8005:
      return { message: { kind: 'list' }, size: 8 };
    case 0x8003: {
      if (bytes.length < 8 + BUS_ID) return null;
      const text = bytes.toString('latin1', 8, 8 + BUS_ID);
      const end = text.indexOf('\0');
      return {
        message: { kind: 'import', busId: end < 0 ? text : text.slice(0, end) },
        size: 8 + BUS_ID,
      };
    }
    default:
      throw new Error('a USB/IP request that is none');
  }
}

export function readCommand(bytes: Buffer): Read<Command> {
  if (bytes.length < HEADER) return null;
  const seqnum = bytes.readUInt32BE(4);
  switch (bytes.readUInt32BE(0)) {
    case 1: {
      const direction = bytes.readUInt32BE(12);
      const endpoint = bytes.readUInt32BE(16);
      const length = bytes.readUInt32BE(24);
      const packets = bytes.readUInt32BE(32);
      if (direction > 1 || endpoint > 15) throw new Error('an endpoint that is none');
      if (length > TRANSFER_MAX) throw new Error('a transfer that is too long');
      if (packets !== 0 && packets !== 0xffff_ffff) throw new Error('an isochronous transfer');
      const size = HEADER + (direction === 0 ? length : 0);
      if (bytes.length < size) return null;
      return {
        message: {
          kind: 'submit',
          seqnum,
          direction: direction === 1 ? 'in' : 'out',
          endpoint,
          length,
          setup: Buffer.from(bytes.subarray(40, HEADER)),
          data: Buffer.from(bytes.subarray(HEADER, size)),
        },
        size,
      };
    }
    case 2:
      return { message: { kind: 'unlink', seqnum, victim: bytes.readUInt32BE(20) }, size: HEADER };
    default:
      throw new Error('a USB/IP command that is none');
  }
}

/** An entry of the list of devices. */
export interface DeviceSummary {
  busId: string;
  busNumber: number;
  deviceNumber: number;
  speed: 'full' | 'high';
  vendorId: number;
  productId: number;
  release: number;
  interfaces: number;
}

function summary(device: DeviceSummary): Buffer {
  const bytes = Buffer.alloc(312);
  bytes.write(`/sys/devices/emulated/${device.busId}`, 0, 255, 'latin1');
  bytes.write(device.busId, 256, BUS_ID - 1, 'latin1');
  bytes.writeUInt32BE(device.busNumber, 288);
  bytes.writeUInt32BE(device.deviceNumber, 292);
  // enum usb_device_speed of the kernel.
  bytes.writeUInt32BE(device.speed === 'full' ? 2 : 3, 296);
  bytes.writeUInt16BE(device.vendorId, 300);
  bytes.writeUInt16BE(device.productId, 302);
  bytes.writeUInt16BE(device.release, 304);
  // Class 0 "per interface", not configured yet; one configuration.
  bytes[310] = 1;
  bytes[311] = device.interfaces;
  return bytes;
}

function reply(code: number, status: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16BE(VERSION, 0);
  bytes.writeUInt16BE(code, 2);
  bytes.writeUInt32BE(status, 4);
  return bytes;
}

export function deviceList(devices: readonly DeviceSummary[]): Buffer {
  const count = Buffer.alloc(4);
  count.writeUInt32BE(devices.length);
  const vendorClass = Buffer.from([0xff, 0xff, 0xff, 0]);
  const entries = devices.flatMap((device) => [
    summary(device),
    ...Array.from({ length: device.interfaces }, () => vendorClass),
  ]);
  return Buffer.concat([reply(0x0005, 0), count, ...entries]);
}

/** @param device null where there is none of that bus id. */
export function importReply(device: DeviceSummary | null): Buffer {
  return device ? Buffer.concat([reply(0x0003, 0), summary(device)]) : reply(0x0003, 1);
}

/**
 * @param status 0, or the negative errno of Linux.
 * @param length bytes that were transferred.
 */
export function submitted(seqnum: number, status: number, length: number, data?: Uint8Array): Buffer {
  const bytes = Buffer.alloc(HEADER);
  bytes.writeUInt32BE(3, 0);
  bytes.writeUInt32BE(seqnum, 4);
  bytes.writeInt32BE(status, 20);
  bytes.writeUInt32BE(length, 24);
  return data ? Buffer.concat([bytes, data]) : bytes;
}

export function unlinked(seqnum: number, status: number): Buffer {
  const bytes = Buffer.alloc(HEADER);
  bytes.writeUInt32BE(4, 0);
  bytes.writeUInt32BE(seqnum, 4);
  bytes.writeInt32BE(status, 20);
  return bytes;
}
