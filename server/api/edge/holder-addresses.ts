import type { KeyRecord } from '../../identity/records.ts';

/** Addresses and keys that are remembered; more push the oldest out. */
const MOST = 1000;

/**
 * From where the bearers of keys have called. Tools that cannot send a key, LiteX's for example, are taken for the
 * holder of a session where they call from an address that the holder's key came from.
 */
export class HolderAddresses {
  readonly #seen = new Map<string, KeyRecord>();

  /** A request with a valid key came from an address. */
  note({ key }: { key: KeyRecord | null }, address: string | undefined): void {
    if (!key || address === undefined) return;
    const name = `${address} ${key.username}`;
    this.#seen.delete(name);
    this.#seen.set(name, key);
    if (this.#seen.size <= MOST) return;
    const [oldest] = this.#seen.keys();
    if (oldest !== undefined) this.#seen.delete(oldest);
  }

  /** The key of an owner that has come from an address, valid or not by now. */
  keyOf(owner: string, address: string | undefined): KeyRecord | null {
    return this.#seen.get(`${address} ${owner}`) ?? null;
  }
}
