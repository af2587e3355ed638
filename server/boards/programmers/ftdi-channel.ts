import type { Clock } from '../../clock.ts';
import { boardsError } from '../../errors/boards.ts';
import type { AttachedBoard } from '../discovery/attached.ts';
import type { UsbBus, UsbBusDevice } from '../usb/usb-bus.ts';
import { usbError } from '../usb/usb-error.ts';
import { throwIfAborted } from './abort.ts';

/** FTDI vendor requests (libftdi `ftdi.h`: SIO_*). */
const REQUEST = { reset: 0x00, setLatency: 0x09, getLatency: 0x0a, setBitMode: 0x0b } as const;
/** wValue of a reset request: libftdi's SIO_TCOFLUSH and SIO_TCIFLUSH (1.5; PURGE_RX and PURGE_TX had them swapped). */
export const RESET = { device: 0, purgeOut: 1, purgeIn: 2 } as const;
/** Bit mode in the high byte of wValue, pin directions in the low byte. */
export const BIT_MODE = { off: 0x0000, mpsse: 0x02ff } as const;

/** Bytes of a bulk packet at full speed (isolators and USB 1.1 hubs), and at high speed. */
const PACKET_FULL_SPEED = 64;
const PACKET_HIGH_SPEED = 512;
/** Status bytes that begin each IN packet. */
const STATUS = 2;
/** Maximum bytes of a bulk OUT transfer: at 6 MHz on the wire this is 22 ms, a step of progress. */
const OUT_CHUNK = 16 * 1024;
/** Time limit of a transfer, ms: far above that of a healthy one. */
const TRANSFER_DEADLINE = 5_000;

/** Linux's serial driver for FTDI chips, and the name that sysfs shows while a program has the interface. */
const SERIAL_DRIVER = 'ftdi_sio';
const A_PROGRAM = 'usbfs';

/** A device with an FTDI chip: the object to call, and the facts read when it was seen. */
export type FtdiDevice = Pick<AttachedBoard, 'device' | 'location' | 'speed'>;

interface FtdiChannelOptions {
  interface: 0 | 1;
  bus: Pick<UsbBus, 'interfaceDriver'>;
  clock: Clock;
  signal?: AbortSignal;
}

/**
 * One channel of an FT2232H, opened for raw transfers. Channel A has interface 0 with bulk OUT 2 and IN 1; channel B
 * has interface 1 with OUT 4 and IN 3.
 */
export class FtdiChannel {
  readonly #device: UsbBusDevice;
  readonly #interface: number;
  readonly #signal: AbortSignal | undefined;
  readonly #clock: Clock;
  /** Bytes of a bulk packet. */
  readonly #packet: number;
  /** The kernel's driver gets the interface back afterwards. */
  #givesBack = false;
  #received: Uint8Array[] = [];

  private constructor({ device, speed }: FtdiDevice, options: FtdiChannelOptions) {
    this.#device = device;
    this.#packet = speed === 'full' || speed === 'low' ? PACKET_FULL_SPEED : PACKET_HIGH_SPEED;
    this.#interface = options.interface;
    this.#signal = options.signal;
    this.#clock = options.clock;
  }

  /**
   * Opens the device and claims the channel's interface, from the kernel's serial driver if necessary. Close it in
   * every case, so that the driver gets it back.
   * @throws usb_permission_denied, usb_busy, usb_driver_missing, board_absent.
   */
  static async open(target: FtdiDevice, options: FtdiChannelOptions): Promise<FtdiChannel> {
    const channel = new FtdiChannel(target, options);
    const { device } = target;
    try {
      await device.open();
    } catch (error) {
      throw usbError(error, 'open');
    }
    try {
      await channel.#takeFromKernel(await options.bus.interfaceDriver(target.location, options.interface));
      await device.claimInterface(channel.#interface);
    } catch (error) {
      await channel.#giveBack();
      await device.close().catch(() => {});
      throw usbError(error, 'use');
    }
    return channel;
  }

  /**
   * Detaches only ftdi_sio. Another driver may be usbfs, and detaching it would interrupt another program's work. An
   * interface without a driver was left by a killed program.
   * @throws usb_busy.
   */
  async #takeFromKernel(driver: string | null | undefined): Promise<void> {
    if (driver === A_PROGRAM) throw boardsError('usb_busy');
    this.#givesBack = driver === SERIAL_DRIVER || driver === null;
    if (driver !== SERIAL_DRIVER) return;
    try {
      await this.#device.detachKernelDriver(this.#interface);
    } catch (error) {
      if (/disconnected|errno 19\b/i.test(String(error))) throw error;
    }
  }

