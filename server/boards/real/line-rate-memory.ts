import type { Clock } from '../../clock.ts';
import type { Logger } from '../../log.ts';
import { settleLineRate } from '../../wishbone/line-rate.ts';
import type { WishboneLink } from '../../wishbone/link.ts';
import type { LineRateStore } from '../line-rates.ts';

/** Milliseconds after which a rate below the highest is not taken for granted any more: a cable may be another one. */
const RECONSIDERED_AFTER = 24 * 60 * 60 * 1000;

interface LineRateMemoryOptions {
  /** The board's identity, e.g. `usb:ib001`. */
  board: string;
  store: LineRateStore;
  clock: Clock;
  logger: Logger;
}

/** What is known of the line to one board: which rate it carries without damaging bytes. */
export class LineRateMemory {
  readonly #options: LineRateMemoryOptions;

  constructor(options: LineRateMemoryOptions) {
    this.#options = options;
  }

  /** Bits a second; null before the board's line was ever tried. */
  get rate(): number | null {
    const { board, store } = this.#options;
    return store.value[board]?.rate ?? null;
  }

  /** Takes a link that has just been opened to the rate that its line carries. @throws what the link throws. */
  async settle(link: WishboneLink): Promise<void> {
    const { clock, board, logger } = this.#options;
    if (link.lineRates.length < 2) return;
    const known = this.#trusted(link);
    const rate = await settleLineRate(link, known, clock);
    if (rate === known) return;
    logger.info({ board, rate }, 'the line rate has settled');
    this.#keep(rate);
  }

  /** Bytes were damaged at a rate: from the next opening on the link stays below it. */
  failed(rate: number, lineRates: readonly number[]): void {
    const lower = lineRates.filter((each) => each < rate).at(-1);
    if (lower === undefined || (this.rate !== null && this.rate <= lower)) return;
    const { board, logger } = this.#options;
    logger.warn({ board, rate, next: lower }, 'bytes were damaged on the line: it will run at a lower rate');
    this.#keep(lower);
  }

  #trusted({ lineRates }: WishboneLink): number | null {
    const { board, store, clock } = this.#options;
    const known = store.value[board];
    if (!known) return null;
    const reconsidered = known.rate < (lineRates.at(-1) ?? 0) && clock.now() - known.at > RECONSIDERED_AFTER;
    return reconsidered ? null : known.rate;
  }

  /** Nobody waits for the disk: a rate that is lost is measured again. */
  #keep(rate: number): void {
    const { board, store, clock, logger } = this.#options;
    store
      .write({ ...store.value, [board]: { rate, at: clock.now() } })
      .catch((error: unknown) => logger.warn({ board, err: error }, 'the line rate could not be kept'));
  }
}
