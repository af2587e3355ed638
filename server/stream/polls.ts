import type { Clock } from '../clock.ts';
import { BenchError } from '../errors/bench-error.ts';
import type { LinkWork } from '../nodes/link-use.ts';
import { failureOf, type Outcome, outcomeOf } from './transaction.ts';

/** A subscriber to the words of a place. */
export interface Watcher {
  /** Its owner. */
  owner: string;
  everyMs: number;
  /** Called at first, and on every change. @param at milliseconds since 1970 */
  changed(address: number, outcome: Outcome, at: number): void;
}

/** Called with the outcome of each poll. @param at milliseconds since 1970 @param differs from the poll before */
export type PollListener = (
  place: { address: number; count: number },
  outcome: Outcome,
  about: { at: number; owner: string; differs: boolean },
) => void;

/** A place that is polled for all of its subscribers. */
interface Place {
  address: number;
  count: number;
  watchers: Set<Watcher>;
  last: { outcome: Outcome; at: number } | null;
  /** Time of the next read, monotonic ms. */
  due: number;
}

const sameOutcome = (a: Outcome, b: Outcome): boolean =>
  a.ok && b.ok
    ? a.data.every((word, i) => word === b.data[i])
    : !a.ok && !b.ok && a.error.code === b.error.code && a.error.address === b.error.address;

const everyMs = ({ watchers }: Place): number => {
  let least = Number.POSITIVE_INFINITY;
  for (const watcher of watchers) least = Math.min(least, watcher.everyMs);
  return least;
};

/**
 * The polls of one node. Each place is read once for all subscribers, at the shortest of their intervals, and only
 * changes are reported. Due places share one turn at the link.
 */
export class NodePolls {
  readonly #clock: Clock;
  readonly #overLink: (work: LinkWork<void>) => Promise<void>;
  readonly #onPoll: PollListener;
  readonly #places = new Map<string, Place>();
  #cancel: (() => void) | null = null;
  #polling = false;

  constructor(clock: Clock, overLink: (work: LinkWork<void>) => Promise<void>, onPoll: PollListener) {
    this.#clock = clock;
    this.#overLink = overLink;
    this.#onPoll = onPoll;
  }

  /** Subscribes to a place and reports its known words at once; returns the function that ends it. */
  watch(address: number, count: number, watcher: Watcher): () => void {
    const key = `${address} ${count}`;
    const place: Place = this.#places.get(key) ?? { address, count, watchers: new Set(), last: null, due: 0 };
    this.#places.set(key, place);
    place.watchers.add(watcher);
    if (place.last) watcher.changed(address, place.last.outcome, place.last.at);
    place.due = Math.min(place.due, this.#clock.monotonic() + watcher.everyMs);
    this.#arm();
    return () => {
      place.watchers.delete(watcher);
      if (place.watchers.size > 0 || this.#places.get(key) !== place) return;
      this.#places.delete(key);
      this.#arm();
    };
  }

  /** Removes all subscriptions: the session is over. */
  clear(): void {
    this.#places.clear();
    this.#arm();
  }

  #arm(): void {
    this.#cancel?.();
    this.#cancel = null;
    if (this.#polling || this.#places.size === 0) return;
    let due = Number.POSITIVE_INFINITY;
    for (const place of this.#places.values()) due = Math.min(due, place.due);
    this.#cancel = this.#clock.after(Math.max(0, due - this.#clock.monotonic()), () => void this.#poll());
  }

  async #poll(): Promise<void> {
    this.#cancel = null;
    this.#polling = true;
    const now = this.#clock.monotonic();
    // A timer may fire slightly early.
    const due = [...this.#places.values()].filter((place) => place.due <= now + 1);
    for (const place of due) place.due = now + everyMs(place);
    try {
      await this.#overLink(async (link, signal) => {
        await Promise.all(
          due.map(async (place) =>
            this.#report(place, outcomeOf(await link.read(place.address, place.count, { signal }), 0)),
          ),
        );
      });
    } catch (error) {
      if (!(error instanceof BenchError)) throw error;
      for (const place of due) this.#report(place, { ok: false, error: failureOf(error), ms: null });
    } finally {
      this.#polling = false;
      this.#arm();
    }
  }

  #report(place: Place, outcome: Outcome): void {
    const before = place.last;
    const at = this.#clock.now();
    const differs = !before || !sameOutcome(before.outcome, outcome);
    // The subscriber of longest standing counts as the owner.
    const [first] = place.watchers;
    if (first) this.#onPoll(place, outcome, { at, owner: first.owner, differs });
    if (!differs) return;
    place.last = { outcome, at };
    for (const watcher of place.watchers) watcher.changed(place.address, outcome, at);
  }
}
