import { ByteQueue } from './byte-queue.ts';
import { type Wire, waitUntil } from './wire-time.ts';

/** Bytes of the chip's buffer per channel and direction. */
const BUFFER = 4096;
/** Modem status "CTS, DSR, RI, RLSD" and line status "transmitter empty". */
export const STATUS = [0x32, 0x60] as const;

/** Milliseconds between packets with only the status, when nobody is in a hurry. */
const NOTHING_EVERY = 20;

/** The connection between a channel of the chip and the host: two buffers and the latency timer. */
export class FtdiChannelBuffers {
  /** Milliseconds after which an incomplete packet is sent; 16 after power-up. */
  latency = 16;
  bitMode = 0;
  /** Bytes of a bulk packet, the status bytes that begin each IN packet included: 512, at full speed 64. */
  readonly packet: number;
  readonly #wire: Wire;
  readonly #out = new ByteQueue();
  readonly #in = new ByteQueue();
  #sendNow = false;
  #lastPacket = 0;
  #gone = false;
  #epoch = 0;
  /** The command processor has taken bytes and does not wait for more: what it does may end in an answer. */
  #working = false;
  /** Since when there have been bytes from the host without a break, milliseconds of performance.now(). */
  backlogSince = 0;
  /** Callers that wait for a change: bytes, room, a flush, the end. */
  #waiting: (() => void)[] = [];

  constructor(wire: Wire, packet = 512) {
    this.#wire = wire;
    this.packet = packet;
  }

  get #payload(): number {
    return this.packet - STATUS.length;
  }

  get gone(): boolean {
    return this.#gone;
  }

  /** Bytes towards the host that are waiting. */
  get pending(): number {
    return this.#in.length;
  }

  #changed(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  purge(direction: 'in' | 'out'): void {
    (direction === 'in' ? this.#in : this.#out).clear();
    this.#changed();
  }

  unplug(): void {
    this.#gone = true;
    this.#changed();
  }

  /** Host to chip: resolves when the chip's buffer has taken the last byte. False when the device goes. */
  async receive(bytes: Uint8Array): Promise<boolean> {
    if (this.#out.length === 0) this.backlogSince = performance.now();
    this.#out.push(bytes);
    this.#changed();
    while (this.#out.length > BUFFER && !this.#gone) await this.#change();
    return !this.#gone;
  }

  /** Abandons pending bytes of a command: the command processor restarts. */
  restart(): void {
    this.#epoch += 1;
    this.#out.clear();
    this.#changed();
  }

  /**
   * Chip's side: takes exactly `count` bytes of the host; null when the device goes or the command processor restarts.
   */
  async take(count: number): Promise<Uint8Array | null> {
    const epoch = this.#epoch;
    this.#working = false;
    this.#changed();
    while (this.#out.length < count && !this.#gone && epoch === this.#epoch) await this.#change();
    if (this.#gone || epoch !== this.#epoch) return null;
    this.#working = true;
    const bytes = this.#out.take(count);
    this.#changed();
    return bytes;
  }

  /** Chip's side: takes the available bytes, at least one. */
  async takeSome(most: number): Promise<Uint8Array | null> {
    while (this.#out.length === 0 && !this.#gone) await this.#change();
    if (this.#gone) return null;
    const bytes = this.#out.take(most);
    this.#changed();
    return bytes;
  }

  /** Chip's own side: bytes for the host. */
  give(bytes: Uint8Array): void {
    this.#in.push(bytes);
    this.#changed();
  }

  /** Sends waiting bytes without the timer. */
  flush(): void {
    this.#sendNow = true;
    this.#changed();
  }

  /**
   * One IN transfer of `length` bytes, status bytes included: full packets as they fill, an incomplete one
   * when the latency timer runs out or after a flush; it ends with the first incomplete one. Null when the
   * device goes.
   */
  async send(length: number): Promise<Uint8Array | null> {
    const packets: number[] = [];
    while (packets.length + this.packet <= length) {
      await this.#packetReady();
      if (this.#gone) return null;
      const payload = this.#in.take(this.#payload);
      this.#lastPacket = performance.now();
      if (this.#in.length === 0) this.#sendNow = false;
      packets.push(...STATUS, ...payload);
      this.#changed();
      if (payload.length < this.#payload) break;
    }
    return Uint8Array.from(packets);
  }

  /** Waits until a packet is sent: full, flushed, or because the timer has run out. */
  async #packetReady(): Promise<void> {
    const due = Math.max(this.#lastPacket + this.latency, performance.now());
    const ready = () => this.#gone || this.#sendNow || this.#in.length >= this.#payload;
    if (ready()) return;
    if (this.#wire === 'instant') {
      // Time passes at no cost: the timer runs out at once if there is data, else shortly after the chip has done all
      // that it was asked for. On a busy computer that may take longer than the host waits for a real chip.
      while (this.#working && this.#in.length === 0 && !ready()) await this.#change();
      if (this.#in.length === 0) await Promise.race([this.#change(), new Promise((r) => setTimeout(r, 1))]);
      return;
    }
    if (this.#wire === 'unhurried') return this.#unhurried(ready);
    let over = false;
    const timer = waitUntil(due).then(() => {
      over = true;
      this.#changed();
    });
    while (!ready() && !over) await this.#change();
    await (over ? timer : undefined);
  }

  /**
   * As with the latency timer when there is data, without reading the clock all the time. An empty packet, of which the
   * chip sends a thousand a second, is rare.
   */
  async #unhurried(ready: () => boolean): Promise<void> {
    let over = false;
    const end = () => {
      over = true;
      this.#changed();
    };
    let something = this.#in.length > 0;
    let timer = setTimeout(end, something ? this.latency : NOTHING_EVERY);
    while (!ready() && !over) {
      await this.#change();
      if (something || this.#in.length === 0) continue;
      something = true;
      clearTimeout(timer);
      timer = setTimeout(end, this.latency);
    }
    clearTimeout(timer);
  }
}
