/** Cycles in one call, well inside 31 bits. */
const MOST_CYCLES = 1 << 30;

/** What the peer needs of a machine: one input, one output, and time. */
export interface UartPins {
  setRx(level: 0 | 1): void;
  tx(): number;
  /** Runs up to `cycles`, less when `tx` changed; returns what has passed. */
  run(cycles: number): number;
  /** True when the last run was cut short because it took too much effort. */
  laborious(): boolean;
}

/**
 * The host's UART at the other end of the design's pins: 8N1 at its own rate, which need not be the design's.
 * Time is counted in board clocks; a bit may be a fraction of a clock more or less than whole.
 */
export class UartPeer {
  /** Board clocks since power-up. */
  now = 0;
  /** Frames whose stop bit was not high: the rates differ, or the design sent a break. */
  framingErrors = 0;
  #bit: number;
  /** To the design: bytes, how far they are, and the shift register of the one on the line. */
  #queue: Uint8Array[] = [];
  #queueAt = 0;
  #queued = 0;
  #sending = 0;
  #bitsLeft = 0;
  #frameStart = 0;
  #bitsSent = 0;
  #nextSend = Number.POSITIVE_INFINITY;
  /** From the design: start of the frame, bits sampled, next sample. */
  #receiving = 0;
  #startedAt = 0;
  #sampled = -1;
  #nextSample = Number.POSITIVE_INFINITY;
  #line: number;
  #received = new Uint8Array(256);
  #receivedCount = 0;
  readonly #pins: UartPins;
  readonly #clockHz: number;

  constructor(pins: UartPins, clockHz: number, baud: number) {
    this.#pins = pins;
    this.#clockHz = clockHz;
    this.#bit = clockHz / baud;
    pins.setRx(1);
    this.#line = pins.tx();
  }

  /** Takes effect with the next frame in each direction. */
  setBaud(baud: number): void {
    this.#bit = this.#clockHz / baud;
  }

  /** Queues bytes for the design. */
  send(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#queue.push(bytes);
    this.#queued += bytes.length;
    // `nextSend` is finite during the stop bit of the last byte: the next frame may not begin before its end.
    if (this.#nextSend === Number.POSITIVE_INFINITY) this.#beginFrame(Math.ceil(this.now));
  }

  /** Bytes that have not begun to be sent. */
  get backlog(): number {
    return this.#queued;
  }

  /** Nothing is on the line in either direction and nothing is waiting. */
  get quiet(): boolean {
    return this.#bitsLeft === 0 && this.#queued === 0 && this.#sampled < 0;
  }

  /** Bytes that the design has sent since the last call. */
  take(): Uint8Array {
    const bytes = this.#received.slice(0, this.#receivedCount);
    this.#receivedCount = 0;
    return bytes;
  }

  /** Lets `cycles` board clocks pass for a design that rests while the line is quiet: nothing happens in them. */
  skip(cycles: number): void {
    this.now += cycles;
  }

  /** Lets `cycles` board clocks pass, or less for a design that takes great effort. */
  advance(cycles: number): void {
    const end = this.now + cycles;
    while (this.now < end) {
      const next = Math.min(end, this.#nextSend, this.#nextSample);
      if (next > this.now) this.now += this.#pins.run(Math.min(next - this.now, MOST_CYCLES));
      const level = this.#pins.tx();
      if (level !== this.#line) {
        this.#line = level;
        if (level === 0 && this.#sampled < 0) this.#beginReceiving();
      }
      if (this.now >= this.#nextSample) this.#sample(level);
      if (this.now >= this.#nextSend) this.#nextBit();
      if (this.#pins.laborious()) return;
    }
  }

  #beginFrame(at: number): void {
    const [first] = this.#queue;
    if (!first) return;
    const byte = first[this.#queueAt++] ?? 0;
    if (this.#queueAt === first.length) {
      this.#queue.shift();
      this.#queueAt = 0;
    }
    this.#queued--;
    this.#sending = (byte << 1) | 0x200;
    this.#bitsLeft = 10;
    this.#bitsSent = 0;
    this.#frameStart = at;
    this.#nextSend = at;
  }

  /** Puts the next bit on the line; after the stop bit has had its time, the next frame. */
  #nextBit(): void {
    if (this.#bitsLeft === 0) {
      if (this.#queued > 0) this.#beginFrame(this.#nextSend);
      else {
        this.#nextSend = Number.POSITIVE_INFINITY;
        return;
      }
    }
    this.#pins.setRx((this.#sending & 1) as 0 | 1);
    this.#sending >>= 1;
    this.#bitsLeft--;
    this.#bitsSent++;
    this.#nextSend = Math.round(this.#frameStart + this.#bitsSent * this.#bit);
  }

  #beginReceiving(): void {
    this.#sampled = 0;
    this.#receiving = 0;
    this.#startedAt = this.now;
    this.#nextSample = Math.floor(this.now + 1.5 * this.#bit);
  }

  #sample(level: number): void {
    if (this.#sampled < 8) {
      this.#receiving |= level << this.#sampled++;
      this.#nextSample = Math.floor(this.#startedAt + (this.#sampled + 1.5) * this.#bit);
      return;
    }
    this.#sampled = -1;
    this.#nextSample = Number.POSITIVE_INFINITY;
    if (level === 0) {
      this.framingErrors++;
      return;
    }
    if (this.#receivedCount === this.#received.length) {
      const larger = new Uint8Array(this.#received.length * 2);
      larger.set(this.#received);
      this.#received = larger;
    }
    this.#received[this.#receivedCount++] = this.#receiving;
  }
}
