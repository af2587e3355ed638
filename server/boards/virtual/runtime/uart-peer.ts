/** Cycles in one call, well inside 31 bits. */
const MAX_CYCLES = 1 << 30;
/**
 * Bit times of quiet after which an answer counts as complete: three bytes. Between two words of an answer the base SoC
 * needs some two for itself, and for a slave that answers at once.
 */
const ANSWERED = 30;

/** The part of a machine that the peer uses: one input, one output, and time. */
export interface UartPins {
  setRx(level: 0 | 1): void;
  tx(): number;
  /** Runs up to `cycles`, less when `tx` changed; returns the elapsed cycles. */
  run(cycles: number): number;
  /** True when the last run ended early because it took too much work. */
  laborious(): boolean;
}

/**
 * The host's UART at the other end of the design's pins: 8N1 at its own rate, which may differ from the design's. Time
 * is counted in board clocks; a bit need not be a whole number of them. The design runs from one change of a line to
 * the next, however many equal bits lie between.
 */
export class UartPeer {
  /** Board clocks since power-up. */
  now = 0;
  /** Frames whose stop bit was not high: the rates differ, or the design sent a break. */
  framingErrors = 0;
  #bit: number;
  /** To the design: queued bytes, the position in them, and the shift register of the present frame. */
  #queue: Uint8Array[] = [];
  #queueAt = 0;
  #queued = 0;
  #sending = 0;
  #bitsLeft = 0;
  #frameStart = 0;
  #bitsSent = 0;
  #sendBit: number;
  /** When the line changes next, or the frame ends. */
  #nextSend = Number.POSITIVE_INFINITY;
  /** When the stop bit of the last sent frame begins. */
  #stopBit = 0;
  /** From the design: start of the frame, bits so far, and the time of its stop bit. */
  #receiving = 0;
  #startedAt = 0;
  #sampled = -1;
  #receiveBit: number;
  #frameEnd = Number.POSITIVE_INFINITY;
  #line: number;
  #receivedAt = 0;
  #received = new Uint8Array(256);
  #receivedCount = 0;
  readonly #pins: UartPins;
  readonly #clockHz: number;

  constructor(pins: UartPins, clockHz: number, baud: number) {
    this.#pins = pins;
    this.#clockHz = clockHz;
    this.#bit = clockHz / baud;
    this.#sendBit = this.#bit;
    this.#receiveBit = this.#bit;
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

  /** Bytes not yet on the line. */
  get backlog(): number {
    return this.#queued;
  }

  /** Both directions of the line are idle and no byte waits. */
  get quiet(): boolean {
    return this.#queued === 0 && this.#sampled < 0 && this.now >= this.#stopBit;
  }

  /** Board clocks at which the line last carried a bit, in either direction. */
  get quietSince(): number {
    return this.quiet ? Math.max(this.#stopBit, this.#receivedAt) : this.now;
  }

  /** Bytes that the design has sent since the last call. */
  take(): Uint8Array {
    const bytes = this.#received.slice(0, this.#receivedCount);
    this.#receivedCount = 0;
    return bytes;
  }

  /** Skips `cycles` board clocks of a resting design on a quiet line: nothing happens in them. */
  skip(cycles: number): void {
    this.now += cycles;
  }

  /**
   * Advances by `cycles` board clocks, or less for a design that takes much work.
   * @param untilAnswered stops also when the design has sent something and the line has then been quiet for a while
   */
  advance(cycles: number, untilAnswered = false): void {
    const end = this.now + cycles;
    let answeredAt = untilAnswered ? this.#answeredAt : end;
    while (this.now < end) {
      const next = Math.min(end, this.#nextSend, this.#frameEnd, answeredAt);
      if (next > this.now) this.now += this.#pins.run(Math.min(next - this.now, MAX_CYCLES));
      const level = this.#pins.tx();
      if (level !== this.#line) this.#edge(level);
      if (this.now >= this.#frameEnd) this.#endFrame();
      if (this.now >= this.#nextSend) this.#changeLine();
      if (untilAnswered) answeredAt = this.#answeredAt;
      if (this.#pins.laborious() || this.now >= answeredAt) return;
    }
  }

  /** When the design's output counts as its whole answer, if the line stays quiet. */
  get #answeredAt(): number {
    if (this.#receivedCount === 0 || this.#sampled >= 0 || this.#queued > 0) return Number.POSITIVE_INFINITY;
    return Math.ceil(Math.max(this.#stopBit, this.#receivedAt) + ANSWERED * this.#bit);
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
    this.#sendBit = this.#bit;
    this.#nextSend = at;
    this.#stopBit = Math.round(at + 9 * this.#bit);
  }

  /** Puts the next equal bits on the line; after the stop bit, the next frame. */
  #changeLine(): void {
    if (this.#bitsLeft === 0) {
      if (this.#queued > 0) this.#beginFrame(this.#nextSend);
      else {
        this.#nextSend = Number.POSITIVE_INFINITY;
        return;
      }
    }
    const level = this.#sending & 1;
    this.#pins.setRx(level as 0 | 1);
    do {
      this.#sending >>= 1;
      this.#bitsLeft--;
      this.#bitsSent++;
    } while (this.#bitsLeft > 0 && (this.#sending & 1) === level);
    this.#nextSend = Math.round(this.#frameStart + this.#bitsSent * this.#sendBit);
  }

  /** The design has changed its line. */
  #edge(level: number): void {
    if (this.#sampled >= 0) this.#sampleUntil(this.now);
    else if (level === 0) {
      this.#sampled = 0;
      this.#receiving = 0;
      this.#startedAt = this.now;
      this.#receiveBit = this.#bit;
      this.#frameEnd = this.#middleOf(9);
    }
    this.#line = level;
  }

  /** Board clocks at which a bit of the frame is sampled: 0 is the start bit, 9 the stop bit. */
  #middleOf(bit: number): number {
    return Math.floor(this.#startedAt + (bit + 0.5) * this.#receiveBit);
  }

  /** Samples the bits whose middle lies before `end` with the level of the line. */
  #sampleUntil(end: number): void {
    while (this.#sampled < 8 && this.#middleOf(this.#sampled + 1) < end)
      this.#receiving |= this.#line << this.#sampled++;
  }

  #endFrame(): void {
    this.#sampleUntil(this.#frameEnd);
    this.#sampled = -1;
    this.#receivedAt = this.now;
    this.#frameEnd = Number.POSITIVE_INFINITY;
    if (this.#line === 0) {
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
