import type { Clock } from '../../clock.ts';
import type { Logger } from '../../log.ts';
import { settleLineRate } from '../../wishbone/line-rate.ts';
import type { WishboneLink } from '../../wishbone/link.ts';
import type { LineRateStore } from '../line-rates.ts';

/** Time after which a rate below the highest is measured again, ms: the cable may have changed. */
const RECONSIDERED_AFTER = 24 * 60 * 60 * 1000;

interface LineRateMemoryOptions {
  /** The board's identity, e.g. `usb:ib001`. */
  board: string;
  store: LineRateStore;
  clock: Clock;
  logger: Logger;
}

/** The stored line rate of one board, at which no byte is damaged. */
export class LineRateMemory {
  readonly #options: LineRateMemoryOptions;

  constructor(options: LineRateMemoryOptions) {
    this.#options = options;
  }

  /** Bits a second; null before the first measurement. */
  get rate(): number | null {
    const { board, store } = this.#options;
    return store.value[board]?.rate ?? null;
  }

  /** Takes a new link to its working rate. @throws what the link throws. */
  async settle(link: WishboneLink): Promise<void> {
    const { clock, board, logger } = this.#options;
    if (link.lineRates.length < 2) return;
    const known = this.#trusted(link);
    const rate = await settleLineRate(link, known, clock);
    if (rate === known) return;
    logger.info({ board, rate }, 'the line rate has settled');
    this.#keep(rate);
  }

  /** Bytes were damaged at a rate: later links stay below it. */
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

  /** No caller waits for the disk: a lost rate is measured again. */
  #keep(rate: number): void {
    const { board, store, clock, logger } = this.#options;
    store
      .write({ ...store.value, [board]: { rate, at: clock.now() } })
      .catch((error: unknown) => logger.warn({ board, err: error }, 'the line rate could not be stored'));
  }
}
