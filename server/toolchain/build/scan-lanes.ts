import { Slots } from '../slots.ts';

/** Scans at once outside builds. Nearly all take a tenth of a second. */
const QUICK = 2;
/** Limits of long scans, and of early scans of waiting builds. */
const LONG = 1;
const EARLY = 1;

/** A running scan. */
export interface RunningScan {
  /** Gives up its place, and waits for one among the long scans. */
  takesLong(): Promise<void>;
  end(): void;
}

/** Limits the scans at once. They never wait for a build, and a long scan does not block the short ones. */
export class ScanLanes {
  readonly #quick = new Slots(QUICK);
  readonly #long = new Slots(LONG);
  /** The newest first: it waits longest, and the build of the oldest begins soonest. */
  readonly #early = new Slots(EARLY, 'newest');

  /**
   * Waits for a place.
   * @param early a scan of a waiting build, not of a caller
   * @throws build_aborted when `signal` aborts first
   */
  async enter(signal: AbortSignal, early = false): Promise<RunningScan> {
    let leave = await (early ? this.#early : this.#quick).acquire(signal);
    return {
      takesLong: async () => {
        leave();
        leave = await this.#long.acquire(signal);
      },
      end: () => leave(),
    };
  }
}
