import path from 'node:path';
import type { Clock } from '../clock.ts';
import { formatRecord } from './bench-data.ts';
import type { DamagedFiles } from './damage.ts';
import {
  type FileSystem,
  readOwn,
  storeUnavailable,
  syncFolder,
  systemCode,
  writeAll,
  writeDurably,
} from './filesystem.ts';
import { isStoredJob, type StoredJob } from './records.ts';

const NEWLINE = 0x0a;

/** Milliseconds between attempts while writing fails. */
const RETRY_MS = 1000;

/** Stale records that a short file may have before it is rewritten. */
const SLACK = 64;

/** A line for the begin of a job: a crash must not repeat the job. */
const begunLine = (jobId: string) => `{"begun":"${jobId}"}\n`;
/** A line for a job that was accepted and begins at once. */
const acceptedLine = (record: StoredJob) => `{"accepted":${formatRecord(record)}}\n`;

/**
 * The ended jobs of one node, and the begun ones: an append-only file with one JSON record a line. Begin and end of a
 * job cost one small write each, whatever the length. The file is rewritten when most of it is stale.
 */
export class JobHistory {
  readonly #clock: Clock;
  readonly #files: FileSystem;
  readonly #file: string;
  readonly #onOutcome: (error: unknown) => void;
  readonly #beforeRewrite: () => Promise<void>;
  /** The wanted records in the file, by job id. */
  readonly #records = new Map<string, StoredJob>();
  /** Jobs that have begun and not ended. */
  readonly #begun = new Set<string>();
  /** Jobs that were accepted here, have begun and not ended. */
  readonly #accepted = new Map<string, StoredJob>();
  #pending: StoredJob[] = [];
  #pendingAccepted: StoredJob[] = [];
  #pendingBegun: string[] = [];
  #waiters: { resolve: () => void; reject: (error: Error) => void }[] = [];
  #work: Promise<void> = Promise.resolve();
  #scheduled = false;
  /** Cancels the next attempt. */
  #cancel: (() => void) | null = null;
  #handle: number | null = null;
  /** Length of the whole records in the file, bytes. */
  #size = 0;
  /** An unfinished write follows them. */
  #torn = false;
  /** The file may contain a line that failed and was taken back. */
  #refused = false;
  #lines = 0;
  #compacting = false;

  constructor(options: {
    clock: Clock;
    files: FileSystem;
    file: string;
    onOutcome: (error: unknown) => void;
    /** Makes durable what must precede the removal of stale records. */
    beforeRewrite?: () => Promise<void>;
  }) {
    this.#clock = options.clock;
    this.#files = options.files;
    this.#file = options.file;
    this.#onOutcome = options.onOutcome;
    this.#beforeRewrite = options.beforeRewrite ?? (async () => {});
  }

