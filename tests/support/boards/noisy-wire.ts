import type { Fabric } from '../../../server/boards/virtual/fabric.ts';
import type { Refusal } from '../../../server/boards/virtual/refusal.ts';

/** An FPGA on wires that damage bytes at intervals, in either direction, above a line rate. */
export class NoisyWire implements Fabric {
  /** Maximum undamaged rate, bits a second. */
  limit: number;
  /** Bytes from one damaged byte to the next. */
  every: number;
  damaged = 0;
  baud = 0;
  readonly #fabric: Fabric;
  #passed = 0;

  constructor(fabric: Fabric, { limit = Number.POSITIVE_INFINITY, every = 100 } = {}) {
    this.#fabric = fabric;
    this.limit = limit;
    this.every = every;
  }

  #pass(bytes: Uint8Array): Uint8Array {
    if (this.baud <= this.limit) return bytes;
    return bytes.map((byte) => {
      if (++this.#passed % this.every !== 0) return byte;
      this.damaged++;
      return byte ^ 0x08;
    });
  }

  setBaud(baud: number): Promise<void> {
    this.baud = baud;
    return this.#fabric.setBaud(baud);
  }

  write(bytes: Uint8Array): Promise<void> {
    return this.#fabric.write(this.#pass(bytes));
  }

  onData(listener: (bytes: Uint8Array) => void): void {
    this.#fabric.onData((bytes) => listener(this.#pass(bytes)));
  }

  reset(): Promise<void> {
    return this.#fabric.reset();
  }

  configure(bytes: Uint8Array): Promise<void> {
    return this.#fabric.configure(bytes);
  }

  cdone(): Promise<boolean> {
    return this.#fabric.cdone();
  }

  refusal(): Promise<Refusal | null> {
    return this.#fabric.refusal();
  }

  close(): Promise<void> {
    return this.#fabric.close();
  }
}
