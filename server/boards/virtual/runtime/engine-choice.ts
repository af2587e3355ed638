/** How a machine evaluates its design. */
export type Evaluation =
  /** What has changed, and what that changes: see MachineCode. */
  | 'events'
  /** Everything in every clock, in words: see wordMachineCode. */
  | 'words';

/** Of so many runs one is timed: looking at the clock takes time too. Odd, so that traffic of an even rhythm is met at all of its runs. */
const TIMED = 17;
/**
 * Timed runs in a sample, and the clocks that they have together. What half of those clocks took at most counts: a run that
 * had to share its core was no slower than others, and one of few clocks, which says more about calls than about the
 * design, counts where the design has no others.
 */
const SAMPLE = 31;
const SAMPLED_CLOCKS = 1000;
/**
 * Below so many nanoseconds a clock, another way to evaluate is not looked for: that is near the 83 of a real board's clock, and
 * well above what the bridge takes whose words somebody waits for.
 */
const FAST_ENOUGH = 120;
/** Samples in a row that have to be slower than that. */
const SLOW_SAMPLES = 4;
/**
 * For so many clocks after a sample nobody looks, where the design goes on as it is: looking takes a twentieth of what a bridge
 * does, and a fifth of what a design in words does whose output changes at every second clock.
 */
const LEFT_ALONE = 50_000;
/** Clocks until V8's optimising compiler has seen new code. */
const WARM_UP = 60_000;
/** Clocks after which the other way is tried again; twice as many after each time that it was slower, up to the second. */
const RECHECK = 2_000_000;
const LAST_RECHECK = 32_000_000;
/** Runs that say something all the same, where they are long or leave no doubt. */
const FEW = 5;
/** It is not tried to the end where a few runs took so many times what the way before takes, each of them. */
const MUCH_SLOWER = 2;
/**
 * Words that take so many times what they took at first, in so many samples in a row, are compiled again for what the design does now;
 * not before so many clocks, and after each time not before twice as many.
 */
const GROWN = 1.3;
const GROWN_SAMPLES = 4;
const AGAIN = 4_000_000;

/**
 * Chooses how a design is evaluated by how long it takes: both ways come to the same, so nothing but time depends on
 * it. A design that is slow is tried in words; whichever is faster goes on, and the other is tried again now and then. Words are
 * compiled again where the design has come to do something else than what they were made for.
 */
export class EngineChoice {
  /** What the next clocks are to be evaluated with. */
  current: Evaluation = 'events';
  /** Nanoseconds a clock; 0 when unknown. */
  readonly #cost: Record<Evaluation, number> = { events: 0, words: 0 };
  #runs = 0;
  #clocks = 0;
  /** Timed runs: nanoseconds a clock, and clocks. */
  #timed: { cost: number; clocks: number }[] = [];
  #timedClocks = 0;
  #slow = 0;
  /** Clocks that follow now and are not looked at. */
  #unwatched = 0;
  /** What words took at first since they were compiled, how often in a row it was much more, and clocks since then. */
  #atFirst = 0;
  #grown = 0;
  #inWords = 0;
  #again = AGAIN;
  /** How it was evaluated before the other way was tried, and clocks until that is tried again. */
  #before: Evaluation = 'events';
  #recheck = RECHECK;
  #state: 'watching' | 'preparing' | 'warming' | 'trying' | 'settled' | 'fixed' = 'watching';
  readonly #now: () => number;
  readonly #prepareWords: (done: (possible: boolean) => void) => void;

  /**
   * @param now milliseconds, monotonic
   * @param prepareWords compiles the design for words, and says when that is done; false when it cannot be done
   */
  constructor(now: () => number, prepareWords: (done: (possible: boolean) => void) => void) {
    this.#now = now;
    this.#prepareWords = prepareWords;
  }

  /** From now on the same, whatever it takes. */
  fix(evaluation: Evaluation): void {
    this.#state = 'fixed';
    this.current = evaluation;
  }

  /** To be called before a run: the time, or -1 where it is not to be timed. */
  start(): number {
    if (this.#state === 'fixed') return -1;
    return this.#runs++ % TIMED === 0 || this.#state === 'trying' ? this.#now() : -1;
  }

  /**
   * To be called after a run that has executed so many clocks, with what `start` has returned.
   * @returns clocks from now on whose runs need not be told
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
        // It goes on as it is until then.
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

  /** Whether what was seen of the design when it was compiled for words seems not to be what it does any more. */
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

  /** Whether a few runs have taken so many clocks that they need not be more: while the line is quiet, runs are long. */
  get #long(): boolean {
    return this.#timed.length >= FEW && this.#timedClocks >= WARM_UP;
  }

  /** Whether what is tried is slower than the other way beyond doubt. */
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

  /** Nanoseconds a clock in the runs that were timed. */
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
