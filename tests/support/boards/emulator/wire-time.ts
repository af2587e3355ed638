/**
 * Timing of the wire. `modelled` takes real time, so that a measurement includes the cost of the wire; `instant` is for
 * tests of behaviour; `unhurried` is for a host slower than the wire, such as an emulated processor: it gets no empty
 * packets.
 */
export type Wire = 'instant' | 'modelled' | 'unhurried';

/** A wire that is busy one thing after the other. */
export class WireTime {
  readonly #wire: Wire;
  #free = 0;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  /** When the wire becomes free, milliseconds of performance.now(). */
  get free(): number {
    return this.#free;
  }

  /**
   * Keeps the wire busy for `seconds` and waits until it is free again.
   * @param since when there was something to send: a wire with work does not idle because the emulation of it
   *   is late, so what was lost is caught up.
   */
  async spend(seconds: number, since = performance.now()): Promise<void> {
    if (this.#wire !== 'modelled') return;
    this.#free = Math.max(this.#free, since) + seconds * 1000;
    if (this.#free - performance.now() > 0.2) await waitUntil(this.#free);
  }
}

/** Waits to within a few microseconds: timers round up to whole milliseconds, so the last one is spun. */
export async function waitUntil(time: number): Promise<void> {
  const whole = Math.floor(time - performance.now()) - 1;
  if (whole > 0) await new Promise((resolve) => setTimeout(resolve, whole));
  while (performance.now() < time) await new Promise((resolve) => setImmediate(resolve));
}
