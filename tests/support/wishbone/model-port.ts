import { Duplex } from 'node:stream';
import type { Clock } from '../../../server/clock.ts';
import type { GatewareModel } from './gateware-model.ts';

/** Fate of one byte on the line: other bytes in its place, or a byte without a stop bit. */
type Fault = (byte: number, index: number) => readonly number[] | 'broken';

export interface WireOptions {
  /** Bits a second; 0 means that bytes take no time. */
  baud: number;
  /** From the host's write to the first bit on the line, milliseconds. */
  usbMs?: number;
  /** The USB chip's latency timer, milliseconds: bytes wait for it unless a packet is full. */
  latencyMs?: number;
  /** Sizes, in turn, of the pieces for the host; by default a piece is a packet. */
  pieces?: readonly number[];
  toBoard?: Fault;
  fromBoard?: Fault;
  /** How long a bus timeout takes. */
  watchdogMs?: number;
}

/** Payload of a high-speed packet of an FT2232H: 512 bytes less two of status. */
const PACKET = 510;
const FIFO_BYTES = 2048;
const SILENCE_MS = 100;

/** The host's serial port, with the line and the model of the gateware. */
export class ModelPort extends Duplex {
  readonly model: GatewareModel;
  readonly #clock: Clock;
  readonly #options: WireOptions;
  /** Bits a second at which the host's side runs. */
  #baud: number;
  #sentIndex = 0;
  #gotIndex = 0;
  /** When the line towards the board is free, and when the bridge is. */
  #lineFree = 0;
  #bridgeFree = 0;
  #lastByteAt = 0;
  /** The time at which each byte of the FIFO leaves it. */
  #fifo: number[] = [];
  /** Bytes for the host, and when the USB chip has them. */
  #incoming: { byte: number; at: number }[] = [];
  #lastPacketAt = 0;
  #armed: (() => void) | null = null;
  #piece = 0;
  /** Bytes sent towards the board. */
  bytesSent = 0;
  /** Writes of the host: each is at least one USB transfer. */
  writes = 0;

  constructor(model: GatewareModel, clock: Clock, options: WireOptions) {
    super({ readableHighWaterMark: 1 << 20, writableHighWaterMark: 1 << 20 });
    this.model = model;
    this.#clock = clock;
    this.#options = options;
    this.#baud = options.baud;
  }

  get #byteMs(): number {
    return this.#baud > 0 ? 10_000 / this.#baud : 0;
  }

  get baud(): number {
    return this.#baud;
  }

  /** The host's side of the line goes to another rate. */
  setBaud(baud: number): void {
    this.#baud = baud;
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.writes++;
    const start = this.#clock.now() + (this.#options.usbMs ?? 0);
    this.#lineFree = Math.max(this.#lineFree, start);
    for (const byte of chunk) {
      const replaced = this.#options.toBoard?.(byte, this.#sentIndex) ?? [byte];
      this.#sentIndex++;
      if (replaced === 'broken') this.#arrive('broken');
      else for (const each of replaced) this.#arrive(each);
    }
    this.#arm();
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#armed?.();
    done(error);
  }

  /** Bytes that the board never sent. */
  inject(...bytes: number[]): void {
    for (const byte of bytes) this.#incoming.push({ byte, at: this.#clock.now() });
    this.#arm();
  }

  #arrive(byte: number | 'broken'): void {
    this.#lineFree += this.#byteMs;
    const at = this.#lineFree;
    this.bytesSent++;
    if (this.model.listening && at - this.#lastByteAt > SILENCE_MS) this.model.silence();
    this.#lastByteAt = at;
    while (this.#fifo.length > 0 && (this.#fifo[0] ?? 0) <= at) this.#fifo.shift();
    const heard = this.#baud === 0 || this.model.hears(this.#baud);
    if (!heard || byte === 'broken' || this.#fifo.length >= FIFO_BYTES) {
      this.model.damage();
      return;
    }
    this.#bridgeFree = Math.max(this.#bridgeFree, at);
    this.#fifo.push(this.#bridgeFree);
    const faulted = this.model.fault;
    const answer = this.model.receive(byte);
    if (!faulted && this.model.fault === 'timeout') this.#bridgeFree += this.#options.watchdogMs ?? 0;
    for (const sent of answer) {
      this.#bridgeFree += this.#byteMs;
      const replaced = this.#options.fromBoard?.(sent, this.#gotIndex) ?? [sent];
      this.#gotIndex++;
      if (replaced === 'broken') continue;
      for (const each of replaced) this.#incoming.push({ byte: each, at: this.#bridgeFree });
    }
  }

  /** When the next packet goes to the host. */
  #due(): number | null {
    const [first] = this.#incoming;
    if (!first) return null;
    const full = this.#incoming[PACKET - 1];
    const timer = Math.max(first.at, this.#lastPacketAt + (this.#options.latencyMs ?? 0));
    return full ? Math.min(full.at, timer) : timer;
  }

  #arm(): void {
    this.#armed?.();
    const due = this.#due();
    if (due === null || this.destroyed) return;
    this.#armed = this.#clock.after(due - this.#clock.now(), () => {
      this.#armed = null;
      this.#deliver(due);
      this.#arm();
    });
  }

  #deliver(due: number): void {
    this.#lastPacketAt = due;
    let count = 0;
    while (count < PACKET && count < this.#incoming.length && (this.#incoming[count]?.at ?? 0) <= due)
      count++;
    const packet = Buffer.from(this.#incoming.splice(0, count).map(({ byte }) => byte));
    const { pieces } = this.#options;
    for (let at = 0; at < packet.length; ) {
      const size = pieces?.length ? Math.max(1, pieces[this.#piece++ % pieces.length] ?? 0) : PACKET;
      this.push(packet.subarray(at, at + size));
      at += size;
    }
  }
}
