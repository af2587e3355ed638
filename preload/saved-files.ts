import type { SavedFile } from './bridge.ts';

type Listener = (saved: SavedFile) => void;

/** The page's side of saved files: takes them from the application while there is a listener. */
export class SavedFiles {
  readonly #take: () => Promise<SavedFile[]>;
  readonly #listeners = new Set<Listener>();
  /** Saves that arrived after the last listener was removed: the newest of each node. */
  readonly #left = new Map<number, SavedFile>();

  constructor(take: () => Promise<SavedFile[]>) {
    this.#take = take;
  }

  /** Returns the function that ends it. */
  subscribe(listener: Listener): () => void {
    // A new function, because the same listener may be added twice.
    const own: Listener = (saved) => listener(saved);
    this.#listeners.add(own);
    void this.fetch();
    return () => this.#listeners.delete(own);
  }

  /** Takes waiting saves. Without a listener they stay in the application, which outlives this page. */
  async fetch(): Promise<void> {
    if (this.#listeners.size === 0) return;
    for (const saved of await this.#take()) this.#left.set(saved.fpga_id, saved);
    if (this.#listeners.size === 0) return;
    const all = [...this.#left.values()];
    this.#left.clear();
    for (const saved of all) for (const listener of this.#listeners) listener(saved);
  }
}
