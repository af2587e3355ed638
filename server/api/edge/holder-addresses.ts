import type { KeyRecord } from '../../identity/records.ts';

/** Maximum addresses and keys; a new one removes the oldest. */
const MOST = 1000;

/**
 * Addresses from which key holders have called. A tool that can't send a key, such as LiteX's, acts for the session's
 * holder if it calls from such an address.
 */
export class HolderAddresses {
  readonly #seen = new Map<string, KeyRecord>();

  /** Records the address of a request with a valid key. */
  note({ key }: { key: KeyRecord | null }, address: string | undefined): void {
    if (!key || address === undefined) return;
    const name = `${address} ${key.username}`;
    this.#seen.delete(name);
    this.#seen.set(name, key);
    if (this.#seen.size <= MOST) return;
    const [oldest] = this.#seen.keys();
    if (oldest !== undefined) this.#seen.delete(oldest);
  }

  /** The key with which an owner has called from an address; it may be invalid by now. */
  keyOf(owner: string, address: string | undefined): KeyRecord | null {
    return this.#seen.get(`${address} ${owner}`) ?? null;
  }
}
