import type { SavedFile } from './bridge.ts';

type Listener = (saved: SavedFile) => void;

/** The page's end of the saves of watched files: takes them from the application while somebody listens. */
export class SavedFiles {
  readonly #take: () => Promise<SavedFile[]>;
  readonly #listeners = new Set<Listener>();
  /** What was taken when the last listener had just gone: the newest of each node. */
  readonly #left = new Map<number, SavedFile>();

  constructor(take: () => Promise<SavedFile[]>) {
    this.#take = take;
  }

  /** Returns the function that ends it. */
  subscribe(listener: Listener): () => void {
    // A function of its own: the same listener may be there twice.
    const own: Listener = (saved) => listener(saved);
    this.#listeners.add(own);
    void this.fetch();
    return () => this.#listeners.delete(own);
  }

  /** Takes what there is. With no listener it stays with the application, which outlives this page. */
  async fetch(): Promise<void> {
    if (this.#listeners.size === 0) return;
    for (const saved of await this.#take()) this.#left.set(saved.fpga_id, saved);
    if (this.#listeners.size === 0) return;
    const all = [...this.#left.values()];
    this.#left.clear();
    for (const saved of all) for (const listener of this.#listeners) listener(saved);
  }
}
