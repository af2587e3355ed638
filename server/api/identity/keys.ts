import { createHash } from 'node:crypto';
import Type, { type Static } from 'typebox';
import type { Clock } from '../../clock.ts';
import { checkOf } from '../../contract/check.ts';
import { nullable, Timestamp } from '../../contract/component.ts';

/** A minted key as it is kept: the key itself is not. */
const KeyRecord = Type.Object({
  id: Type.String(),
  digest: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 of the key’s text, hex.' }),
  username: Type.String(),
  created_at: Timestamp('When it was minted.'),
  last_used_at: nullable(Timestamp('When it was last used, to the minute.')),
  expires_at: nullable(Timestamp('When it expires; null for never.')),
});
export type KeyRecord = Static<typeof KeyRecord>;
const isKeyRecord = checkOf(KeyRecord);

/** Where the records are kept between starts. `write` resolves when they are on disk. */
interface KeyDocument {
  /** What was kept, unchecked; undefined when nothing was. */
  read(): unknown;
  write(records: KeyRecord[]): Promise<void>;
  /** Reaches the disk soon; may be lost in a crash. */
  writeSoon(records: KeyRecord[]): void;
}

/** 256 random bits in base64url behind a prefix by which a key is recognised wherever it turns up. */
const KEY_FORM = /wbk_[A-Za-z0-9_-]{43}/;
/** `last_used_at` is kept to the minute: a write for every request would wear the disk. */
const LAST_USED_STEP_MS = 60_000;
const DAY_MS = 86_400_000;

/** True when a text contains something of the form of a minted key, valid or not. */
export const looksMinted = (text: string): boolean => KEY_FORM.test(text);

const digestOf = (key: string): string => createHash('sha256').update(key, 'utf8').digest('hex');

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

/** The API keys that this service minted. */
export class ApiKeys {
  readonly #options: ApiKeysOptions;
  readonly #byDigest = new Map<string, KeyRecord>();
  readonly #onRevoked = new Set<(id: string) => void>();

  constructor(options: ApiKeysOptions) {
    this.#options = options;
    const kept = options.document.read();
    for (const record of Array.isArray(kept) ? kept : [])
      if (isKeyRecord(record)) this.#byDigest.set(record.digest, record);
  }

  /** Mints a key; its text is in the answer and nowhere else. Resolves when the record is on disk. */
  async mint(username: string): Promise<{ key: string; record: KeyRecord }> {
    const key = `wbk_${this.#options.newSecret().toString('base64url')}`;
    const now = this.#options.clock.now();
    const days = this.#options.lifetimeDays();
    const record: KeyRecord = {
      id: this.#options.newId(),
      digest: digestOf(key),
      username,
      created_at: new Date(now).toISOString(),
      last_used_at: null,
      expires_at: days === null ? null : new Date(now + days * DAY_MS).toISOString(),
    };
    this.#dropExpired();
    this.#byDigest.set(record.digest, record);
    try {
      await this.#write();
    } catch (error) {
      this.#byDigest.delete(record.digest);
      throw error;
    }
    return { key, record };
  }

  /** The record of a valid key; null for anything else. Marks the key as used. */
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

  /** Every key that has not expired, newest first. */
  list(): KeyRecord[] {
    return [...this.#byDigest.values()]
      .filter((record) => !this.#expired(record))
      .sort((a, b) => b.created_at.localeCompare(a.created_at));
  }

  /** Revokes a key; false when there is none of that id. Resolves when that is on disk. */
  async revoke(id: string): Promise<boolean> {
    const record = [...this.#byDigest.values()].find((one) => one.id === id);
    if (!record) return false;
    this.#byDigest.delete(record.digest);
    for (const listener of this.#onRevoked) listener(id);
    await this.#write();
    return true;
  }

  /** Calls back with the id of every key that is revoked. */
  onRevoked(listener: (id: string) => void): () => void {
    this.#onRevoked.add(listener);
    return () => this.#onRevoked.delete(listener);
  }

  #expired(record: KeyRecord): boolean {
    return record.expires_at !== null && Date.parse(record.expires_at) <= this.#options.clock.now();
  }

  #dropExpired(): void {
    for (const [digest, record] of this.#byDigest) if (this.#expired(record)) this.#byDigest.delete(digest);
  }

  #write(): Promise<void> {
    return this.#options.document.write(this.#records());
  }

  #records(): KeyRecord[] {
    return [...this.#byDigest.values()].map((record) => ({ ...record }));
  }
}
