/** Samples per block with a stored minimum and maximum: a long curve is drawn without a look at each sample. */
const BLOCK = 64;
const FIRST_CAPACITY = 4 * BLOCK;
/** Maximum samples of a register: an hour at 20 a second. A multiple of BLOCK. */
export const MAX_SAMPLES = 72_000;

/** The first word that is negative as a signed number. */
const SIGN = 2 ** 31;

/** Minimum and maximum of some samples; infinite without any. */
export interface Extent {
  low: number;
  high: number;
}

/**
 * Values of one register over time, in a ring of limited size. A value holds until the next; NaN means unknown from
 * then on.
 */
export class Series {
  #times = new Float64Array(FIRST_CAPACITY);
  #values = new Float64Array(FIRST_CAPACITY);
  #lows = new Float64Array(FIRST_CAPACITY / BLOCK);
  #highs = new Float64Array(FIRST_CAPACITY / BLOCK);
  #begin = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Seconds since 1970. */
  time(index: number): number {
    return this.#times[this.#slot(index)] ?? Number.NaN;
  }

  /** The unsigned word, or NaN. */
  value(index: number): number {
    return this.#values[this.#slot(index)] ?? Number.NaN;
  }

  /** Adds a sample; one older than the last takes the last one's time. @param time seconds since 1970 */
  push(time: number, value: number): void {
    if (this.#length === this.#times.length && this.#length < MAX_SAMPLES) this.#grow();
    if (this.#length === this.#times.length) {
      this.#begin = (this.#begin + 1) % this.#times.length;
      this.#length -= 1;
    }
    const last = this.#length === 0 ? time : this.time(this.#length - 1);
    this.#put(this.#slot(this.#length), Math.max(last, time), value);
    this.#length += 1;
  }

  /** Index of the last sample at or before `time`; -1 if there is none. */
  indexAt(time: number): number {
    let [low, high] = [0, this.#length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.time(middle) <= time) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** The value at a time; undefined if unknown. */
  valueAt(time: number): number | undefined {
    const index = this.indexAt(time);
    const value = index === -1 ? Number.NaN : this.value(index);
    return Number.isNaN(value) ? undefined : value;
  }

  /**
   * Minimum and maximum of the samples from index `from` up to, not including, `to`.
   * @param signed reads the words as signed numbers
   */
  extent(from: number, to: number, signed = false): Extent {
    const extent: Extent = { low: Number.POSITIVE_INFINITY, high: Number.NEGATIVE_INFINITY };
    const take = (low: number, high: number) => {
      if (low < extent.low) extent.low = low;
      if (high > extent.high) extent.high = high;
    };
    let index = Math.max(0, from);
    const end = Math.min(to, this.#length);
    while (index < end) {
      const slot = this.#slot(index);
      const whole = slot % BLOCK === 0 && index + BLOCK <= end && (!signed || this.#hasOneSign(slot / BLOCK));
      const low = (whole ? this.#lows[slot / BLOCK] : this.#values[slot]) as number;
      const high = (whole ? this.#highs[slot / BLOCK] : this.#values[slot]) as number;
      // Comparisons with NaN are false and skip unknown values; a block of them has its low above its high.
      if (low <= high) take(signed ? low | 0 : low, signed ? high | 0 : high);
      index += whole ? BLOCK : 1;
    }
    return extent;
  }

  /** Words of one sign have the same order either way; a block with both needs a look at its words. */
  #hasOneSign(block: number): boolean {
    const [low, high] = [this.#lows[block] as number, this.#highs[block] as number];
    return low > high || high < SIGN || low >= SIGN;
  }

  #slot(index: number): number {
    return (this.#begin + index) % this.#times.length;
  }

  #put(slot: number, time: number, value: number): void {
    this.#times[slot] = time;
    this.#values[slot] = value;
    const block = Math.floor(slot / BLOCK);
    if (slot % BLOCK === 0) {
      this.#lows[block] = Number.POSITIVE_INFINITY;
      this.#highs[block] = Number.NEGATIVE_INFINITY;
    }
    if (value < (this.#lows[block] as number)) this.#lows[block] = value;
    if (value > (this.#highs[block] as number)) this.#highs[block] = value;
  }

  #grow(): void {
    const [times, values, length] = [this.#times, this.#values, this.#length];
    const capacity = Math.min(MAX_SAMPLES, 2 * length);
    this.#times = new Float64Array(capacity);
    this.#values = new Float64Array(capacity);
    this.#lows = new Float64Array(capacity / BLOCK);
    this.#highs = new Float64Array(capacity / BLOCK);
    // A growing ring has not wrapped: it begins at its first slot.
    for (let slot = 0; slot < length; slot += 1)
      this.#put(slot, times[slot] as number, values[slot] as number);
  }
}
