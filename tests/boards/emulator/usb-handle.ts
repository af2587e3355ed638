import type { UsbBusDevice } from '../../../server/boards/usb/usb-bus.ts';
import type { Ft2232h } from './ft2232h.ts';

/** What the system knows of a plugged-in device, beside the device itself. */
export interface PluggedDevice {
  readonly chip: Ft2232h;
  readonly bus: string;
  readonly address: number;
  readonly ports: readonly number[];
  /** The kernel's driver of each interface; null where it was detached. */
  readonly drivers: ['ftdi_sio' | null, 'ftdi_sio' | null];
  /** Which handle has claimed each interface. */
  readonly claims: [UsbHandle | null, UsbHandle | null];
  /** The system lists the device, but has no file for it, as in a container without /dev/bus/usb. */
  fileMissing: boolean;
  /** Whether the user may open the device. */
  permitted: boolean;
  /** Device strings come from the system's cache; without one, reading them opens the device. */
  stringsCached: boolean;
  /** Called when a driver is detached or attached: its serial port goes or comes. */
  onDriver(): void;
}

const TRANSFER_FAULT = { stall: 'Stall', timeout: 'Cancelled', unplug: 'Disconnected' } as const;

/**
 * A `UsbDevice` object of the package `usb` 3.1 on Linux, with its texts and its peculiarities: what it
 * rejects with, that a claimed interface outlives `close()`, that an endpoint carries one transfer at a time,
 * and that an OUT request without data throws a TypeError.
 */
export class UsbHandle implements UsbBusDevice {
  readonly #system: PluggedDevice;
  readonly #busyEndpoints = new Set<string>();
  #open = false;

  constructor(system: PluggedDevice) {
    this.#system = system;
  }

