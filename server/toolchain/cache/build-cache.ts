import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { readdir, rm, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../clock.ts';
import type { Logger } from '../../log.ts';
import { nodeFileSystem, readIfPresent, renameOver } from '../../store/filesystem.ts';
import { type CachedBuild, decodeBuild, encodeBuild } from './build-file.ts';

/** Prefix of a file that is being written. */
const UNFINISHED = '.unfinished-';

/** Characters of a SHA-256. */
const HASH_LENGTH = 64;

interface Entry {
  bytes: number;
  /** Milliseconds since the epoch. */
  used: number;
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/**
 * Finished builds, one file each under its build id: the SHA-256 of the rest, then the encoded build. Over the size limit
 * the least recently used entries go first. A damaged entry, or one of another version, counts as absent and is removed.
 * A failed write loses the entry, never the build. The cache does not flush to disk: after a power cut the SHA-256 shows
 * which entries are incomplete.
 */
export class BuildCache {
  readonly #folder: string;
  readonly #limit: number;
  readonly #logger: Logger;
  readonly #clock: Clock;
  #index: Promise<Map<string, Entry>> | null = null;
  /** Bytes of all entries of the index. */
  #total = 0;

  /** @param limit bytes of all entries together */
  constructor(folder: string, limit: number, logger: Logger, clock: Clock) {
    this.#folder = folder;
    this.#limit = limit;
    this.#logger = logger;
    this.#clock = clock;
  }

  /** Reads the build with this id; null when it is absent. */
  async get(id: string): Promise<CachedBuild | null> {
    const index = await this.#entries();
    if (!index.has(id)) return null;
    try {
      const bytes = await readIfPresent(nodeFileSystem, this.#fileOf(id));
      const encoded = bytes?.subarray(HASH_LENGTH);
      if (!encoded || bytes?.toString('latin1', 0, HASH_LENGTH) !== sha256(encoded))
        throw new Error('it is damaged');
      const build = decodeBuild(encoded);
      const used = await this.#touch(id);
      const entry = index.get(id);
      if (entry) entry.used = used;
      return build;
    } catch (error) {
      this.#logger.warn({ build: id, err: error }, 'a damaged build was removed from the cache');
      await this.#remove(id, index);
      return null;
    }
  }

  /** Stores a build. It appears under its id only when it is complete. */
  async put(id: string, build: CachedBuild): Promise<void> {
    const unfinished = this.#fileOf(`${UNFINISHED}${randomBytes(6).toString('hex')}`);
    try {
      const index = await this.#entries();
      const encoded = encodeBuild(build);
      // Synchronous: the file is small, and a thread costs more than the write.
      mkdirSync(this.#folder, { recursive: true });
      writeFileSync(unfinished, Buffer.concat([Buffer.from(sha256(encoded)), encoded]), { mode: 0o600 });
      await renameOver(nodeFileSystem, unfinished, this.#fileOf(id));
      this.#count(index, id, { bytes: HASH_LENGTH + encoded.length, used: await this.#touch(id) });
      await this.#evict(index, id);
    } catch (error) {
      this.#logger.warn({ err: error, build: id }, 'a build could not be stored in the cache');
      await rm(unfinished, { force: true }).catch(() => {});
    }
  }

  /** Bytes of all entries. */
  async size(): Promise<number> {
    await this.#entries();
    return this.#total;
  }

  #fileOf(name: string): string {
    return path.join(this.#folder, name);
  }

  /** Stores the time of last use as the file's mtime. */
  async #touch(id: string): Promise<number> {
    const now = this.#clock.now();
    await utimes(this.#fileOf(id), now / 1000, now / 1000).catch(() => {});
    return now;
  }

  #count(index: Map<string, Entry>, id: string, entry: Entry | null): void {
    this.#total += (entry?.bytes ?? 0) - (index.get(id)?.bytes ?? 0);
    if (entry) index.set(id, entry);
    else index.delete(id);
  }

  /** Removes the least recently used entries until the rest fits. The newest always stays. */
  async #evict(index: Map<string, Entry>, newest: string): Promise<void> {
    if (this.#total <= this.#limit) return;
    const oldestFirst = [...index].sort(([, a], [, b]) => a.used - b.used);
    for (const [id] of oldestFirst) {
      if (this.#total <= this.#limit) return;
      if (id !== newest) await this.#remove(id, index);
    }
  }

  async #remove(id: string, index: Map<string, Entry>): Promise<void> {
    this.#count(index, id, null);
    await rm(this.#fileOf(id), { recursive: true, force: true }).catch((error: unknown) =>
      this.#logger.warn({ err: error, build: id }, 'a build could not be removed from the cache'),
    );
  }

  /** Reads the entries on disk, once, and removes incomplete ones. */
  #entries(): Promise<Map<string, Entry>> {
    this.#index ??= this.#readEntries();
    return this.#index;
  }

  async #readEntries(): Promise<Map<string, Entry>> {
    const index = new Map<string, Entry>();
    for (const name of await readdir(this.#folder).catch(() => [])) {
      const isEntry = /^[0-9a-f]{64}$/.test(name);
      const found = isEntry ? await stat(this.#fileOf(name)).catch(() => null) : null;
      if (found?.isFile()) this.#count(index, name, { bytes: found.size, used: found.mtimeMs });
      else if (isEntry || name.startsWith(UNFINISHED))
        await rm(this.#fileOf(name), { recursive: true, force: true }).catch(() => {});
    }
    return index;
  }
}
