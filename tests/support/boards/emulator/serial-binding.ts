import type { BindingPort, PortSettings, SerialBinding } from '../../../../server/boards/serial/binding.ts';
import type { Ft2232h } from './ft2232h.ts';

export interface EmulatedPort {
  readonly path: string;
  readonly chip: Ft2232h;
  readonly location: string;
  readonly interfaceNumber: number;
  permitted: boolean;
  /** Open ports: exclusive, as with TIOCEXCL and flock. */
  opened: EmulatedPortHandle | null;
}

/** State of the system's serial layer. */
export interface SerialSystem {
  readonly ports: Map<string, EmulatedPort>;
  listFails: Error | null;
}

const BURST = 65_536;

/**
 * A port of `serialport` over channel B of an emulated chip: the driver reads packets all the time and delivers bytes
 * as they arrive; the chip's latency timer decides when.
 */
class EmulatedPortHandle implements BindingPort {
  readonly openOptions: PortSettings;
  readonly #port: EmulatedPort;
  #isOpen = true;
  #lowLatency = false;
  #pending: Uint8Array[] = [];
  #wake: (() => void) | null = null;
  #failure: Error | null = null;

  constructor(port: EmulatedPort, openOptions: PortSettings) {
    this.#port = port;
    this.openOptions = openOptions;
    void port.chip.board.fabric.setBaud(openOptions.baudRate);
    void this.#pump();
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** The driver's endless reading of the IN endpoint. */
  async #pump(): Promise<void> {
    const channel = this.#port.chip.channels[1];
    while (this.#isOpen) {
      const packets = await channel.send(channel.packet);
      if (packets && packets.length > 2) this.#port.chip.passes(packets.length);
      if (!packets || this.#port.chip.gone) {
        this.#failure = new Error('EIO: i/o error, read');
        this.#wake?.();
        return;
      }
      if (packets.length > 2) {
        this.#pending.push(packets.subarray(2));
        this.#wake?.();
      }
    }
  }

  async close(): Promise<void> {
    if (!this.#isOpen) throw new Error('Port is not open');
    this.#isOpen = false;
    if (this.#port.opened === this) this.#port.opened = null;
    this.#wake?.();
  }

  async read(buffer: Buffer, offset: number, length: number): Promise<{ buffer: Buffer; bytesRead: number }> {
    for (;;) {
      if (!this.#isOpen) throw Object.assign(new Error('Port is not open'), { canceled: true });
      const first = this.#pending[0];
      if (first) {
        const taken = first.subarray(0, length);
        buffer.set(taken, offset);
        if (taken.length === first.length) this.#pending.shift();
        else this.#pending[0] = first.subarray(length);
        return { buffer, bytesRead: taken.length };
      }
      if (this.#failure) throw this.#failure;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async write(buffer: Buffer): Promise<void> {
    if (!this.#isOpen) throw new Error('Port is not open');
    for (let at = 0; at < buffer.length; at += BURST) {
      const bytes = Uint8Array.from(buffer.subarray(at, at + BURST));
      if (this.#port.chip.passes(bytes.length) || !(await this.#port.chip.channels[1].receive(bytes)))
        throw new Error('EIO: i/o error, write');
    }
  }

  async update(options: { baudRate: number }): Promise<void> {
    await this.#port.chip.board.fabric.setBaud(options.baudRate);
  }

  async set(options: { lowLatency?: boolean }): Promise<void> {
    if (options.lowLatency === undefined) return;
    this.#lowLatency = options.lowLatency;
    this.#port.chip.channels[1].latency = options.lowLatency ? 1 : 16;
  }

  async get() {
    return { cts: true, dsr: true, dcd: false, lowLatency: this.#lowLatency };
  }

  async getBaudRate() {
    return { baudRate: this.openOptions.baudRate };
  }

  async flush(): Promise<void> {
    this.#pending = [];
    this.#port.chip.channels[1].purge('in');
  }

  async drain(): Promise<void> {}
}

/** A binding for `serialport` over emulated ports, with the texts of its native part on Linux. */
export function emulatedBinding(system: SerialSystem): SerialBinding {
  return {
    async list() {
      await new Promise((resolve) => setImmediate(resolve));
      if (system.listFails) throw system.listFails;
      return [...system.ports.values()].map(({ path, chip }) => ({
        path,
        manufacturer: chip.strings.manufacturer ?? undefined,
        serialNumber: chip.strings.serial ?? undefined,
        vendorId: '0403',
        productId: '6010',
        pnpId: undefined,
        locationId: undefined,
      }));
    },
    async open(options) {
      await new Promise((resolve) => setImmediate(resolve));
      const port = system.ports.get(options.path);
      if (!port) throw new Error(`Error: No such file or directory, cannot open ${options.path}`);
      if (!port.permitted) throw new Error(`Error: Permission denied, cannot open ${options.path}`);
      if (port.opened) throw new Error('Error Resource temporarily unavailable Cannot lock port');
      port.opened = new EmulatedPortHandle(port, { ...options });
      return port.opened;
    },
  };
}
