import type { Clock } from '../clock.ts';

/** Holds that are measured, and the fewest that make an estimate. */
const MEASURED = 50;
const MIN_MEASURED = 5;

/** How long nodes are held, from the submit until they are idle again: the measure of a waiting job's time. */
export class HoldTimes {
  readonly #clock: Clock;
  /** Monotonic ms at which a node ceased to be idle. */
  readonly #since = new Map<number, number>();
  /** The newest, ms. */
  readonly #holds: number[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A node is idle, or is not. */
  observe(fpgaId: number, idle: boolean): void {
    const now = this.#clock.monotonic();
    const since = this.#since.get(fpgaId);
    if (!idle && since === undefined) this.#since.set(fpgaId, now);
    if (!idle || since === undefined) return;
    this.#since.delete(fpgaId);
    this.#holds.push(now - since);
    if (this.#holds.length > MEASURED) this.#holds.shift();
  }

  /** Seconds until the job at this place in line has one of so many nodes; null where too little was measured. */
  expectedWait(place: number, nodes: number): number | null {
    if (this.#holds.length < MIN_MEASURED || nodes === 0) return null;
    const mean = this.#holds.reduce((sum, one) => sum + one, 0) / this.#holds.length;
    return Math.round((place * mean) / nodes / 1000);
  }
}
