import { type Clock, pause } from '../clock.ts';
import { authError } from '../errors/auth.ts';
import {
  digestOf,
  type IdentityRecord,
  type InviteRecord,
  isIdentityRecord,
  isInviteRecord,
  type KeyRecord,
  withDefaults,
} from './records.ts';

/** Storage of the records. `write` resolves when they are on disk. */
interface KeyDocument {
  /** The stored value, unchecked; undefined when there is none. */
  read(): unknown;
  write(records: IdentityRecord[]): Promise<void>;
  /** Reaches the disk soon; may be lost in a crash. */
  writeSoon(records: IdentityRecord[]): void;
}

/** `last_used_at` has a resolution of a minute: a write for every request would wear the disk. */
const LAST_USED_STEP_MS = 60_000;
const DAY_MS = 86_400_000;
/** Maximum unexpired keys and invitations, of one user and of all together. */
export const KEYS_PER_USER = 100;
const KEYS_IN_ALL = 10_000;
/** Interval of attempts to store a failed revocation, ms. */
const RETRY_MS = 2_000;
/** Bytes of an invitation's code: it is short-lived, and must make a readable QR code. */
const CODE_BYTES = 16;

export interface ApiKeysOptions {
  document: KeyDocument;
  clock: Clock;
  /** A new id for a record. */
  newId(): string;
  /** 256 new random bits. */
  newSecret(): Buffer;
  /** Days until a new key expires; null for never. */
  lifetimeDays(): number | null;
}

/** The options of a new key. */
export interface KeyWish {
  /** Its purpose, as the user or the operator names it. */
  label?: string | null;
  /** It carries the operator's right. */
  operator?: boolean;
  /** Milliseconds until it expires; default from the settings. */
  lifetimeMs?: number;
}

/** The API keys of this service, and the invitations that become keys when they are redeemed. */
export class ApiKeys {
  readonly #options: ApiKeysOptions;
  readonly #byDigest = new Map<string, KeyRecord>();
  readonly #invites = new Map<string, InviteRecord>();
  readonly #onRevoked = new Set<(id: string) => void>();
  /** Revoked entries that are still on disk. */
  readonly #unstoredRevocations = new Set<string>();
  #retrying = false;
  #closed = false;

  constructor(options: ApiKeysOptions) {
    this.#options = options;
    const kept = options.document.read();
    for (const record of Array.isArray(kept) ? kept : []) {
      if (!isIdentityRecord(record)) continue;
      if (isInviteRecord(record)) this.#invites.set(record.digest, record);
      else this.#byDigest.set(record.digest, withDefaults(record));
    }
  }

  /**
   * Issues a key; only the answer contains its text. Resolves when the record is on disk.
   * @throws BenchError too_many_keys, store_unavailable.
   */
  async mint(username: string, wish: KeyWish = {}): Promise<{ key: string; record: KeyRecord }> {
    const minted = this.#make(username, wish);
    this.#requireRoom(username);
    this.#byDigest.set(minted.record.digest, minted.record);
    try {
      await this.#write();
    } catch (error) {
      this.#byDigest.delete(minted.record.digest);
      throw error;
    }
    return minted;
  }

  /**
   * Makes an invitation for each user, or none; each code can be redeemed once for a key of its user. Resolves when the
   * records are on disk.
   * @throws BenchError too_many_keys, store_unavailable.
   */
  async invite(
    usernames: readonly string[],
    { label = null, operator = false, lifetimeMs }: KeyWish & { lifetimeMs: number },
  ): Promise<{ code: string; record: InviteRecord }[]> {
    const now = this.#options.clock.now();
    const made = usernames.map((username) => {
      const code = `wbi_${this.#options.newSecret().subarray(0, CODE_BYTES).toString('base64url')}`;
      const record: InviteRecord = {
        kind: 'invite',
        id: this.#options.newId(),
        digest: digestOf(code),
        username,
        label,
        operator,
        created_at: new Date(now).toISOString(),
        expires_at: new Date(now + lifetimeMs).toISOString(),
      };
      return { code, record };
    });
    try {
      for (const { record } of made) {
        this.#requireRoom(record.username);
        this.#invites.set(record.digest, record);
      }
      await this.#write();
    } catch (error) {
      for (const { record } of made) this.#invites.delete(record.digest);
      throw error;
    }
    return made;
  }

