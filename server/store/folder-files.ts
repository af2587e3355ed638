import { createHash } from 'node:crypto';
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
import { KeyedQueue } from './keyed-queue.ts';

/** Valid names of a folder and of a document: no other is ever read or written. */
interface Names {
  id: RegExp;
  document: RegExp;
}
const DIGEST = /^[0-9a-f]{64}$/;
/** The SHA-256 that names a source. */
export const digestOf = (source: Uint8Array): string => createHash('sha256').update(source).digest('hex');
const CAPTURE = /^[0-9a-f-]{36}$/;

/** Folders designs/<design_id>. */
export const DESIGNS: Names = {
  id: /^(?:[a-z0-9-]{1,48}-)?[0-9a-f]{8}$/,
  document: /^[a-z]{1,32}$/,
};
/** Folders assignments/<assignment_id>; a document is a hand-in. */
export const ASSIGNMENTS: Names = { id: /^[0-9a-f-]{36}$/, document: /^[0-9a-f-]{36}$/ };

/**
 * The files of designs or of assignments, one folder each: documents at <id>/<document>.json, sources by their SHA-256
 * at <id>/sources/<digest>, and samples at <id>/captures/<capture_id>.gz.
 */
export class FolderFiles {
  readonly #files: FileSystem;
  readonly #folder: string;
  readonly #names: Names;
  readonly #onFailure: (error: unknown) => void;
  readonly #queue = new KeyedQueue();

  /** @param folder that has the folders */
  constructor(options: {
    files: FileSystem;
    folder: string;
    names: Names;
    onFailure: (error: unknown) => void;
  }) {
    this.#files = options.files;
    this.#folder = options.folder;
    this.#names = options.names;
    this.#onFailure = options.onFailure;
  }

  #place(id: string): string {
    if (!this.#names.id.test(id)) throw new RangeError('This is not the id of a folder.');
    return path.join(this.#folder, id);
  }

  #document(id: string, document: string): string {
    if (!this.#names.document.test(document)) throw new RangeError('This is not the name of a document.');
    return path.join(this.#place(id), `${document}.json`);
  }

  #source(id: string, digest: string): string {
    if (!DIGEST.test(digest)) throw new RangeError('This is not a digest.');
    return path.join(this.#place(id), 'sources', digest);
  }

  #capture(id: string, captureId: string): string {
    if (!CAPTURE.test(captureId)) throw new RangeError('This is not the id of a capture.');
    return path.join(this.#place(id), 'captures', `${captureId}.gz`);
  }

  /** Ids of all folders. */
  async folders(): Promise<string[]> {
    return (await this.#list(this.#folder)).filter((name) => this.#names.id.test(name));
  }

  /** Names of the documents of a folder. */
  async documents(id: string): Promise<string[]> {
    const names = await this.#list(this.#place(id));
    return names.flatMap((name) =>
      name.endsWith('.json') && this.#names.document.test(name.slice(0, -5)) ? [name.slice(0, -5)] : [],
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

  /** Null where the file is missing, unreadable, or not what its digest says. */
  readSource(id: string, digest: string): Promise<Buffer | null> {
    return readIfPresent(this.#files, this.#source(id, digest)).then(
      (bytes) => bytes && (digestOf(bytes) === digest ? bytes : null),
      () => null,
    );
  }

  /** Stores a source, unless it is there already. @returns its digest @throws store_unavailable. */
  async writeSource(id: string, source: Uint8Array): Promise<string> {
    const digest = digestOf(source);
    const file = this.#source(id, digest);
    await this.#write(id, async () => {
      const there = await this.#files.stat(file).catch(() => null);
      if (there?.size === source.byteLength) return;
      await makeFolder(this.#files, path.dirname(file));
      await createDurably(this.#files, file, source);
      await syncFolder(this.#files, path.dirname(file));
    });
    return digest;
  }

  async removeSource(id: string, digest: string): Promise<void> {
    await this.#queue.run(id, () => this.#files.rm(this.#source(id, digest), { force: true }));
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
    await this.#queue.run(id, () => this.#files.rm(this.#capture(id, captureId), { force: true }));
  }

  /** Digests of the stored sources. */
  async sources(id: string): Promise<string[]> {
    return (await this.#list(path.join(this.#place(id), 'sources'))).filter((name) => DIGEST.test(name));
  }

  /** @throws store_unavailable. */
  async removeFolder(id: string): Promise<void> {
    await this.#write(id, () => this.#files.rm(this.#place(id), { recursive: true, force: true }));
  }

  async #write(id: string, work: () => Promise<void>): Promise<void> {
    try {
      await this.#queue.run(id, work);
    } catch (error) {
      this.#onFailure(error);
      throw storeUnavailable(error);
    }
  }

  async #list(folder: string): Promise<string[]> {
    try {
      return await this.#files.readdir(folder);
    } catch (error) {
      if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return [];
      throw error;
    }
  }
}
