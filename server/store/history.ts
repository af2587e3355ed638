import path from 'node:path';
import type { Clock } from '../clock.ts';
import { storeError } from '../errors/store.ts';
import { formatRecord } from './bench-data.ts';
import type { DamagedFiles } from './damage.ts';
import { type FileSystem, readIfPresent, syncFolder, writeAll, writeDurably } from './filesystem.ts';
import { isStoredJob, type StoredJob } from './records.ts';

const NEWLINE = 0x0a;

/** Milliseconds between attempts while writing fails. */
const RETRY_MS = 1000;

/** Stale records that are left alone in a short file. */
const SLACK = 64;

/** A line that says that a job has begun: after a crash it must not be done a second time. */
const begunLine = (jobId: string) => `{"begun":"${jobId}"}\n`;

/**
 * The ended jobs of one node, and which of its others have begun: a file with one JSON record a line, only ever
 * appended to, so that the beginning and the end of a job cost one small write each however many came before.
 * It is rewritten when more of it is stale than not.
 */
export class JobHistory {
  readonly #clock: Clock;
  readonly #files: FileSystem;
  readonly #file: string;
  readonly #onOutcome: (error: unknown) => void;
  /** What the file holds and is still wanted, by job id. */
  readonly #records = new Map<string, StoredJob>();
  /** Jobs that have begun and have not ended. */
  readonly #begun = new Set<string>();
  #pending: StoredJob[] = [];
  #pendingBegun: string[] = [];
  #waiters: { resolve: () => void; reject: (error: Error) => void }[] = [];
  #work: Promise<void> = Promise.resolve();
  #scheduled = false;
  /** Takes back the next attempt. */
  #cancel: (() => void) | null = null;
  #handle: number | null = null;
  /** Bytes of the file that are whole records. */
  #size = 0;
  /** What follows them is the rest of a write that did not end. */
  #torn = false;
  #lines = 0;
  #compacting = false;

  constructor(options: {
    clock: Clock;
    files: FileSystem;
    file: string;
    onOutcome: (error: unknown) => void;
  }) {
    this.#clock = options.clock;
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
      const record = parseLine(line);
      if (record === null) bad++;
      else if ('begun' in record) this.#begun.add(record.begun);
      else this.#records.set(record.job.job_id, record);
    }
    for (const jobId of this.#records.keys()) this.#begun.delete(jobId);
    if (bad > 0) {
      const how = bad === 1 ? 'one record that cannot be read' : `${bad} records that cannot be read`;
      await damaged.setAside(this.#file, `has ${how}; the other ${this.#records.size} were kept`);
      await this.#rewrite();
    }
    return [...this.#records.values()];
  }

  /** Whether this job has begun: it is then as good as running, whatever bench.json says of it. */
  hasBegun(jobId: string): boolean {
    return this.#begun.has(jobId);
  }

  /** Says that a job begins; resolves when that is on disk. @throws store_unavailable. */
  begin(jobId: string): Promise<void> {
    this.#begun.add(jobId);
    this.#pendingBegun.push(jobId);
    return this.#soon();
  }

  /**
   * Resolves when the record is on disk.
   * @throws store_unavailable; the record is then tried again until it can be written.
   */
  append(record: StoredJob): Promise<void> {
    this.#pending.push(record);
    return this.#soon();
  }

  #soon(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
      this.#schedule();
    });
  }

  /** The record is not wanted any more; the file is rewritten when most of it is such records. */
  remove(jobId: string): void {
    this.#records.delete(jobId);
    this.#begun.delete(jobId);
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
    this.#stop();
    await this.#work;
    if (this.#pending.length + this.#pendingBegun.length > 0) await this.#drain();
    this.#stop();
    this.#release();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#work = this.#work.then(() => this.#drain());
  }

  async #drain(): Promise<void> {
    this.#scheduled = false;
    const batch = this.#pending;
    const begun = this.#pendingBegun;
    const waiters = this.#waiters;
    this.#pending = [];
    this.#pendingBegun = [];
    this.#waiters = [];
    if (batch.length + begun.length === 0) return;
    try {
      await this.#write(
        begun.map(begunLine).join('') + batch.map((record) => `${formatRecord(record)}\n`).join(''),
      );
      this.#lines += begun.length + batch.length;
      for (const record of batch) {
        this.#records.set(record.job.job_id, record);
        this.#begun.delete(record.job.job_id);
      }
    } catch (error) {
      this.#torn = true;
      this.#release();
      this.#pending = [...batch, ...this.#pending];
      this.#pendingBegun = [...begun, ...this.#pendingBegun];
      this.#onOutcome(error);
      for (const waiter of waiters) waiter.reject(storeError('store_unavailable', { cause: error }));
      this.#retry();
      return;
    }
    this.#onOutcome(null);
    for (const waiter of waiters) waiter.resolve();
  }

  async #write(text: string): Promise<void> {
    this.#handle ??= this.#files.openSync(this.#file, 'a', 0o600);
    if (this.#torn) {
      this.#files.ftruncateSync(this.#handle, this.#size);
      this.#torn = false;
    }
    const bytes = Buffer.from(text);
    writeAll(this.#files, this.#handle, bytes);
    await this.#files.fsync(this.#handle);
    if (this.#size === 0) await syncFolder(this.#files, path.dirname(this.#file));
    this.#size += bytes.length;
  }

  async #rewrite(): Promise<void> {
    this.#release();
    const begun = [...this.#begun].map(begunLine);
    const records = [...this.#records.values()].map((record) => `${formatRecord(record)}\n`);
    const bytes = Buffer.from(begun.join('') + records.join(''));
    await writeDurably(this.#files, this.#file, bytes);
    this.#size = bytes.length;
    this.#torn = false;
    this.#lines = begun.length + records.length;
  }

  #retry(): void {
    if (this.#cancel) return;
    this.#cancel = this.#clock.after(RETRY_MS, () => {
      this.#cancel = null;
      this.#schedule();
    });
  }

  #stop(): void {
    this.#cancel?.();
    this.#cancel = null;
  }

  #release(): void {
    if (this.#handle !== null) this.#files.closeSync(this.#handle);
    this.#handle = null;
  }
}

function parseLine(line: string): StoredJob | { begun: string } | null {
  try {
    const value: unknown = JSON.parse(line);
    if (isStoredJob(value)) return value;
    if (typeof value !== 'object' || value === null || !('begun' in value)) return null;
    return typeof value.begun === 'string' ? { begun: value.begun } : null;
  } catch {
    return null;
  }
}
