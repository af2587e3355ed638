import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { storeError } from '../errors/store.ts';
import { formatRecord, isStoredJob, type StoredJob } from './bench-data.ts';
import type { DamagedFiles } from './damage.ts';
import { type FileSystem, readIfPresent, syncFolder, writeDurably } from './filesystem.ts';

const NEWLINE = 0x0a;

/** Stale records that are left alone in a short file. */
const SLACK = 64;

/**
 * The ended jobs of one node: a file with one JSON record a line, only ever appended to, so that the end of a
 * job costs one small write however many came before. It is rewritten when more of it is stale than not.
 */
export class JobHistory {
  readonly #files: FileSystem;
  readonly #file: string;
  readonly #onOutcome: (error: unknown) => void;
  /** What the file holds and is still wanted, by job id. */
  readonly #records = new Map<string, StoredJob>();
  #pending: StoredJob[] = [];
  #waiters: { resolve: () => void; reject: (error: Error) => void }[] = [];
  #work: Promise<void> = Promise.resolve();
  #scheduled = false;
  #timer: NodeJS.Timeout | null = null;
  #handle: FileHandle | null = null;
  /** Bytes of the file that are whole records. */
  #size = 0;
  /** What follows them is the rest of a write that did not end. */
  #torn = false;
  #lines = 0;
  #compacting = false;

  constructor(options: { files: FileSystem; file: string; onOutcome: (error: unknown) => void }) {
    this.#files = options.files;
    this.#file = options.file;
    this.#onOutcome = options.onOutcome;
  }

  /** Reads the file, oldest record first. Lines that are no records are set aside with the whole file. */
  async load(damaged: DamagedFiles): Promise<StoredJob[]> {
    const bytes = await readIfPresent(this.#files, this.#file);
    if (bytes === null) return [];
    this.#size = bytes.lastIndexOf(NEWLINE) + 1;
    // Not damage: the process ended while it wrote, and nobody had been told of that job's end.
    this.#torn = this.#size < bytes.length;
    let bad = 0;
    for (const line of bytes.toString('utf8', 0, this.#size).split('\n')) {
      if (line === '') continue;
      this.#lines++;
      const record = parseRecord(line);
      if (record) this.#records.set(record.job.job_id, record);
      else bad++;
    }
    if (bad > 0) {
      const how = bad === 1 ? 'one record that cannot be read' : `${bad} records that cannot be read`;
      await damaged.setAside(this.#file, `has ${how}; the other ${this.#records.size} were kept`);
      await this.#rewrite();
    }
    return [...this.#records.values()];
  }

  /**
   * Resolves when the record is on disk.
   * @throws store_unavailable; the record is then tried again until it can be written.
   */
  append(record: StoredJob): Promise<void> {
    this.#pending.push(record);
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
      this.#schedule();
    });
  }

  /** The record is not wanted any more; the file is rewritten when most of it is such records. */
  remove(jobId: string): void {
    this.#records.delete(jobId);
    this.#pending = this.#pending.filter(({ job }) => job.job_id !== jobId);
    if (this.#lines < 2 * this.#records.size + SLACK || this.#compacting) return;
    this.#compacting = true;
    this.#work = this.#work.then(async () => {
      this.#compacting = false;
      try {
        await this.#rewrite();
        this.#onOutcome(null);
      } catch (error) {
        this.#onOutcome(error);
      }
    });
  }

  /** Writes what is pending, once, and lets go of the file. */
  async close(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    await this.#work;
    if (this.#pending.length > 0) await this.#drain();
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    await this.#release();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#work = this.#work.then(() => this.#drain());
  }

  async #drain(): Promise<void> {
    this.#scheduled = false;
    const batch = this.#pending;
    const waiters = this.#waiters;
    this.#pending = [];
    this.#waiters = [];
    if (batch.length === 0) return;
    try {
      await this.#write(batch.map((record) => `${formatRecord(record)}\n`).join(''));
      this.#lines += batch.length;
      for (const record of batch) this.#records.set(record.job.job_id, record);
    } catch (error) {
      this.#torn = true;
      await this.#release();
      this.#pending = [...batch, ...this.#pending];
      this.#onOutcome(error);
      for (const waiter of waiters) waiter.reject(storeError('store_unavailable', { cause: error }));
      this.#retry();
      return;
    }
    this.#onOutcome(null);
    for (const waiter of waiters) waiter.resolve();
  }

  async #write(text: string): Promise<void> {
    this.#handle ??= await this.#files.open(this.#file, 'a', 0o600);
    if (this.#torn) {
      await this.#handle.truncate(this.#size);
      this.#torn = false;
    }
    const bytes = Buffer.from(text);
    await this.#handle.appendFile(bytes);
    await this.#handle.datasync();
    if (this.#size === 0) await syncFolder(this.#files, path.dirname(this.#file));
    this.#size += bytes.length;
  }

  async #rewrite(): Promise<void> {
    await this.#release();
    const records = [...this.#records.values()];
    const bytes = Buffer.from(records.map((record) => `${formatRecord(record)}\n`).join(''));
    await writeDurably(this.#files, this.#file, bytes);
    this.#size = bytes.length;
    this.#torn = false;
    this.#lines = records.length;
  }

  #retry(): void {
    if (this.#timer) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#schedule();
    }, 1000);
    this.#timer.unref();
  }

  async #release(): Promise<void> {
    await this.#handle?.close().catch(() => {});
    this.#handle = null;
  }
}

function parseRecord(line: string): StoredJob | null {
  try {
    const value: unknown = JSON.parse(line);
    return isStoredJob(value) ? value : null;
  } catch {
    return null;
  }
}
