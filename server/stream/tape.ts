/** Stored words of one session: 1 MiB a node. */
const MAX_WORDS = 1 << 18;
/** Maximum waiting runs with stored words. */
const MAX_PENDING = 4096;

/** All words of a session's transactions, for scripts. */
export class Tape {
  /** By seq of the transaction, the oldest first. */
  readonly #words = new Map<number, Uint32Array>();
  /** Words of runs that have not ended, by job. */
  readonly #pending = new Map<string, Uint32Array>();
  #total = 0;

  clear(): void {
    this.#words.clear();
    this.#pending.clear();
    this.#total = 0;
  }

  /** @param words must not change afterwards */
  keep(seq: number, words: Uint32Array): void {
    if (words.length === 0 || words.length > MAX_WORDS) return;
    this.drop(seq);
    this.#words.set(seq, words);
    this.#total += words.length;
    // Finding a map's first entry is slow after many removals: search only when removing.
    if (this.#total <= MAX_WORDS) return;
    for (const oldest of this.#words.keys()) {
      this.drop(oldest);
      if (this.#total <= MAX_WORDS) return;
    }
  }

  drop(seq: number): void {
    this.#total -= this.#words.get(seq)?.length ?? 0;
    this.#words.delete(seq);
  }

  /** Null where they are not stored. */
  wordsOf(seq: number): Uint32Array | null {
    return this.#words.get(seq) ?? null;
  }

  /** Stores the words that a run will write. */
  expect(jobId: string, words: Uint32Array): void {
    if (this.#pending.size < MAX_PENDING) this.#pending.set(jobId, words);
  }

  /** Takes the words of a run that has ended. */
  arrived(jobId: string): Uint32Array | null {
    const words = this.#pending.get(jobId) ?? null;
    this.#pending.delete(jobId);
    return words;
  }
}
