import type { Clock } from '../../../clock.ts';
import type { RunningDesign, Urgency } from './running-design.ts';

/** How often free-running designs are run, milliseconds. */
const PACE_INTERVAL = 250;
/** How long a design that is ahead of the clock on the wall waits for it, milliseconds. */
const AHEAD_INTERVAL = 4;
/** What all free-running designs of all threads may use in one interval, milliseconds: 0.6 % of a core. */
const PACE_BUDGET = 1.5;

export interface Scheduled {
  design: Pick<RunningDesign, 'urgency' | 'runSlice' | 'runPaced'> | null;
  /** Takes what the design has sent and notices that it has stopped or has room for more. */
  deliver(bytes: Uint8Array): void;
}

/**
 * Shares the time of one thread among its designs: busy ones get short slices one after another, with room for
 * messages in between, and of those that go on one by turns; those that are ahead the same when the clock on the wall has
 * followed; free-running ones a share at intervals; resting ones nothing, not even a timer.
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

  /** @param threads how many threads share what free-running designs may use, this one with them */
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

  /** To be called whenever a design may have something to do. */
  wake(): void {
    if (!this.#isDue()) return;
    this.#slicing = true;
    setImmediate(() => this.#round());
  }

  /** As `wake`, for a design that is waited for: the turns that are due begin at once. */
  run(): void {
    if (this.#isDue()) this.#round();
  }

  /** Whether a round of slices is to begin. For those that want none yet, what they wait for is seen to. */
  #isDue(): boolean {
    // Each is looked at once: with the time that passes between two looks, one that is ahead could be missed by both.
    const urgencies = new Set<Urgency>();
    for (const { design } of this.#all) if (design) urgencies.add(design.urgency);
    if (urgencies.has('ahead')) this.#wait();
    if (urgencies.has('free-running')) this.#pace();
    return !this.#slicing && (urgencies.has('busy') || urgencies.has('going-on'));
  }

  /**
   * One slice for each busy design, for somebody waits for each of them; and for one of those that go on, so that a word of
   * a busy design waits for one slice of theirs, however many they are.
   */
  #round(): void {
    let next: Scheduled | null = null;
    for (const scheduled of this.#all) {
      const urgency = scheduled.design?.urgency;
      if (urgency === 'busy') this.#slice(scheduled);
      else if (urgency === 'going-on') next ??= scheduled;
    }
    if (next) {
      // Behind the others, whose turn it is after this.
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