  /** Reads the file, oldest record first. A file with invalid lines is set aside. */
  async load(damaged: DamagedFiles): Promise<StoredJob[]> {
    const bytes = await readOwn(this.#files, this.#file);
    if (bytes === null) return [];
    this.#size = bytes.lastIndexOf(NEWLINE) + 1;
    // Not damage: the process ended during the write, before any caller got the answer.
    this.#torn = this.#size < bytes.length;
    let bad = 0;
    for (const line of bytes.toString('utf8', 0, this.#size).split('\n')) {
      if (line === '') continue;
      this.#lines++;
      const record = parseLine(line);
      if (record === null) bad++;
      else if ('begun' in record) this.#begun.add(record.begun);
      else if ('accepted' in record) this.#accepted.set(record.accepted.job.job_id, record.accepted);
      else this.#records.set(record.job.job_id, record);
    }
    for (const jobId of this.#records.keys()) this.#forget(jobId);
    if (bad > 0) {
      const how = bad === 1 ? 'one record that cannot be read' : `${bad} records that cannot be read`;
      await damaged.setAside(this.#file, `has ${how}; the other ${this.#records.size} are intact`);
      await this.#rewrite();
    }
    return [...this.#records.values()];
  }

  /** Whether this job has begun: it counts as running, whatever bench.json has. */
  hasBegun(jobId: string): boolean {
    return this.#begun.has(jobId);
  }

  /** Jobs that were accepted here, have begun and not ended, in order. */
  get accepted(): StoredJob[] {
    return [...this.#accepted.values()];
  }

  /**
   * Stores a job that begins at once; resolves when it is on disk.
   * @throws store_unavailable; the job is then taken back.
   */
  accept(record: StoredJob): Promise<void> {
    this.#pendingAccepted.push(record);
    return this.#soon();
  }

  /** Stores that a job begins; resolves when that is on disk. @throws store_unavailable. */
  begin(jobId: string): Promise<void> {
    this.#begun.add(jobId);
    this.#pendingBegun.push(jobId);
    return this.#soon();
  }

  /**
   * Resolves when the record is on disk.
   * @throws store_unavailable; the write is then retried until it succeeds.
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

  /** Marks a record as stale; the file is rewritten when most of its records are. */
  remove(jobId: string): void {
    this.#records.delete(jobId);
    this.#forget(jobId);
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

  /** Writes pending lines once and closes the file. */
  async close(): Promise<void> {
    this.#stop();
    await this.#work;
    if (this.#pending.length + this.#pendingBegun.length > 0 || this.#refused) await this.#drain();
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
    const accepted = this.#pendingAccepted;
    const waiters = this.#waiters;
    this.#pending = [];
    this.#pendingBegun = [];
    this.#pendingAccepted = [];
    this.#waiters = [];
    if (batch.length + begun.length + accepted.length === 0 && !this.#refused) return;
    try {
      await this.#write(
        accepted.map(acceptedLine).join('') +
          begun.map(begunLine).join('') +
          batch.map((record) => `${formatRecord(record)}\n`).join(''),
      );
      this.#refused = false;
      this.#lines += begun.length + accepted.length + batch.length;
      for (const record of accepted) this.#accepted.set(record.job.job_id, record);
      for (const record of batch) {
        this.#records.set(record.job.job_id, record);
        this.#forget(record.job.job_id);
      }
    } catch (error) {
      this.#torn = true;
      this.#refused ||= accepted.length > 0;
      this.#release();
      this.#pending = [...batch, ...this.#pending];
      this.#pendingBegun = [...begun, ...this.#pendingBegun];
      this.#onOutcome(error);
      for (const waiter of waiters) waiter.reject(storeUnavailable(error));
      this.#retry();
      return;
    }
    this.#onOutcome(null);
    for (const waiter of waiters) waiter.resolve();
  }

  async #write(text: string): Promise<void> {
    if (this.#torn) this.#cut();
    this.#handle ??= this.#files.openSync(this.#file, 'a', 0o600);
    const bytes = Buffer.from(text);
    writeAll(this.#files, this.#handle, bytes);
    await this.#files.fsync(this.#handle);
    if (this.#size === 0) await syncFolder(this.#files, path.dirname(this.#file));
    this.#size += bytes.length;
  }

  /** Truncates the file after the whole records. */
  #cut(): void {
    this.#release();
    // Windows can't truncate a file that was opened for appending.
    let handle: number;
    try {
      handle = this.#files.openSync(this.#file, 'r+');
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw error;
      // The file was never created, or was deleted.
      this.#size = 0;
      this.#torn = false;
      return;
    }
    try {
      this.#files.ftruncateSync(handle, this.#size);
    } finally {
      this.#files.closeSync(handle);
    }
    this.#torn = false;
  }

  async #rewrite(): Promise<void> {
    this.#release();
    // Folders of removed jobs must not come back with a power cut.
    await this.#beforeRewrite();
    const begun = [...[...this.#accepted.values()].map(acceptedLine), ...[...this.#begun].map(begunLine)];
    const records = [...this.#records.values()].map((record) => `${formatRecord(record)}\n`);
    const bytes = Buffer.from(begun.join('') + records.join(''));
    await writeDurably(this.#files, this.#file, bytes);
    this.#size = bytes.length;
    this.#torn = false;
    this.#refused = false;
    this.#lines = begun.length + records.length;
  }

  /** The job has ended or was removed: drop its begin line too. */
  #forget(jobId: string): void {
    this.#begun.delete(jobId);
    this.#accepted.delete(jobId);
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

function parseLine(line: string): StoredJob | { begun: string } | { accepted: StoredJob } | null {
  try {
    const value: unknown = JSON.parse(line);
    if (isStoredJob(value)) return value;
    if (typeof value !== 'object' || value === null) return null;
    if ('accepted' in value) return isStoredJob(value.accepted) ? { accepted: value.accepted } : null;
    return 'begun' in value && typeof value.begun === 'string' ? { begun: value.begun } : null;
  } catch {
    return null;
  }
}
