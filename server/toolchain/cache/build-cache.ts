import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { readdir, rm, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import Type, { type Static } from 'typebox';
import type { Clock } from '../../clock.ts';
import { checkOf, parseAs } from '../../contract/check.ts';
import { BuildReport } from '../../contract/designs/uploads.ts';
import type { Logger } from '../../log.ts';
import { nodeFileSystem, readIfPresent, renameOver } from '../../store/filesystem.ts';

/** A finished build as the cache stores it. */
export interface CachedBuild {
  bitstream: Uint8Array;
  /** Null for a bitstream without a design. */
  report: BuildReport | null;
  /** Log lines of the build, each with its stage: `synthesis: …`. */
  log: string;
  /** Encoded names of the design's signals; null where there are none. */
  symbols: Uint8Array | null;
  /** Encoded places of the design's cells; null where they are unknown. */
  floorplan: Uint8Array | null;
}

/** Files of an entry, besides the manifest. */
const BITSTREAM = 'bitstream.bin';
const REPORT = 'report.json';
/** Contents of REPORT for a bitstream without a design. */
const NO_REPORT = 'null';
const LOG = 'build.log';
/** No file when the build has none. */
const SYMBOLS = 'symbols.br';
/** No file when the build has none. */
const FLOORPLAN = 'floorplan.br';
/** Prefix of a folder that is being written. */
const UNFINISHED = '.unfinished-';
/** SHA-256 of each file. It is written last; a folder without it is no entry. */
const MANIFEST = 'manifest.json';

const Manifest = Type.Object({
  version: Type.Literal(2),
  files: Type.Object({
    [BITSTREAM]: Type.String(),
    [REPORT]: Type.String(),
    [LOG]: Type.String(),
    [SYMBOLS]: Type.String(),
    [FLOORPLAN]: Type.Optional(Type.String()),
  }),
});
type Manifest = Static<typeof Manifest>;
type FileName = keyof Manifest['files'];
const FILES = [BITSTREAM, REPORT, LOG, SYMBOLS, FLOORPLAN] as const;
const isManifest = checkOf(Manifest);
const isReport = checkOf(BuildReport);

interface Entry {
  bytes: number;
  /** Milliseconds since the epoch. */
  used: number;
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

// The cache writes no file for an empty part.
const SHA256_OF_NOTHING = sha256(new Uint8Array());

/**
 * Finished builds by build id, one folder each: bitstream, report, log, symbols, floorplan. Over the size limit the
 * least recently used entries go first. A damaged entry, or one of another version, counts as absent and is removed.
 * A failed write loses the entry, never the build. The cache does not flush to disk: after a power cut the
 * manifest's SHA-256 shows which entries are incomplete.
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
  get(id: string): Promise<CachedBuild | null> {
    return this.#get(id, FILES, (contents) => {
      const json = contents(REPORT).toString();
      const hasReport = json !== NO_REPORT;
      const report = hasReport ? parseAs(json, isReport) : null;
      if (hasReport && report === null) throw new Error(`${REPORT} is damaged or from another version`);
      const [symbols, floorplan] = [contents(SYMBOLS), contents(FLOORPLAN)];
      return {
        bitstream: contents(BITSTREAM),
        report,
        log: contents(LOG).toString(),
        symbols: symbols.length > 0 ? symbols : null,
        floorplan: floorplan.length > 0 ? floorplan : null,
      };
    });
  }

  /** Reads the symbols of a build; null when it has none or is absent. */
  async symbols(id: string): Promise<Uint8Array | null> {
    const symbols = await this.#get(id, [SYMBOLS], (contents) => contents(SYMBOLS));
    return symbols && symbols.length > 0 ? symbols : null;
  }

  /** Reads the floorplan of a build; null when it has none or is absent. */
  async floorplan(id: string): Promise<Uint8Array | null> {
    const floorplan = await this.#get(id, [FLOORPLAN], (contents) => contents(FLOORPLAN));
    return floorplan && floorplan.length > 0 ? floorplan : null;
  }

  /** Reads files of an entry at once. `contents` checks each file against the manifest. */
  async #get<T>(
    id: string,
    names: readonly FileName[],
    take: (contents: (name: FileName) => Buffer) => T,
  ): Promise<T | null> {
    const index = await this.#entries();
    if (!index.has(id)) return null;
    const folder = path.join(this.#folder, id);
    const read = (name: string) => readIfPresent(nodeFileSystem, path.join(folder, name));
    try {
      const [written, ...files] = await Promise.all([MANIFEST, ...names].map(read));
      const manifest = parseAs(written?.toString() ?? '', isManifest);
      if (manifest === null) throw new Error('its manifest is damaged or from another version');
      const taken = take((name) => {
        const hash = manifest.files[name];
        if (hash === undefined || hash === SHA256_OF_NOTHING) return Buffer.alloc(0);
        const bytes = files[names.indexOf(name)];
        if (!bytes || sha256(bytes) !== hash) throw new Error(`${name} has changed`);
        return bytes;
      });
      const used = await this.#touch(folder);
      const entry = index.get(id);
      if (entry) entry.used = used;
      return taken;
    } catch (error) {
      this.#logger.warn({ build: id, err: error }, 'a damaged build was removed from the cache');
      await this.#remove(id, index);
      return null;
    }
  }

  /** Stores a build. It appears under its id only when all files are complete. */
  async put(id: string, build: CachedBuild): Promise<void> {
    const files: Record<FileName, Uint8Array> = {
      [BITSTREAM]: build.bitstream,
      [REPORT]: Buffer.from(JSON.stringify(build.report, null, 2)),
      [LOG]: Buffer.from(build.log),
      [SYMBOLS]: build.symbols ?? new Uint8Array(),
      [FLOORPLAN]: build.floorplan ?? new Uint8Array(),
    };
    const manifest: Manifest = {
      version: 2,
      files: {
        [BITSTREAM]: sha256(files[BITSTREAM]),
        [REPORT]: sha256(files[REPORT]),
        [LOG]: sha256(files[LOG]),
        [SYMBOLS]: sha256(files[SYMBOLS]),
        [FLOORPLAN]: sha256(files[FLOORPLAN]),
      },
    };
    const written: [string, Uint8Array][] = [
      ...Object.entries(files).filter(([, bytes]) => bytes.length > 0),
      [MANIFEST, Buffer.from(JSON.stringify(manifest))],
    ];
    let unfinished: string | null = null;
    try {
      const index = await this.#entries();
      // Synchronous: the files are small, and a thread for each costs more than the write.
      mkdirSync(this.#folder, { recursive: true });
      unfinished = mkdtempSync(path.join(this.#folder, UNFINISHED));
      for (const [name, bytes] of written) writeFileSync(path.join(unfinished, name), bytes, { mode: 0o600 });
      const folder = path.join(this.#folder, id);
      if (index.has(id)) await this.#remove(id, index);
      await replaceFolder(unfinished, folder);
      const bytes = written.reduce((sum, [, { length }]) => sum + length, 0);
      this.#count(index, id, { bytes, used: await this.#touch(folder) });
      await this.#evict(index, id);
    } catch (error) {
      this.#logger.warn({ err: error, build: id }, 'a build could not be stored in the cache');
      if (unfinished !== null) await rm(unfinished, { recursive: true, force: true }).catch(() => {});
    }
  }

  /** Bytes of all entries. */
  async size(): Promise<number> {
    await this.#entries();
    return this.#total;
  }

  /** Stores the time of last use as the manifest's mtime. */
  async #touch(folder: string): Promise<number> {
    const now = this.#clock.now();
    await utimes(path.join(folder, MANIFEST), now / 1000, now / 1000).catch(() => {});
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
    await rm(path.join(this.#folder, id), { recursive: true, force: true }).catch((error: unknown) =>
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
    const names = await readdir(this.#folder).catch(() => []);
    for (const name of names) {
      const folder = path.join(this.#folder, name);
      if (name.startsWith(UNFINISHED)) await rm(folder, { recursive: true, force: true }).catch(() => {});
      if (!/^[0-9a-f]{64}$/.test(name)) continue;
      const manifest = await stat(path.join(folder, MANIFEST)).catch(() => null);
      if (manifest) this.#count(index, name, { bytes: await sizeOf(folder), used: manifest.mtimeMs });
      else await rm(folder, { recursive: true, force: true }).catch(() => {});
    }
    return index;
  }
}

/** Moves a folder to a path, and replaces a folder there that the index does not know. */
async function replaceFolder(from: string, to: string): Promise<void> {
  if (existsSync(to)) await rm(to, { recursive: true, force: true, maxRetries: 5 });
  await renameOver(nodeFileSystem, from, to);
}

async function sizeOf(folder: string): Promise<number> {
  const names = await readdir(folder);
  const sizes = await Promise.all(names.map(async (name) => (await stat(path.join(folder, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
