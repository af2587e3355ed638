import type { UsbBusDevice } from '../../../../server/boards/usb/usb-bus.ts';
import type { Ft2232h } from './ft2232h.ts';

/** The system's data of a plugged-in device, besides the device itself. */
export interface PluggedDevice {
  readonly chip: Ft2232h;
  readonly system: 'linux' | 'windows';
  readonly bus: string;
  readonly address: number;
  readonly ports: readonly number[];
  /** The serial driver of each interface; null if detached, or on Windows if WinUSB is in its place. */
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

/** Error of napi-rs for an object that a native call is using. */
const BORROWED = 'The same native value cannot be borrowed mutably while another borrow is active';

/**
 * A `UsbDevice` object of the package `usb` 3.1 on Linux, with its texts and its peculiarities: what it
 * rejects with, that a claimed interface outlives `close()`, that an endpoint carries one transfer at a time,
 * that an OUT request without data throws a TypeError, and that every getter throws while a call is pending.
 */
export class UsbHandle implements UsbBusDevice {
  readonly #system: PluggedDevice;
  readonly #busyEndpoints = new Set<string>();
  #open = false;
  /** Pending native calls. */
  #pending = 0;
  /** An exclusive call uses the object: `open`, `close`, `claimInterface`, `releaseInterface`. */
  #exclusive = false;

  constructor(system: PluggedDevice) {
    this.#system = system;
  }

  /** The system's data of the device, as a getter reads it: not during a native call on the object. */
  get #read(): PluggedDevice {
    if (this.#pending > 0) throw new Error(BORROWED);
    return this.#system;
  }

  get vendorId() {
    return this.#read.chip.vendorId;
  }
  get productId() {
    return this.#read.chip.productId;
  }
  get deviceVersionMajor() {
    return this.#read.chip.release >> 8;
  }
  get deviceVersionMinor() {
    return (this.#read.chip.release >> 4) & 0xf;
  }
  get deviceVersionSubminor() {
    return this.#read.chip.release & 0xf;
  }
  get bus() {
    return this.#read.bus;
  }
  get address() {
    return this.#read.address;
  }
  get ports() {
    return this.#read.ports;
  }
  get speed() {
    return this.#read.chip.speed;
  }
  get opened() {
    return this.#read && this.#open;
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
    const text = this.#read.chip.strings[name];
    if (text !== null && this.#system.stringsCached) return text;
    if (!this.#open) this.#checkOpen();
    return text;
  }

  /** A native call: it uses the object from now on, and returns in a later turn of the event loop. */
  async #native<T>(kind: 'shared' | 'exclusive', work: () => T | Promise<T>): Promise<T> {
    if (this.#exclusive || (kind === 'exclusive' && this.#pending > 0)) throw new Error(BORROWED);
    this.#pending += 1;
    this.#exclusive = kind === 'exclusive';
    try {
      await turn();
      return await work();
    } finally {
      this.#pending -= 1;
      this.#exclusive = false;
    }
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

  open(): Promise<void> {
    return this.#native('exclusive', () => {
      this.#checkOpen();
      this.#open = true;
    });
  }

  close(): Promise<void> {
    return this.#native('exclusive', () => {
      this.#open = false;
    });
  }

  #needOpen(operation: string): void {
    if (!this.#open) throw new Error(`${operation} error: invalid state`);
  }

  #needDevice(operation: string): void {
    this.#needOpen(operation);
    if (this.#system.chip.gone) throw new Error(`${operation} error: device disconnected (errno 19)`);
  }

  #needLinux(operation: string): void {
    if (this.#system.system !== 'linux') throw new Error(`${operation} error: unsupported`);
  }

  #index(interfaceNumber: number): 0 | 1 {
    if (interfaceNumber !== 0 && interfaceNumber !== 1)
      throw new Error('claimInterface error: interface not found (errno 22)');
    return interfaceNumber;
  }

