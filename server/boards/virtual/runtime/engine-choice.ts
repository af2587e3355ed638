/** The engine of a machine. */
export type Evaluation =
  /** The event-driven engine evaluates changes: see MachineCode. */
  | 'events'
  /** The compiled engine evaluates everything in every clock: see wordMachineCode. */
  | 'words';

/**
 * One run in so many is timed, because reading the clock takes time too. Odd, so that traffic with an even rhythm is
 * sampled at all of its phases.
 */
const TIMED = 17;
/**
 * Timed runs in a sample, and their total clocks. The median by clocks counts: runs on a shared core are slower than
 * others. Runs of few clocks measure calls rather than the design, and count only where there are no others.
 */
const SAMPLE = 31;
const SAMPLED_CLOCKS = 1000;
/**
 * Nanoseconds a clock below which no other engine is tried. It is near the 83 of a real board's clock, and well above a
 * bridge with waiting callers.
 */
const FAST_ENOUGH = 120;
/** Consecutive samples that must be slower than that. */
const SLOW_SAMPLES = 4;
/**
 * Clocks without timing after a sample, while the engine stays the same. Timing costs a twentieth of a bridge's time,
 * and a fifth of a compiled design whose output changes every other clock.
 */
const LEFT_ALONE = 50_000;
/** Clocks until V8's optimising compiler has processed new code. */
const WARM_UP = 60_000;
/**
 * Clocks until the other engine is tried again. The number doubles each time it was slower, up to the second constant.
 */
const RECHECK = 2_000_000;
const LAST_RECHECK = 32_000_000;
/** Minimum runs that still give a result, where they are long or clear. */
const FEW = 5;
/** A trial ends early when a few runs each took so many times the old engine's time. */
const MUCH_SLOWER = 2;
/**
 * A compiled engine is compiled again for the design's present behaviour when so many consecutive samples take so many
 * times the first ones. It waits for at least so many clocks, which double each time.
 */
const GROWN = 1.3;
const GROWN_SAMPLES = 4;
const AGAIN = 4_000_000;

/**
 * Chooses a design's engine by speed; results are equal in both. A slow design is tried in the compiled engine. The
 * faster one continues, and the other is tried again from time to time. The engine is compiled again when the design's
 * behaviour has changed.
 */
export class EngineChoice {
  /** The engine for the next clocks. */
  current: Evaluation = 'events';
  /** Nanoseconds a clock; 0 when unknown. */
  readonly #cost: Record<Evaluation, number> = { events: 0, words: 0 };
  #runs = 0;
  #clocks = 0;
  /** Timed runs: nanoseconds a clock, and clocks. */
  #timed: { cost: number; clocks: number }[] = [];
  #timedClocks = 0;
  #slow = 0;
  /** Remaining clocks without timing. */
  #unwatched = 0;
  /** First cost of the compiled engine, consecutive samples far above it, and clocks since its compilation. */
  #atFirst = 0;
  #grown = 0;
  #inWords = 0;
  #again = AGAIN;
  /** The engine before a trial, and clocks until the next one. */
  #before: Evaluation = 'events';
  #recheck = RECHECK;
  #state: 'watching' | 'preparing' | 'warming' | 'trying' | 'settled' | 'fixed' = 'watching';
  readonly #now: () => number;
  readonly #prepareWords: (done: (possible: boolean) => void) => void;

  /**
   * @param now monotonic milliseconds
   * @param prepareWords compiles the design for the compiled engine and calls back; false when that is impossible
   */
  constructor(now: () => number, prepareWords: (done: (possible: boolean) => void) => void) {
    this.#now = now;
    this.#prepareWords = prepareWords;
  }

  /** Fixes the engine, whatever its speed. */
  fix(evaluation: Evaluation): void {
    this.#state = 'fixed';
    this.current = evaluation;
  }