  async #giveBack(): Promise<void> {
    if (!this.#givesBack) return;
    this.#givesBack = false;
    await this.#device.attachKernelDriver(this.#interface).catch(() => {});
  }

  #setup(request: number, value: number): USBControlTransferParameters {
    const index = this.#interface + 1;
    return { requestType: 'vendor', recipient: 'device', request, value, index };
  }

  async #controlOut(request: number, value: number): Promise<void> {
    try {
      const { status } = await this.#device.controlTransferOut(
        this.#setup(request, value),
        new Uint8Array(0),
        TRANSFER_DEADLINE,
      );
      if (status !== 'ok') throw new Error('Stall');
    } catch (error) {
      throw usbError(error, 'use');
    }
  }

  reset(what: number): Promise<void> {
    return this.#controlOut(REQUEST.reset, what);
  }

  setBitMode(mode: number): Promise<void> {
    return this.#controlOut(REQUEST.setBitMode, mode);
  }

  /** @param ms milliseconds after which the chip sends an incomplete packet, 1 to 255. */
  setLatency(ms: number): Promise<void> {
    return this.#controlOut(REQUEST.setLatency, ms);
  }

  async latency(): Promise<number> {
    try {
      const { data } = await this.#device.controlTransferIn(
        this.#setup(REQUEST.getLatency, 0),
        1,
        TRANSFER_DEADLINE,
      );
      if (!data || data.byteLength < 1) throw new Error('Stall');
      return data.getUint8(0);
    } catch (error) {
      throw usbError(error, 'use');
    }
  }

  /** @param onSent called after every step with the bytes sent so far. */
  async write(bytes: Uint8Array, onSent?: (bytes: number) => void): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      throwIfAborted(this.#signal);
      const chunk = bytes.subarray(at, at + OUT_CHUNK);
      try {
        const { bytesWritten } = await this.#device.transferOut(
          2 + 2 * this.#interface,
          chunk,
          TRANSFER_DEADLINE,
        );
        if (bytesWritten !== chunk.length) throw new Error(`${bytesWritten} of ${chunk.length} bytes`);
      } catch (error) {
        throw usbError(error, 'use');
      }
      at += chunk.length;
      onSent?.(at);
    }
  }

  /**
   * Reads exactly `length` bytes.
   * @param deadline milliseconds for all of them.
   * @throws usb_transfer_failed when they are overdue.
   */
  async read(length: number, deadline: number): Promise<Uint8Array> {
    const until = this.#clock.monotonic() + deadline;
    let have = this.#received.reduce((sum, part) => sum + part.length, 0);
    while (have < length) {
      throwIfAborted(this.#signal);
      // Only a read that began after the deadline may time out: this process may have been delayed.
      const late = this.#clock.monotonic() > until;
      const packets = Math.ceil((length - have) / (this.#packet - STATUS));
      const part = await this.#transferIn(packets * this.#packet);
      have += part.length;
      this.#received.push(part);
      if (have < length && late)
        throw boardsError('usb_transfer_failed', {
          message: `The USB chip sent only ${have} of ${length} bytes.`,
        });
    }
    const all = Buffer.concat(this.#received);
    this.#received = have > length ? [all.subarray(length)] : [];
    return all.subarray(0, length);
  }

  /** One IN transfer without the status bytes; empty when the latency timer ran out first. */
  async #transferIn(length: number): Promise<Uint8Array> {
    let data: DataView | undefined;
    try {
      const result = await this.#device.transferIn(1 + 2 * this.#interface, length, TRANSFER_DEADLINE);
      if (result.status !== 'ok') throw new Error('Stall');
      data = result.data;
    } catch (error) {
      throw usbError(error, 'use');
    }
    if (!data) return new Uint8Array(0);
    const raw = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    const payload: Uint8Array[] = [];
    for (let at = 0; at < raw.length; at += this.#packet)
      payload.push(raw.subarray(at + STATUS, at + this.#packet));
    return Buffer.concat(payload);
  }

  /** Releases the interface and gives it back to the kernel. Never throws: the device may be gone. */
  async close(): Promise<void> {
    await this.#device.releaseInterface(this.#interface).catch(() => {});
    await this.#giveBack();
    await this.#device.close().catch(() => {});
  }
}