  claimInterface(interfaceNumber: number): Promise<void> {
    return this.#native('exclusive', () => {
      this.#needDevice('claimInterface');
      const index = this.#index(interfaceNumber);
      if (this.#system.system === 'windows' && this.#system.drivers[index])
        throw new Error('claimInterface error: incompatible driver is installed for this interface');
      if (this.#system.drivers[index] || this.#system.claims[index])
        throw new Error('claimInterface error: interface is busy (errno 16)');
      this.#system.claims[index] = this;
    });
  }

  releaseInterface(interfaceNumber: number): Promise<void> {
    return this.#native('exclusive', () => {
      this.#needOpen('releaseInterface');
      const index = this.#index(interfaceNumber);
      if (this.#system.claims[index] !== this) throw new Error('releaseInterface error: not claimed');
      this.#system.claims[index] = null;
    });
  }

  /** A bare USBDEVFS_DISCONNECT: any driver of the interface loses it, including usbfs for another program. */
  detachKernelDriver(interfaceNumber: number): Promise<void> {
    return this.#native('shared', () => {
      this.#needDevice('detachKernelDriver');
      this.#needLinux('detachKernelDriver');
      const index = this.#index(interfaceNumber);
      const { drivers, claims } = this.#system;
      if (!drivers[index] && !claims[index])
        throw new Error('detachKernelDriver error: no kernel driver attached (errno 61)');
      drivers[index] = null;
      claims[index] = null;
      this.#system.onDriver();
    });
  }

  attachKernelDriver(interfaceNumber: number): Promise<void> {
    return this.#native('shared', () => {
      this.#needDevice('attachKernelDriver');
      this.#needLinux('attachKernelDriver');
      const index = this.#index(interfaceNumber);
      if (this.#system.claims[index] || this.#system.drivers[index])
        throw new Error('attachKernelDriver error: kernel driver already attached (errno 16)');
      this.#system.drivers[index] = 'ftdi_sio';
      this.#system.onDriver();
    });
  }

  controlTransferIn(setup: USBControlTransferParameters, length: number): Promise<USBInTransferResult> {
    return this.#native('shared', () => {
      this.#needOpen('controlTransferIn');
      const answer = this.#control('controlTransferIn', setup, length);
      return { data: new DataView(answer.buffer, answer.byteOffset, answer.length), status: 'ok' };
    });
  }

  async controlTransferOut(
    setup: USBControlTransferParameters,
    data: Uint8Array,
  ): Promise<USBOutTransferResult> {
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    return this.#native('shared', () => {
      this.#needOpen('controlTransferOut');
      this.#control('controlTransferOut', setup, 0);
      return { bytesWritten: bytes.length, status: 'ok' };
    });
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
  transferIn(endpoint: number, length: number): Promise<USBInTransferResult> {
    const { chip, claims } = this.#system;
    const index = endpoint === 1 ? 0 : endpoint === 3 ? 1 : null;
    return this.#onEndpoint(
      `in${endpoint}`,
      'transferIn',
      index !== null && claims[index] === this,
      async () => {
        const fault = chip.passes(2);
        if (fault) throw new Error(`transferIn error: ${TRANSFER_FAULT[fault]}`);
        const packets = await chip.channels[index as 0 | 1].send(roundUp(length, chip.channels[0].packet));
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

  #onEndpoint<T>(name: string, operation: string, claimed: boolean, work: () => Promise<T>): Promise<T> {
    return this.#native('shared', async () => {
      if (!claimed || this.#busyEndpoints.has(name))
        throw new Error(`${operation} error: endpoint not found`);
      if (this.#system.chip.gone) throw new Error(`${operation} error: Disconnected`);
      this.#busyEndpoints.add(name);
      try {
        return await work();
      } finally {
        this.#busyEndpoints.delete(name);
      }
    });
  }

  clearHalt(): Promise<void> {
    return this.#native('shared', () => this.#needDevice('clearHalt'));
  }
}

const roundUp = (length: number, packet: number) => Math.ceil(length / packet) * packet;

/** Native calls return in a later turn of the event loop. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
