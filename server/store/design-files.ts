import path from 'node:path';
import {
  createDurably,
  type FileSystem,
  makeFolder,
  readIfPresent,
  storeUnavailable,
  syncFolder,
  systemCode,
  writeDurably,
} from './filesystem.ts';

/** Valid names of a design's folder and of a document: no other is ever read or written. */
const ID = /^(?:[a-z0-9-]{1,48}-)?[0-9a-f]{8}$/;
const DOCUMENT = /^[a-z]{1,32}$/;
const DIGEST = /^[0-9a-f]{64}$/;
const CAPTURE = /^[0-9a-f-]{36}$/;

/**
 * The files of designs, one folder each: documents at designs/<design_id>/<document>.json, sources by their SHA-256 at
 * designs/<design_id>/sources/<digest>, and samples at designs/<design_id>/captures/<capture_id>.gz.
 */
export class DesignFiles {
  readonly #files: FileSystem;
  readonly #folder: string;
  readonly #onFailure: (error: unknown) => void;
  /** Pending work on a design, by its id. */
  readonly #turns = new Map<string, Promise<unknown>>();

  /** @param folder of the data directory */
  constructor(options: { files: FileSystem; folder: string; onFailure: (error: unknown) => void }) {
    this.#files = options.files;
    this.#folder = path.join(options.folder, 'designs');
    this.#onFailure = options.onFailure;
  }

  #design(id: string): string {
    if (!ID.test(id)) throw new RangeError('This is not the id of a design.');
    return path.join(this.#folder, id);
  }

  #document(id: string, document: string): string {
    if (!DOCUMENT.test(document)) throw new RangeError('This is not the name of a document.');
    return path.join(this.#design(id), `${document}.json`);
  }

  #source(id: string, digest: string): string {
    if (!DIGEST.test(digest)) throw new RangeError('This is not a digest.');
    return path.join(this.#design(id), 'sources', digest);
  }

  #capture(id: string, captureId: string): string {
    if (!CAPTURE.test(captureId)) throw new RangeError('This is not the id of a capture.');
    return path.join(this.#design(id), 'captures', `${captureId}.gz`);
  }

  /** Ids of the designs that have a folder. */
  async designs(): Promise<string[]> {
    return (await this.#names(this.#folder)).filter((name) => ID.test(name));
  }

  /** Names of the documents of a design. */
  async documents(id: string): Promise<string[]> {
    const names = await this.#names(this.#design(id));
    return names.flatMap((name) =>
      name.endsWith('.json') && DOCUMENT.test(name.slice(0, -5)) ? [name.slice(0, -5)] : [],
    );
  }

  /** Null where there is none. */
  read(id: string, document: string): Promise<Buffer | null> {
    return readIfPresent(this.#files, this.#document(id, document));
  }

  /**
   * Replaces a whole document; resolves when it is on disk.
   * @throws store_unavailable; the document is then unchanged.
   */
  write(id: string, document: string, text: string): Promise<void> {
    const file = this.#document(id, document);
    return this.#write(id, async () => {
      await makeFolder(this.#files, path.dirname(file));
      await writeDurably(this.#files, file, text);
    });
  }

  /** Removes a document; resolves when that is durable. @throws store_unavailable. */
  remove(id: string, document: string): Promise<void> {
    const file = this.#document(id, document);
    return this.#write(id, async () => {
      await this.#files.rm(file, { force: true });
      await syncFolder(this.#files, path.dirname(file)).catch((error) => {
        if (systemCode(error) !== 'ENOENT') throw error;
      });
    });
  }

  readSource(id: string, digest: string): Promise<Buffer | null> {
    return readIfPresent(this.#files, this.#source(id, digest));
  }

  /** Stores a source; an existing file with its digest is the same source. @throws store_unavailable. */
  writeSource(id: string, digest: string, source: Uint8Array): Promise<void> {
    const file = this.#source(id, digest);
    return this.#write(id, async () => {
      const there = await this.#files.stat(file).catch(() => null);
      if (there?.size === source.byteLength) return;
      await makeFolder(this.#files, path.dirname(file));
      await createDurably(this.#files, file, source);
      await syncFolder(this.#files, path.dirname(file));
    });
  }

  async removeSource(id: string, digest: string): Promise<void> {
    await this.#inTurn(id, () => this.#files.rm(this.#source(id, digest), { force: true }));
  }

  /** Null where there is none. */
  readCapture(id: string, captureId: string): Promise<Buffer | null> {
    return readIfPresent(this.#files, this.#capture(id, captureId));
  }

  /** Stores the samples of a capture. @throws store_unavailable. */
  writeCapture(id: string, captureId: string, samples: Uint8Array): Promise<void> {
    const file = this.#capture(id, captureId);
    return this.#write(id, async () => {
      await makeFolder(this.#files, path.dirname(file));
      await createDurably(this.#files, file, samples);
      await syncFolder(this.#files, path.dirname(file));
    });
  }

  async removeCapture(id: string, captureId: string): Promise<void> {
    await this.#inTurn(id, () => this.#files.rm(this.#capture(id, captureId), { force: true }));
  }

  /** Digests of a design's stored sources. */
  async sources(id: string): Promise<string[]> {
    return (await this.#names(path.join(this.#design(id), 'sources'))).filter((name) => DIGEST.test(name));
  }

  async removeDesign(id: string): Promise<void> {
    await this.#inTurn(id, () => this.#files.rm(this.#design(id), { recursive: true, force: true }));
  }

  /** Runs the work of each design in order: two writes of one document would share a temporary file. */
  #inTurn<T>(id: string, work: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(id) ?? Promise.resolve();
    const after = before.catch(() => {}).then(work);
    this.#turns.set(id, after);
    const done = () => {
      if (this.#turns.get(id) === after) this.#turns.delete(id);
    };
    after.then(done, done);
    return after;
  }

  async #write(id: string, work: () => Promise<void>): Promise<void> {
    try {
      await this.#inTurn(id, work);
    } catch (error) {
      this.#onFailure(error);
      throw storeUnavailable(error);
    }
  }

  async #names(folder: string): Promise<string[]> {
    try {
      return await this.#files.readdir(folder);
    } catch (error) {
      if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return [];
      throw error;
    }
  }
}
