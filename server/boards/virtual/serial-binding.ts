import type { BindingPort, PortSettings, SerialBinding } from '../serial/binding.ts';
import type { VirtualFabric } from './fabric.ts';

/** The error that serialport expects from reads and writes that a close interrupts. */
class Cancelled extends Error {
  readonly canceled = true;

  constructor() {
    super('The port was closed.');
  }
}

/**
 * A serialport binding whose only port is a fabric's UART, so that links use serialport's stream for virtual and real
 * boards alike. Control lines do nothing: the boards have two wires.
 */
export function fabricBinding(fabric: VirtualFabric, path: string): SerialBinding {
  return {
    async list() {
      return [{ path }];
    },
    async open(options: PortSettings) {
      if (options.path !== path) throw new Error(`There is no port ${options.path}.`);
      await fabric.setBaud(options.baudRate);
      return new FabricPort(fabric, options);
    },
  };
}

class FabricPort implements BindingPort {
  readonly openOptions: PortSettings;
  isOpen = true;
  #received: Uint8Array[] = [];
  #reading: { resolve: () => void; reject: (error: Error) => void } | null = null;
  #broken: Error | null = null;
  #baudRate: number;
  readonly #endListening: () => void;
  readonly #fabric: VirtualFabric;

  constructor(fabric: VirtualFabric, options: PortSettings) {
    this.#fabric = fabric;
    this.openOptions = options;
    this.#baudRate = options.baudRate;
    fabric.onData((bytes) => this.#take(bytes));
    fabric.hold(true);
    this.#endListening = fabric.onStop(({ message }) => {
      this.#broken = new Error(message);
      this.#reading?.reject(this.#broken);
      this.#reading = null;
    });
  }

  async close(): Promise<void> {
    this.isOpen = false;
    this.#endListening();
    this.#fabric.onData(() => {});
    this.#fabric.hold(false);
    this.#reading?.reject(new Cancelled());
    this.#reading = null;
  }

  async read(buffer: Buffer, offset: number, length: number): Promise<{ buffer: Buffer; bytesRead: number }> {
    this.#check();
    if (this.#received.length === 0)
      await new Promise<void>((resolve, reject) => {
        this.#reading = { resolve, reject };
      });
    let bytesRead = 0;
    for (let next = this.#received[0]; next && bytesRead < length; next = this.#received[0]) {
      const part = next.subarray(0, length - bytesRead);
      buffer.set(part, offset + bytesRead);
      bytesRead += part.length;
      if (part.length === next.length) this.#received.shift();
      else this.#received[0] = next.subarray(part.length);
    }
    return { buffer, bytesRead };
  }

  async write(buffer: Buffer): Promise<void> {
    this.#check();
    // Copy: the caller's buffer may be a slice of a pool, and all of the pool would go to the thread.
    await this.#fabric.write(new Uint8Array(buffer));
  }

  async update({ baudRate }: { baudRate: number }): Promise<void> {
    this.#check();
    this.#baudRate = baudRate;
    await this.#fabric.setBaud(baudRate);
  }

  async set(): Promise<void> {
    this.#check();
  }

  async get() {
    this.#check();
    return { cts: true, dsr: true, dcd: true };
  }

  async getBaudRate() {
    this.#check();
    return { baudRate: this.#baudRate };
  }

  async flush(): Promise<void> {
    this.#check();
    this.#received = [];
  }

  async drain(): Promise<void> {
    this.#check();
    await this.#fabric.drain();
  }

  #take(bytes: Uint8Array): void {
    this.#received.push(bytes);
    this.#reading?.resolve();
    this.#reading = null;
  }

  #check(): void {
    if (!this.isOpen) throw new Cancelled();
    if (this.#broken) throw this.#broken;
  }
}
