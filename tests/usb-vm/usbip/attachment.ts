import { assertNever } from '../../../server/errors/bench-error.ts';
import type { UsbDevice } from './ftdi-device.ts';
import { type Command, readCommand, submitted, unlinked } from './messages.ts';

type Submit = Extract<Command, { kind: 'submit' }>;

/** Negative errno of Linux: what a transfer ends with. */
const STATUS = { stall: -32, gone: -19, overflow: -75, unlinked: -104 } as const;

/** Transfers of one endpoint, in order. */
class Endpoint {
  readonly waiting: Submit[] = [];
  #wake: () => void = () => {};

  push(transfer: Submit): void {
    this.waiting.push(transfer);
    this.#wake();
  }

  wake(): void {
    this.#wake();
  }

  /** Cancels a transfer; false when it is already done. */
  remove(seqnum: number): boolean {
    const at = this.waiting.findIndex((transfer) => transfer.seqnum === seqnum);
    if (at < 0) return false;
    this.waiting.splice(at, 1);
    return true;
  }

  /** Resolves when there is something to do, or it is over. */
  async something(): Promise<void> {
    if (this.waiting.length > 0) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }
}

/** A device attached to a kernel: executes its transfers, endpoint by endpoint, until the connection ends. */
export class Attachment {
  readonly #device: UsbDevice;
  readonly #write: (message: Buffer) => void;
  readonly #endpoints = new Map<string, Endpoint>();
  #bytes = Buffer.alloc(0);
  #ended = false;

  constructor(device: UsbDevice, write: (message: Buffer) => void) {
    this.#device = device;
    this.#write = write;
  }

  /** Takes bytes from the wire. @throws Error when they are no USB/IP. */
  take(part: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, part]);
    for (;;) {
      const read = readCommand(this.#bytes);
      if (!read) return;
      this.#bytes = this.#bytes.subarray(read.size);
      this.#execute(read.message);
    }
  }

  end(): void {
    this.#ended = true;
    for (const endpoint of this.#endpoints.values()) endpoint.wake();
  }

  #execute(command: Command): void {
    switch (command.kind) {
      case 'submit':
        if (command.endpoint === 0) this.#control(command);
        else this.#endpoint(command.direction, command.endpoint).push(command);
        return;
      case 'unlink': {
        const found = [...this.#endpoints.values()].some((endpoint) => endpoint.remove(command.victim));
        this.#write(unlinked(command.seqnum, found ? STATUS.unlinked : 0));
        return;
      }
      default:
        assertNever(command);
    }
  }

  #control({ seqnum, direction, setup, length }: Submit): void {
    const answer = this.#device.control(setup);
    if (typeof answer === 'string') this.#write(submitted(seqnum, STATUS[answer], 0));
    else if (direction === 'out') this.#write(submitted(seqnum, 0, length));
    else {
      const data = answer.subarray(0, length);
      this.#write(submitted(seqnum, 0, data.length, data));
    }
  }

  #endpoint(direction: 'in' | 'out', number: number): Endpoint {
    const name = `${direction}${number}`;
    const existing = this.#endpoints.get(name);
    if (existing) return existing;
    const endpoint = new Endpoint();
    this.#endpoints.set(name, endpoint);
    void (direction === 'in' ? this.#pumpIn(number, endpoint) : this.#pumpOut(number, endpoint));
    return endpoint;
  }

  /**
   * Packets fill the first transfer until one is short. Data of a cancelled transfer goes to the next one, as a device
   * keeps unread data.
   */
  async #pumpIn(number: number, endpoint: Endpoint): Promise<void> {
    let packets: Uint8Array[] = [];
    for (;;) {
      await endpoint.something();
      if (this.#ended) return;
      const last = packets.at(-1);
      if (!last || last.length === this.#device.packetSize) {
        if (endpoint.waiting.length === 0) continue;
        const packet = await this.#device.receive(number);
        if (typeof packet === 'string') {
          const transfer = endpoint.waiting.shift();
          if (transfer) this.#write(submitted(transfer.seqnum, STATUS[packet], 0));
          if (packet === 'gone') return;
          continue;
        }
        packets.push(packet);
      }
      const transfer = endpoint.waiting[0];
      if (!transfer) continue;
      const length = packets.reduce((sum, one) => sum + one.length, 0);
      const short = (packets.at(-1)?.length ?? 0) < this.#device.packetSize;
      if (!short && length < transfer.length) continue;
      endpoint.remove(transfer.seqnum);
      const data = Buffer.concat(packets);
      packets = [];
      if (length > transfer.length) this.#write(submitted(transfer.seqnum, STATUS.overflow, 0));
      else this.#write(submitted(transfer.seqnum, 0, length, data));
    }
  }

  async #pumpOut(number: number, endpoint: Endpoint): Promise<void> {
    for (;;) {
      await endpoint.something();
      if (this.#ended) return;
      const transfer = endpoint.waiting[0];
      if (!transfer) continue;
      const sent = await this.#device.send(number, transfer.data);
      if (endpoint.remove(transfer.seqnum)) {
        const [status, length] = typeof sent === 'number' ? [0, sent] : [STATUS[sent], 0];
        this.#write(submitted(transfer.seqnum, status, length));
      }
      if (sent === 'gone') return;
    }
  }
}
