import type { Clock } from '../../clock.ts';
import { every } from '../../clock.ts';
import { apiError } from '../../errors/api.ts';
import { BenchError } from '../../errors/bench-error.ts';

/** Kinds of long-lived responses under the rights of a caller. */
export type OpenResponseKind = 'stream' | 'follow' | 'wait' | 'transactions' | 'view';

/** The caller whose rights apply; see Caller. */
interface Holder {
  readonly countedAs: string;
  readonly loopback: boolean;
  readonly key: { readonly expires_at: string | null } | null;
}

/**
 * Maximum at once: of one remote caller, of all remote callers, and in total. The difference is reserved for this
 * computer, where one caller may use all of it.
 */
export const BOUNDS: Readonly<Record<OpenResponseKind, { perCaller: number; remote: number; all: number }>> =
  {
    stream: { perCaller: 40, remote: 150, all: 200 },
    follow: { perCaller: 40, remote: 150, all: 200 },
    wait: { perCaller: 200, remote: 1500, all: 2000 },
    transactions: { perCaller: 40, remote: 200, all: 300 },
    view: { perCaller: 40, remote: 300, all: 400 },
  };

/** When the clock is set, the expiry of a key is noticed at most this much later, ms. */
const LOOK_AGAIN_MS = 1_000;

interface Entry {
  readonly kind: OpenResponseKind;
  readonly caller: Holder;
  /** @throws BenchError when the caller's rights have ended. */
  readonly check: () => void;
  readonly end: (reason: BenchError) => void;
}

/**
 * All long-lived responses: event streams, followed logs, waiting requests, transaction streams and viewers. Their
 * number is limited. They end when the caller's rights do: its key is revoked or expires, it loses the session, or the
 * rules become stricter.
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

  /** Whether there is room for one more. */
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
   * Registers a long-lived response, which `end` ends as soon as `check` throws. Returns the function that removes it.
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

  /** Checks all of them again, and ends those whose rights have ended. */
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
