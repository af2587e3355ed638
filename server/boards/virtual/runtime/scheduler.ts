import type { Clock } from '../../../clock.ts';
import type { RunningDesign, Urgency } from './running-design.ts';

/** Interval of turns for free-running designs, ms. */
const PACE_INTERVAL = 250;
/** How long a design that is ahead waits for the wall clock, ms. */
const AHEAD_INTERVAL = 4;
/** Maximum time of all free-running designs of all threads in one interval, ms: 0.6 % of a core. */
const PACE_BUDGET = 1.5;

export interface Scheduled {
  design: Pick<RunningDesign, 'urgency' | 'runSlice' | 'runPaced'> | null;
  /** Delivers the design's output, and checks whether it has stopped or has room for more. */
  deliver(bytes: Uint8Array): void;
}

/**
 * Shares the time of one thread among its designs. Busy ones get short slices in turn, with room for messages in
 * between, and designs that run on get one such slice between them. Designs that are ahead wait for the wall clock.
 * Free-running ones get a share at intervals. Resting ones get nothing, not even a timer.
 */
export class Scheduler {
  readonly #clock: Clock;
  readonly #all = new Set<Scheduled>();
  /** A round of slices is due. */
  #slicing = false;
  #pacing = false;
  /** Designs that are ahead wait for the clock. */
  #waiting = false;

  readonly #threads: () => number;

  /** @param threads number of threads that share the free-running designs' time, this one included */
  constructor(clock: Clock, threads: () => number = () => 1) {
    this.#clock = clock;
    this.#threads = threads;
  }

  add(scheduled: Scheduled): void {
    this.#all.add(scheduled);
  }

  remove(scheduled: Scheduled): void {
    this.#all.delete(scheduled);
  }

  /** To be called whenever a design may have work. */
  wake(): void {
    if (!this.#isDue()) return;
    this.#slicing = true;
    setImmediate(() => this.#round());
  }

  /** As `wake`, for a design with a waiting caller: due turns begin at once. */
  run(): void {
    if (this.#isDue()) this.#round();
  }

  /** Whether a round of slices must begin. Also sets the timers of designs that wait. */
  #isDue(): boolean {
    // Check each design once: between two checks time passes, and both could miss one that is ahead.
    const urgencies = new Set<Urgency>();
    for (const { design } of this.#all) if (design) urgencies.add(design.urgency);
    if (urgencies.has('ahead')) this.#wait();
    if (urgencies.has('free-running')) this.#pace();
    return !this.#slicing && (urgencies.has('busy') || urgencies.has('going-on'));
  }

  /**
   * One slice for each busy design, since a caller waits for each. One slice for a single design of those that run on,
   * so that a busy design's word waits for only one.
   */
  #round(): void {
    let next: Scheduled | null = null;
    for (const scheduled of this.#all) {
      const urgency = scheduled.design?.urgency;
      if (urgency === 'busy') this.#slice(scheduled);
      else if (urgency === 'going-on') next ??= scheduled;
    }
    if (next) {
      // Move it to the end of the queue.
      this.#all.delete(next);
      this.#all.add(next);
      this.#slice(next);
    }
    this.#slicing = false;
    this.wake();
  }

  #slice(scheduled: Scheduled): void {
    if (scheduled.design) scheduled.deliver(scheduled.design.runSlice());
  }

  #wait(): void {
    if (this.#waiting) return;
    this.#waiting = true;
    this.#clock.after(AHEAD_INTERVAL, () => {
      this.#waiting = false;
      this.wake();
    });
  }

  #pace(): void {
    if (this.#pacing) return;
    this.#pacing = true;
    this.#clock.after(PACE_INTERVAL, () => {
      this.#pacing = false;
      const paced = [...this.#all].filter(({ design }) => design?.urgency === 'free-running');
      const share = PACE_BUDGET / (paced.length * this.#threads());
      for (const scheduled of paced)
        if (scheduled.design) scheduled.deliver(scheduled.design.runPaced(share));
      this.wake();
    });
  }
}