  /** To be called before a run: the time, or -1 where it is not timed. */
  start(): number {
    if (this.#state === 'fixed') return -1;
    return this.#runs++ % TIMED === 0 || this.#state === 'trying' ? this.#now() : -1;
  }

  /**
   * To be called after a run of so many clocks, with the result of `start`.
   * @returns clocks whose runs need not be reported
   */
  finish(started: number, clocks: number): number {
    if (this.#state === 'fixed') return Number.POSITIVE_INFINITY;
    this.#clocks += clocks;
    this.#inWords += clocks;
    if (started >= 0 && clocks > 0) {
      this.#timed.push({ cost: ((this.#now() - started) * 1e6) / clocks, clocks });
      this.#timedClocks += clocks;
    }
    this.#unwatched = 0;
    this.#judge();
    return this.#unwatched;
  }

  #judge(): void {
    switch (this.#state) {
      case 'watching':
        if (!this.#enough) return;
        this.#slow = this.#sampled() > FAST_ENOUGH ? this.#slow + 1 : 0;
        if (this.#slow === 0) this.#leaveAlone();
        if (this.#slow < SLOW_SAMPLES) return;
        this.#prepare();
        return;
      case 'preparing':
        // The present engine continues until then.
        this.#forget();
        this.#leaveAlone();
        return;
      case 'warming':
        if (this.#clocks >= WARM_UP) this.#begin('trying', this.current);
        return;
      case 'trying':
        if (!this.#enough && !this.#hopeless && !this.#long) return;
        this.#sampled();
        this.#settle(this.#cost.words > 0 && this.#cost.words <= this.#cost.events ? 'words' : 'events');
        return;
      case 'settled':
        if (this.#enough) {
          this.#sampled();
          if (this.#outgrown) this.#prepareAgain();
          else this.#leaveAlone();
        }
        if (this.#clocks >= this.#recheck) {
          this.#before = this.current;
          this.#begin('trying', this.current === 'words' ? 'events' : 'words');
        }
        return;
      case 'fixed':
        return;
    }
  }

  #settle(evaluation: Evaluation): void {
    this.#recheck = evaluation === this.#before ? Math.min(2 * this.#recheck, LAST_RECHECK) : RECHECK;
    this.#before = evaluation;
    this.#begin('settled', evaluation);
  }

  #leaveAlone(): void {
    this.#unwatched = LEFT_ALONE;
    this.#clocks += LEFT_ALONE;
    this.#inWords += LEFT_ALONE;
  }

  /** Whether the design no longer behaves as it did when it was compiled. */
  get #outgrown(): boolean {
    if (this.current === 'events') return false;
    const { words } = this.#cost;
    if (this.#atFirst === 0) this.#atFirst = words;
    this.#grown = words > GROWN * this.#atFirst ? this.#grown + 1 : 0;
    return this.#grown >= GROWN_SAMPLES && this.#inWords >= this.#again;
  }

  #prepareAgain(): void {
    this.#again *= 2;
    this.#atFirst = 0;
    this.#grown = 0;
    this.#prepare();
  }

  #prepare(): void {
    this.#state = 'preparing';
    this.#prepareWords((possible) => {
      if (this.#state !== 'preparing') return;
      this.#inWords = 0;
      if (possible) this.#begin('warming', 'words');
      else this.fix('events');
    });
  }

  get #enough(): boolean {
    return this.#timed.length >= SAMPLE && this.#timedClocks >= SAMPLED_CLOCKS;
  }

  /** Whether a few runs have enough clocks: while the line is quiet, runs are long. */
  get #long(): boolean {
    return this.#timed.length >= FEW && this.#timedClocks >= WARM_UP;
  }

  /** Whether the engine on trial is clearly slower. */
  get #hopeless(): boolean {
    const known = this.#cost[this.current === 'words' ? 'events' : 'words'];
    if (known === 0 || this.#timed.length < FEW || this.#timedClocks < SAMPLED_CLOCKS) return false;
    return this.#timed.every(({ cost }) => cost > MUCH_SLOWER * known);
  }

  #begin(state: 'warming' | 'trying' | 'settled', evaluation: Evaluation): void {
    this.#state = state;
    this.current = evaluation;
    this.#clocks = 0;
    this.#unwatched = 0;
    this.#forget();
  }

  #forget(): void {
    this.#timed = [];
    this.#timedClocks = 0;
  }

  /** Nanoseconds a clock in the timed runs. */
  #sampled(): number {
    let before = 0;
    const cost =
      this.#timed
        .sort((x, y) => x.cost - y.cost)
        .find(({ clocks }) => {
          before += clocks;
          return 2 * before >= this.#timedClocks;
        })?.cost ?? 0;
    this.#cost[this.current] = cost;
    this.#forget();
    return cost;
  }
}
