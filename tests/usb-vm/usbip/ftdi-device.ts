import type { Ft2232h, FtdiBoard } from '../../support/boards/emulator/ft2232h.ts';

/** Faults of a transfer. */
export type TransferFault = 'stall' | 'gone';

/** A device as a USB host sees it: descriptors, standard requests, endpoints. */
export interface UsbDevice {
  readonly speed: 'full' | 'high';
  readonly vendorId: number;
  readonly productId: number;
  readonly release: number;
  readonly interfaces: number;
  /** Bytes of a bulk packet. */
  readonly packetSize: number;
  /** @returns the answer of an IN request, empty for an OUT request. */
  control(setup: Buffer): Uint8Array | TransferFault;
  /** The next packet of a bulk IN endpoint, when there is one. */
  receive(endpoint: number): Promise<Uint8Array | TransferFault>;
  send(endpoint: number, data: Uint8Array): Promise<number | TransferFault>;
  /** Calls back when the device is pulled out. */
  onGone(listener: () => void): void;
}

/** Requests of USB 2.0, chapter 9. */
const STANDARD = {
  getStatus: 0,
  clearFeature: 1,
  setFeature: 3,
  getDescriptor: 6,
  getConfiguration: 8,
  setConfiguration: 9,
  getInterface: 10,
  setInterface: 11,
} as const;

const nothing = new Uint8Array(0);
const word = (value: number) => [value & 0xff, value >> 8];

/** An emulated FTDI chip with what its hardware adds for the host: descriptors and standard requests. */
export class FtdiDevice implements UsbDevice {
  readonly #chip: Ft2232h<FtdiBoard>;
  readonly speed: 'full' | 'high';
  readonly interfaces: number;
  readonly packetSize: number;
  #configuration = 0;

  /** @param options.interfaces two for an FT2232H, one for an FT231X. */
  constructor(chip: Ft2232h<FtdiBoard>, options: { interfaces?: 1 | 2 } = {}) {
    this.#chip = chip;
    this.speed = chip.speed;
    this.interfaces = options.interfaces ?? 2;
    this.packetSize = this.speed === 'full' ? 64 : 512;
  }

  get vendorId() {
    return this.#chip.vendorId;
  }
  get productId() {
    return this.#chip.productId;
  }
  get release() {
    return this.#chip.release;
  }

  onGone(listener: () => void): void {
    this.#chip.onUnplug(listener);
  }

  control(setup: Buffer): Uint8Array | TransferFault {
    const [type = 0, request = 0] = setup;
    const value = setup.readUInt16LE(2);
    const index = setup.readUInt16LE(4);
    const length = setup.readUInt16LE(6);
    if (this.#chip.gone || this.#chip.passes(8) === 'unplug') return 'gone';
    const vendor = (type & 0x60) === 0x40;
    const answer = vendor
      ? this.#chip.control(request, value, index, length)
      : this.#standard(request, value);
    return answer?.subarray(0, length) ?? 'stall';
  }

  #standard(request: number, value: number): Uint8Array | null {
    switch (request) {
      case STANDARD.getDescriptor:
        return this.#descriptor(value >> 8, value & 0xff);
      case STANDARD.setConfiguration:
        this.#configuration = value;
        return nothing;
      case STANDARD.getConfiguration:
        return Uint8Array.of(this.#configuration);
      case STANDARD.getStatus:
        return Uint8Array.of(0, 0);
      case STANDARD.getInterface:
        return Uint8Array.of(0);
      case STANDARD.clearFeature:
      case STANDARD.setFeature:
      case STANDARD.setInterface:
        return nothing;
      default:
        return null;
    }
  }

  #descriptor(kind: number, index: number): Uint8Array | null {
    switch (kind) {
      case 1: {
        const { manufacturer, product, serial } = this.#chip.strings;
        const ids = [...word(this.vendorId), ...word(this.productId), ...word(this.release)];
        const strings = [manufacturer, product, serial].map((text, at) => (text === null ? 0 : at + 1));
        return Uint8Array.of(18, 1, ...word(0x0200), 0, 0, 0, 64, ...ids, ...strings, 1);
      }
      case 2:
        return this.#configurationDescriptor();
      case 3:
        return this.#string(index);
      case 6:
        // The qualifier for the other speed: a full-speed device has no such descriptor.
        return this.speed === 'high' ? Uint8Array.of(10, 6, ...word(0x0200), 0, 0, 0, 64, 1, 0) : null;
      default:
        return null;
    }
  }

  #configurationDescriptor(): Uint8Array {
    const bulk = (address: number) => [7, 5, address, 2, ...word(this.packetSize), 0];
    const body = Array.from({ length: this.interfaces }, (_, at) => [
      ...[9, 4, at, 0, 2, 0xff, 0xff, 0xff, 0],
      ...bulk(0x81 + 2 * at),
      ...bulk(0x02 + 2 * at),
    ]).flat();
    // Powered by the bus, 500 mA.
    return Uint8Array.from([9, 2, ...word(9 + body.length), this.interfaces, 1, 0, 0x80, 250, ...body]);
  }

  #string(index: number): Uint8Array | null {
    if (index === 0) return Uint8Array.of(4, 3, 0x09, 0x04);
    const { manufacturer, product, serial } = this.#chip.strings;
    const text = [manufacturer, product, serial][index - 1];
    if (text === undefined || text === null) return null;
    const bytes = Buffer.from(text, 'utf16le');
    return Uint8Array.of(2 + bytes.length, 3, ...bytes);
  }

  async receive(endpoint: number): Promise<Uint8Array | TransferFault> {
    const channel = this.#chip.channels[(endpoint - 1) / 2];
    if (!channel) return 'stall';
    const packet = await channel.send(this.packetSize);
    if (!packet || this.#chip.passes(packet.length) === 'unplug') return 'gone';
    return packet;
  }

  async send(endpoint: number, data: Uint8Array): Promise<number | TransferFault> {
    const channel = this.#chip.channels[(endpoint - 2) / 2];
    if (!channel) return 'stall';
    // A plug that is pulled in the middle of a transfer: the bytes before it arrive.
    const { fault } = this.#chip;
    const whole = fault && fault.afterBytes < data.length ? fault.afterBytes : data.length;
    const taken = await channel.receive(data.subarray(0, whole));
    if (!taken || this.#chip.passes(data.length) === 'unplug') return 'gone';
    return data.length;
  }
}