  /**
   * Issues the key of an invitation and invalidates its code. Null for a code that is unknown, expired or used. Of two
   * simultaneous calls one gets the key.
   * @throws BenchError store_unavailable: then the code stays valid.
   */
  async redeem(code: string): Promise<{ key: string; record: KeyRecord } | null> {
    const invite = this.#invites.get(digestOf(code));
    if (!invite || this.#expired(invite)) return null;
    const minted = this.#make(invite.username, invite);
    this.#invites.delete(invite.digest);
    this.#byDigest.set(minted.record.digest, minted.record);
    try {
      await this.#write();
    } catch (error) {
      this.#byDigest.delete(minted.record.digest);
      this.#invites.set(invite.digest, invite);
      throw error;
    }
    return minted;
  }

  /** The record of a valid key; null for anything else. Updates the time of last use. */
  find(text: string): KeyRecord | null {
    const record = this.#byDigest.get(digestOf(text));
    if (!record || this.#expired(record)) return null;
    const now = this.#options.clock.now();
    if (record.last_used_at === null || now - Date.parse(record.last_used_at) >= LAST_USED_STEP_MS) {
      record.last_used_at = new Date(now).toISOString();
      this.#options.document.writeSoon(this.#records());
    }
    return record;
  }

  /** Every unexpired key, newest first. */
  list(): KeyRecord[] {
    return this.#newestFirst(this.#byDigest);
  }

  /** Every unexpired, unredeemed invitation, newest first. */
  invites(): InviteRecord[] {
    return this.#newestFirst(this.#invites);
  }

  /** Whether the key of an admitted caller is still valid. */
  isValid(record: KeyRecord): boolean {
    return this.#byDigest.get(record.digest) === record && !this.#expired(record);
  }

  /** Number of revoked entries that are still on disk: a restart would make them valid again. */
  get unstoredRevocations(): number {
    return this.#unstoredRevocations.size;
  }

  /**
   * Revokes a key; false when there is none of that id. It is refused at once, even if the disk is full. Resolves when
   * the revocation is on disk.
   * @throws BenchError revocation_not_kept when the write failed; it is retried until it succeeds.
   */
  async revoke(id: string): Promise<boolean> {
    return await this.#remove(this.#byDigest, id);
  }

  /** Withdraws an invitation, the same way as revoking a key. */
  async withdraw(id: string): Promise<boolean> {
    return await this.#remove(this.#invites, id);
  }

  /** Stops retrying. */
  close(): void {
    this.#closed = true;
  }

  /** Calls back with the id of every revoked key. */
  onRevoked(listener: (id: string) => void): () => void {
    this.#onRevoked.add(listener);
    return () => this.#onRevoked.delete(listener);
  }

  #make(
    username: string,
    { label = null, operator = false, lifetimeMs }: KeyWish,
  ): { key: string; record: KeyRecord } {
    const key = `wbk_${this.#options.newSecret().toString('base64url')}`;
    const now = this.#options.clock.now();
    const days = this.#options.lifetimeDays();
    const lifetime = lifetimeMs ?? (days === null ? null : days * DAY_MS);
    const record: KeyRecord = {
      id: this.#options.newId(),
      digest: digestOf(key),
      username,
      label,
      operator,
      created_at: new Date(now).toISOString(),
      last_used_at: null,
      expires_at: lifetime === null ? null : new Date(now + lifetime).toISOString(),
    };
    return { key, record };
  }

  #requireRoom(username: string): void {
    this.#dropExpired();
    const own = this.#records().filter((one) => one.username === username).length;
    if (own >= KEYS_PER_USER || this.#byDigest.size + this.#invites.size >= KEYS_IN_ALL)
      throw authError('too_many_keys');
  }

  async #remove(from: Map<string, IdentityRecord>, id: string): Promise<boolean> {
    const record = [...from.values()].find((one) => one.id === id);
    if (!record && !this.#unstoredRevocations.has(id)) return false;
    if (record) {
      from.delete(record.digest);
      this.#unstoredRevocations.add(id);
      for (const listener of this.#onRevoked) listener(id);
    }
    try {
      await this.#keepRevocations();
    } catch (cause) {
      void this.#retry();
      throw authError('revocation_not_kept', { cause });
    }
    return true;
  }

  async #keepRevocations(): Promise<void> {
    const now = [...this.#unstoredRevocations];
    await this.#write();
    for (const id of now) this.#unstoredRevocations.delete(id);
  }

  async #retry(): Promise<void> {
    if (this.#retrying) return;
    this.#retrying = true;
    while (this.#unstoredRevocations.size > 0 && !this.#closed) {
      await pause(this.#options.clock, RETRY_MS);
      await this.#keepRevocations().catch(() => {});
    }
    this.#retrying = false;
  }

  #newestFirst<T extends IdentityRecord>(records: Map<string, T>): T[] {
    return [...records.values()]
      .filter((record) => !this.#expired(record))
      .sort((a, b) => b.created_at.localeCompare(a.created_at));
  }

  #expired(record: IdentityRecord): boolean {
    return record.expires_at !== null && Date.parse(record.expires_at) <= this.#options.clock.now();
  }

  #dropExpired(): void {
    for (const records of [this.#byDigest, this.#invites])
      for (const [digest, record] of records) if (this.#expired(record)) records.delete(digest);
  }

  #write(): Promise<void> {
    return this.#options.document.write(this.#records());
  }

  #records(): IdentityRecord[] {
    return [...this.#byDigest.values(), ...this.#invites.values()].map((record) => ({ ...record }));
  }
}
