import type { Fabric } from '../../../../server/boards/virtual/fabric.ts';
import { systemClock, watchdog } from '../../../../server/clock.ts';
import { GATEWARE_VERSION } from '../../../../server/toolchain/build/gateware.ts';
import { GatewareModel, type ModelBus } from '../../wishbone/gateware-model.ts';
import { type Wire, WireTime } from './wire-time.ts';

/** CRC-16 of the iCE40's bitstream: polynomial 0x1021, all ones to begin with (Project IceStorm, format page). */
function crc16(crc: number, byte: number): number {
  let next = crc;
  for (let bit = 7; bit >= 0; bit--)
    next = ((next << 1) ^ (((next >> 15) ^ (byte >> bit)) & 1 ? 0x1021 : 0)) & 0xffff;
  return next;
}

/** Whether an iCE40 would take this stream: preamble, commands, CRC, and the wake-up at its end. */
export function isValidBitstream(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes).indexOf(Uint8Array.of(0x7e, 0xaa, 0x99, 0x7e));
  if (start < 0) return false;
  let at = start + 4;
  let crc = 0xffff;
  let width = 0;
  let height = 0;
  const next = () => {
    const byte = bytes[at++] ?? 0;
    crc = crc16(crc, byte);
    return byte;
  };
  while (at < bytes.length) {
    const command = next();
    let payload = 0;
    for (let count = command & 15; count > 0; count--) payload = payload * 256 + next();
    switch (command >> 4) {
      case 0:
        if (payload === 1 || payload === 3) {
          for (let count = (width * height) / 8 + 2; count > 0; count--) next();
        } else if (payload === 5) {
          crc = 0xffff;
        } else if (payload === 6) {
          return true;
        }
        break;
      case 2:
        if (crc !== 0) return false;
        break;
      case 6:
        width = payload + 1;
        break;
      case 7:
        height = payload;
        break;
      case 1:
      case 4:
      case 5:
      case 8:
      case 9:
        break;
      default:
        return false;
    }
  }
  return false;
}

/** Bytes on the UART between two reads of the clock. */
const PIECE = 32;

/**
 * An iCE40 that accepts a valid bitstream and then behaves as the base SoC with a memory, whatever the bitstream
 * describes: for tests of the way to the board, where executing the design would only take time.
 */
export class ModelFabric implements Fabric {
  /** The clocked-in bytes since the last reset. */
  configuration: Uint8Array = new Uint8Array(0);
  /** The build id of the identity block after the next configuration. */
  buildId = '0'.repeat(16);
  clockHz = 12_000_000;
  /** The rate at which contact begins, bits a second. */
  lineBaud = 115_200;
  readonly memory = new Map<number, number>();
  /** The design at the base SoC: the memory, unless a test sets another model. */
  design: ModelBus = {
    read: (address) => this.memory.get(address) ?? 0,
    write: (address, value) => {
      this.memory.set(address, value);
      return value;
    },
  };
  resets = 0;
  baud = 0;
  closed = false;
  /** While true the UART sends nothing. */
  mute = false;
  /** Accepted configurations; a test may use something simpler than a bitstream. */
  accepts: (bytes: Uint8Array) => boolean = isValidBitstream;
  readonly #wire: Wire;
  readonly #received: WireTime;
  readonly #sent: WireTime;
  #sending: Promise<void> = Promise.resolve();
  #parts: Uint8Array[] = [];
  #configured = false;
  #soc: GatewareModel | null = null;
  #listener: (bytes: Uint8Array) => void = () => {};
  #cancelSilence = () => {};

  constructor(wire: Wire = 'instant') {
    this.#wire = wire;
    this.#received = new WireTime(wire);
    this.#sent = new WireTime(wire);
  }

  async reset(): Promise<void> {
    this.resets += 1;
    this.#parts = [];
    this.configuration = new Uint8Array(0);
    this.#configured = false;
    this.#soc = null;
  }

  async configure(bytes: Uint8Array): Promise<void> {
    if (this.#configured) return;
    this.#parts.push(bytes);
  }

  async cdone(): Promise<boolean> {
    if (this.#configured || this.#parts.length === 0) return this.#configured;
    this.configuration = Buffer.concat([this.configuration, ...this.#parts]);
    this.#parts = [];
    if (!this.accepts(this.configuration)) return false;
    this.#configured = true;
    this.memory.clear();
    const identity = {
      version: GATEWARE_VERSION,
      clockHz: this.clockHz,
      baud: this.lineBaud,
      buildId: this.buildId,
    };
    this.#soc = new GatewareModel(identity, this.design);
    return true;
  }

  async refusal() {
    return null;
  }

  onStop() {
    return () => {};
  }

  async drain(): Promise<void> {}

  write(bytes: Uint8Array): Promise<void> {
    return this.take(bytes, performance.now());
  }

  /**
   * Resolves when the bytes have passed over the line into the FPGA.
   * @param since when they were there to be sent, milliseconds of performance.now().
   */
  async take(bytes: Uint8Array, since: number): Promise<void> {
    for (let at = 0; at < bytes.length; at += PIECE) {
      const piece = bytes.subarray(at, at + PIECE);
      await this.#received.spend((piece.length * 10) / this.baud, since);
      const soc = this.#soc;
      if (!soc || this.mute) continue;
      this.#cancelSilence();
      const answer: number[] = [];
      for (const byte of piece) {
        if (!soc.hears(this.baud)) soc.damage();
        else answer.push(...soc.receive(byte));
      }
      // After a pause of this process, what was on the line comes first.
      this.#cancelSilence = watchdog(systemClock, 100, 1, () => soc.silence());
      if (answer.length > 0) this.#answer(Uint8Array.from(answer));
    }
  }

  /** Sends answers one by one at the line rate, while more input arrives. */
  #answer(bytes: Uint8Array): void {
    if (this.#wire === 'instant') {
      this.#listener(bytes);
      return;
    }
    const since = this.#received.free;
    this.#sending = this.#sending.then(async () => {
      for (let at = 0; at < bytes.length; at += PIECE) {
        const piece = bytes.subarray(at, at + PIECE);
        await this.#sent.spend((piece.length * 10) / this.baud, since);
        this.#listener(piece);
      }
    });
  }

  onData(listener: (bytes: Uint8Array) => void): void {
    this.#listener = listener;
  }

  /** Sends unrequested bytes. */
  babble(bytes: Uint8Array): void {
    this.#listener(bytes);
  }

  async setBaud(baud: number): Promise<void> {
    this.baud = baud;
  }

  async close(): Promise<void> {
    this.closed = true;
    this.#cancelSilence();
  }
}
