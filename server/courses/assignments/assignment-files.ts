import { createHash } from 'node:crypto';
import path from 'node:path';
import { parseAs } from '../../contract/check.ts';
import {
  type FileSystem,
  makeFolder,
  readIfPresent,
  storeUnavailable,
  syncFolder,
  systemCode,
  writeDurably,
} from '../../store/filesystem.ts';
import { KeyedQueue } from '../../store/keyed-queue.ts';
import { isStoredHandIn, type StoredHandIn } from './records.ts';

/** Valid names: no other file is ever read or written. */
const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const DIGEST = /^[0-9a-f]{64}$/;

/** Files read concurrently at the start. */
const AT_ONCE = 32;

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

export interface AssignmentFilesOptions {
  files: FileSystem;
  /** The data directory. */
  folder: string;
  /** Called with the outcome of each write, for the store's health; null after a success. */
  onOutcome: (error: unknown) => void;
  /** Reports a file that cannot be read, by its path in the data directory. */
  onDamage: (name: string) => void;
}

/**
 * The files of assignments, a folder each: assignments/<assignment_id>/hand-ins/<hand_in_id>.json, and sources and
 * documents by their SHA-256 at assignments/<assignment_id>/files/<digest>.
 */
export class AssignmentFiles {
  readonly #options: AssignmentFilesOptions;
  readonly #queue = new KeyedQueue();

  constructor(options: AssignmentFilesOptions) {
    this.#options = options;
  }

  #place(assignmentId: string, ...names: string[]): string {
    if (!ID.test(assignmentId)) throw new RangeError('This is not the id of an assignment.');
    return path.join(this.#options.folder, 'assignments', assignmentId, ...names);
  }

  #handIn(assignmentId: string, handInId: string): string {
    if (!ID.test(handInId)) throw new RangeError('This is not the id of a hand-in.');
    return this.#place(assignmentId, 'hand-ins', `${handInId}.json`);
  }

  #file(assignmentId: string, digest: string): string {
    if (!DIGEST.test(digest)) throw new RangeError('This is not a digest.');
    return this.#place(assignmentId, 'files', digest);
  }

  /** The stored hand-ins of an assignment. An unreadable one is reported and left out. */
  async handIns(assignmentId: string): Promise<StoredHandIn[]> {
    const names = await this.#names(this.#place(assignmentId, 'hand-ins'));
    const ids = names.flatMap((name) => (ID.test(name.slice(0, -5)) ? [name.slice(0, -5)] : []));
    const found: StoredHandIn[] = [];
    for (let at = 0; at < ids.length; at += AT_ONCE) {
      const read = ids.slice(at, at + AT_ONCE).map((id) => this.#readHandIn(assignmentId, id));
      for (const one of await Promise.all(read)) if (one) found.push(one);
    }
    return found;
  }

  async #readHandIn(assignmentId: string, id: string): Promise<StoredHandIn | null> {
    const file = this.#handIn(assignmentId, id);
    const bytes = await readIfPresent(this.#options.files, file).catch(() => null);
    const record = bytes && parseAs(bytes.toString('utf8'), isStoredHandIn);
    if (record?.assignment_id === assignmentId && record.hand_in_id === id) return record;
    this.#options.onDamage(`assignments/${assignmentId}/hand-ins/${id}.json`);
    return null;
  }

  /** Resolves when it is on disk, whole or not at all. @throws store_unavailable. */
  writeHandIn(record: StoredHandIn): Promise<void> {
    const file = this.#handIn(record.assignment_id, record.hand_in_id);
    return this.#write(file, `${JSON.stringify(record)}\n`);
  }

  /** @throws store_unavailable. */
  removeHandIn({ assignment_id, hand_in_id }: StoredHandIn): Promise<void> {
    return this.#remove(this.#handIn(assignment_id, hand_in_id));
  }

  /** Stores a file and resolves with its digest when it is on disk. @throws store_unavailable. */
  async writeFile(assignmentId: string, bytes: Uint8Array): Promise<string> {
    const digest = digestOf(bytes);
    await this.#write(this.#file(assignmentId, digest), bytes);
    return digest;
  }

  /** Null where it is missing or not what its digest says. */
  async readFile(assignmentId: string, digest: string): Promise<Buffer | null> {
    const file = this.#file(assignmentId, digest);
    const bytes = await readIfPresent(this.#options.files, file).catch(() => null);
    return bytes && digestOf(bytes) === digest ? bytes : null;
  }

  /** @throws store_unavailable. */
  removeFile(assignmentId: string, digest: string): Promise<void> {
    return this.#remove(this.#file(assignmentId, digest));
  }

  /** Removes all files of an assignment. @throws store_unavailable. */
  removeAssignment(assignmentId: string): Promise<void> {
    return this.#remove(this.#place(assignmentId));
  }

  /** Two writes of one file would share a temporary file, so they run in order. */
  #write(file: string, contents: string | Uint8Array): Promise<void> {
    return this.#reported(file, async () => {
      await makeFolder(this.#options.files, path.dirname(file));
      await writeDurably(this.#options.files, file, contents);
    });
  }

  #remove(file: string): Promise<void> {
    return this.#reported(file, async () => {
      const { files } = this.#options;
      await files.rm(file, { recursive: true, force: true });
      await syncFolder(files, path.dirname(file)).catch((error) => {
        if (systemCode(error) !== 'ENOENT') throw error;
      });
    });
  }

  async #reported(file: string, work: () => Promise<void>): Promise<void> {
    try {
      await this.#queue.run(file, work);
      this.#options.onOutcome(null);
    } catch (error) {
      this.#options.onOutcome(error);
      throw storeUnavailable(error);
    }
  }

  async #names(folder: string): Promise<string[]> {
    try {
      return await this.#options.files.readdir(folder);
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return [];
      throw error;
    }
  }
}