  get vendorId() {
    return this.#system.chip.vendorId;
  }
  get productId() {
    return this.#system.chip.productId;
  }
  get deviceVersionMajor() {
    return this.#system.chip.release >> 8;
  }
  get deviceVersionMinor() {
    return (this.#system.chip.release >> 4) & 0xf;
  }
  get deviceVersionSubminor() {
    return this.#system.chip.release & 0xf;
  }
  get bus() {
    return this.#system.bus;
  }
  get address() {
    return this.#system.address;
  }
  get ports() {
    return this.#system.ports;
  }
  get opened() {
    return this.#open;
  }
  get manufacturerName() {
    return this.#string('manufacturer');
  }
  get productName() {
    return this.#string('product');
  }
  get serialNumber() {
    return this.#string('serial');
  }

  #string(name: 'manufacturer' | 'product' | 'serial'): string | null {
    const text = this.#system.chip.strings[name];
    if (text !== null && this.#system.stringsCached) return text;
    if (!this.#open) this.#checkOpen();
    return text;
  }

  /** Handles on the device that this object keeps: the file itself, and each claimed interface. */
  get handles(): number {
    return Number(this.#open) + this.#system.claims.filter((claim) => claim === this).length;
  }

  #checkOpen(): void {
    if (this.#system.chip.gone || this.#system.fileMissing)
      throw new Error('open error: device not found (errno 2)');
    if (!this.#system.permitted) throw new Error('open error: permission denied (errno 13)');
  }

  async open(): Promise<void> {
    await turn();
    this.#checkOpen();
    this.#open = true;
  }

  async close(): Promise<void> {
    await turn();
    this.#open = false;
  }

  #needOpen(operation: string): void {
    if (!this.#open) throw new Error(`${operation} error: invalid state`);
  }

  #needDevice(operation: string): void {
    this.#needOpen(operation);
    if (this.#system.chip.gone) throw new Error(`${operation} error: device disconnected (errno 19)`);
  }

  #index(interfaceNumber: number): 0 | 1 {
    if (interfaceNumber !== 0 && interfaceNumber !== 1)
      throw new Error('claimInterface error: interface not found (errno 22)');
    return interfaceNumber;
  }

  async claimInterface(interfaceNumber: number): Promise<void> {
    await turn();
    this.#needDevice('claimInterface');
    const index = this.#index(interfaceNumber);
    if (this.#system.drivers[index] || this.#system.claims[index])
      throw new Error('claimInterface error: interface is busy (errno 16)');
    this.#system.claims[index] = this;
  }

  async releaseInterface(interfaceNumber: number): Promise<void> {
    await turn();
    this.#needOpen('releaseInterface');
    const index = this.#index(interfaceNumber);
    if (this.#system.claims[index] !== this) throw new Error('releaseInterface error: not claimed');
    this.#system.claims[index] = null;
  }

  async detachKernelDriver(interfaceNumber: number): Promise<void> {
    await turn();
    this.#needDevice('detachKernelDriver');
    const index = this.#index(interfaceNumber);
    if (!this.#system.drivers[index])
      throw new Error('detachKernelDriver error: no kernel driver attached (errno 61)');
    this.#system.drivers[index] = null;
    this.#system.onDriver();
  }

  async attachKernelDriver(interfaceNumber: number): Promise<void> {
    await turn();
    this.#needDevice('attachKernelDriver');
    const index = this.#index(interfaceNumber);
    if (this.#system.claims[index])
      throw new Error('attachKernelDriver error: kernel driver already attached (errno 16)');
    this.#system.drivers[index] = 'ftdi_sio';
    this.#system.onDriver();
  }

  async controlTransferIn(setup: USBControlTransferParameters, length: number): Promise<USBInTransferResult> {
    await turn();
    this.#needOpen('controlTransferIn');
    const answer = this.#control('controlTransferIn', setup, length);
    return { data: new DataView(answer.buffer, answer.byteOffset, answer.length), status: 'ok' };
  }

  async controlTransferOut(
    setup: USBControlTransferParameters,
    data: Uint8Array,
  ): Promise<USBOutTransferResult> {
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    await turn();
    this.#needOpen('controlTransferOut');
    this.#control('controlTransferOut', setup, 0);
    return { bytesWritten: bytes.length, status: 'ok' };
  }

  #control(operation: string, setup: USBControlTransferParameters, length: number): Uint8Array {
    const { chip } = this.#system;
    if (setup.requestType !== 'vendor' || setup.recipient !== 'device')
      throw new Error(`${operation} error: endpoint stalled`);
    const fault = chip.passes(8);
    if (fault || chip.gone) {
      const texts = { stall: 'endpoint stalled', timeout: 'transfer was cancelled' };
      const text = fault && fault !== 'unplug' ? texts[fault] : 'device disconnected';
      throw new Error(`${operation} error: ${text}`);
    }
    const answer = chip.control(setup.request, setup.value, setup.index, length);
    if (!answer) throw new Error(`${operation} error: endpoint stalled`);
    return answer;
  }

  /** Bulk endpoints: OUT 2 and IN 1 on interface 0, OUT 4 and IN 3 on interface 1. */
  async transferIn(endpoint: number, length: number): Promise<USBInTransferResult> {
    const { chip, claims } = this.#system;
    const index = endpoint === 1 ? 0 : endpoint === 3 ? 1 : null;
    return this.#onEndpoint(
      `in${endpoint}`,
      'transferIn',
      index !== null && claims[index] === this,
      async () => {
        const fault = chip.passes(2);
        if (fault) throw new Error(`transferIn error: ${TRANSFER_FAULT[fault]}`);
        const packets = await chip.channels[index as 0 | 1].send(Math.ceil(length / 512) * 512);
        if (!packets) throw new Error('transferIn error: Disconnected');
        const late = chip.passes(packets.length);
        if (late) throw new Error(`transferIn error: ${TRANSFER_FAULT[late]}`);
        const bytes = packets.slice(0, length);
        return { data: new DataView(bytes.buffer), status: 'ok' };
      },
    );
  }

  async transferOut(endpoint: number, data: Uint8Array): Promise<USBOutTransferResult> {
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice();
    const { chip, claims } = this.#system;
    const index = endpoint === 2 ? 0 : endpoint === 4 ? 1 : null;
    return this.#onEndpoint(
      `out${endpoint}`,
      'transferOut',
      index !== null && claims[index] === this,
      async () => {
        // A plug that is pulled in the middle of a transfer: the bytes before it arrive.
        const whole =
          chip.fault && chip.fault.afterBytes < bytes.length ? chip.fault.afterBytes : bytes.length;
        const taken = await chip.channels[index as 0 | 1].receive(bytes.subarray(0, whole));
        const fault = chip.passes(bytes.length);
        if (fault) throw new Error(`transferOut error: ${TRANSFER_FAULT[fault]}`);
        if (!taken || chip.gone) throw new Error('transferOut error: Disconnected');
        return { bytesWritten: bytes.length, status: 'ok' };
      },
    );
  }

  async #onEndpoint<T>(
    name: string,
    operation: string,
    claimed: boolean,
    work: () => Promise<T>,
  ): Promise<T> {
    await turn();
    if (!claimed || this.#busyEndpoints.has(name)) throw new Error(`${operation} error: endpoint not found`);
    if (this.#system.chip.gone) throw new Error(`${operation} error: Disconnected`);
    this.#busyEndpoints.add(name);
    try {
      return await work();
    } finally {
      this.#busyEndpoints.delete(name);
    }
  }

  async clearHalt(): Promise<void> {
    await turn();
    this.#needDevice('clearHalt');
  }
}

/** Calls of the native layer come back in a later turn of the event loop. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
