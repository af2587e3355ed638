import type { Clock } from '../../clock.ts';
import { every } from '../../clock.ts';
import { apiError } from '../../errors/api.ts';
import { BenchError } from '../../errors/bench-error.ts';

/** What goes on for long under the rights of a caller. */
export type OpenResponseKind = 'stream' | 'follow' | 'wait' | 'transactions' | 'view';

/** Whose rights something goes on under; see Caller. */
interface Holder {
  readonly countedAs: string;
  readonly loopback: boolean;
  readonly key: { readonly expires_at: string | null } | null;
}

/**
 * How many at once: of one caller on the network, of all of them, and of everybody. The rest is this computer's, one
 * caller there may have it whole.
 */
export const BOUNDS: Readonly<Record<OpenResponseKind, { perCaller: number; remote: number; all: number }>> =
  {
    stream: { perCaller: 40, remote: 150, all: 200 },
    follow: { perCaller: 40, remote: 150, all: 200 },
    wait: { perCaller: 200, remote: 1500, all: 2000 },
    transactions: { perCaller: 40, remote: 200, all: 300 },
    view: { perCaller: 40, remote: 300, all: 400 },
  };

/** A clock that is set while a key runs out is noticed this much later at most, ms. */
const LOOK_AGAIN_MS = 1_000;

interface Entry {
  readonly kind: OpenResponseKind;
  readonly caller: Holder;
  /** @throws BenchError when the caller may not go on. */
  readonly check: () => void;
  readonly end: (reason: BenchError) => void;
}

/**
 * Everything that goes on under the rights of a caller: event streams, followed logs, waiting requests, transaction
 * streams and who watches them. It is bounded, and it ends when the rights do: when a key is revoked or expires, a session is lost, or the rules are made stricter.
 */
export class OpenResponses {
  readonly #clock: Clock;
  readonly #entries = new Set<Entry>();
  readonly #endLooks: () => void;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#endLooks = every(clock, LOOK_AGAIN_MS, () => this.recheck());
  }

  count(kind: OpenResponseKind, which: (caller: Holder) => boolean = () => true): number {
    let count = 0;
    for (const entry of this.#entries) if (entry.kind === kind && which(entry.caller)) count++;
    return count;
  }

  /** Whether one more may begin. */
  hasRoom(kind: OpenResponseKind, caller: Holder): boolean {
    return this.#refusal(kind, caller) === null;
  }

  #refusal(kind: OpenResponseKind, caller: Holder): 'too_many_open' | 'too_many_streams' | null {
    const { perCaller, remote, all } = BOUNDS[kind];
    if (!caller.loopback) {
      if (this.count(kind, ({ countedAs }) => countedAs === caller.countedAs) >= perCaller)
        return 'too_many_open';
      if (this.count(kind, ({ loopback }) => !loopback) >= remote) return 'too_many_streams';
    }
    return this.count(kind) >= all ? 'too_many_streams' : null;
  }

  /**
   * Begins something that `end` ends, at once when `check` refuses it from now on. Returns what takes it off the list.
   * @throws BenchError too_many_open for one caller, too_many_streams for all.
   */
  begin(kind: OpenResponseKind, { caller, check, end }: Omit<Entry, 'kind'>): () => void {
    const refusal = this.#refusal(kind, caller);
    if (refusal !== null) throw apiError(refusal);
    const entry: Entry = { kind, caller, check, end };
    this.#entries.add(entry);
    const { expires_at: expires } = caller.key ?? { expires_at: null };
    const left = expires === null ? null : Date.parse(expires) - this.#clock.now();
    const cancel = left === null ? () => {} : this.#clock.after(Math.max(0, left), () => this.recheck());
    return () => {
      cancel();
      this.#entries.delete(entry);
    };
  }

  /** Asks of everything whether it may go on, and ends what may not. */
  recheck(): void {
    for (const entry of [...this.#entries]) {
      try {
        entry.check();
      } catch (error) {
        if (!(error instanceof BenchError)) throw error;
        this.#entries.delete(entry);
        entry.end(error);
      }
    }
  }

  close(): void {
    this.#endLooks();
  }
}
