import { BuildSlots } from './build-slots.ts';

/** Scans outside a build at once: nearly every one takes a tenth of a second. */
const QUICK = 2;
/** Of those that take long, and of builds that wait for a slot and are looked at meanwhile. */
const LONG = 1;
const EARLY = 1;

/** A scan that runs. */
export interface RunningScan {
  /** Gives its place to the next, and waits for one among those that take long. */
  takesLong(): Promise<void>;
  end(): void;
}

/**
 * The scans that run at once, beside the builds: they never wait for one, and one that takes long does not hold up the
 * others.
 */
export class ScanLanes {
  readonly #quick = new BuildSlots(QUICK);
  readonly #long = new BuildSlots(LONG);
  /** The newest first: it has longest to wait, and the oldest is looked at soonest by its build. */
  readonly #early = new BuildSlots(EARLY, 'newest');

  /**
   * Waits for a place.
   * @param early of a build that waits, not of somebody who does
   * @throws build_aborted when `signal` aborts before it is there
   */
  async enter(signal: AbortSignal, early = false): Promise<RunningScan> {
    let leave = await (early ? this.#early : this.#quick).acquire(() => {}, signal);
    return {
      takesLong: async () => {
        leave();
        leave = await this.#long.acquire(() => {}, signal);
      },
      end: () => leave(),
    };
  }
}
