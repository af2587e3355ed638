import type { Clock } from '../clock.ts';
import type { Stage } from '../contract/jobs/jobs.ts';
import type { EventHub } from '../events/events.ts';
import type { Logger } from '../log.ts';
import { type FileSystem, type LogFile, writeAll } from '../store/index.ts';
import { plural, withoutControls } from '../text.ts';
import type { DuplicateLines } from './duplicate-lines.ts';

/** Text is collected for so long before it goes to the file and to followers… */
const BATCH_MS = 40;
/** …or until it has so many bytes. */
const BATCH_BYTES = 32 << 10;
/** Maximum characters of a line: no tool writes longer ones for people. */
const LINE_CHARACTERS = 4096;
/** Bytes reserved for the last lines of a job, so that the reason of a failure always fits. */
const LAST_WORDS = 16 << 10;
/** Bytes reserved for markers of omitted lines. */
const MARKERS = 512;
/** Milliseconds between attempts while the disk can't be written. */
const RETRY_MS = 1000;
/** Maximum waiting bytes meanwhile; further lines are counted and omitted. */
const WAITING_BYTES = 256 << 10;
/** Up to this size a log can be stored in the job's record, see `text`. */
const SHORT_BYTES = 1024;

export interface JobLogOptions {
  fpgaId: number;
  jobId: string;
  files: FileSystem;
  place: LogFile;
  /** Maximum bytes of the file, with its marker line and the last lines of the job. */
  limit: number;
  /** Present size of the file, from an earlier start of the service. */
  size: number;
  clock: Clock;
  events: EventHub;
  logger: Logger;
  /** Called after every attempt to write, null for success. */
  onOutcome: (error: unknown) => void;
  /** Called with the number of bytes written to the file. */
  onWritten: (bytes: number) => void;
}

/**
 * Writes the log of one job: `[   1.234 synthesis] text`, seconds since a worker took it. Lines go to the file in
 * batches, then to the event stream. With every new stage and at the end the file is made durable. While the file can't
 * be written, lines wait, and a later line reports that. A log may lose lines, but never fails the job.
 */
export class JobLog {
  readonly file: string;
  readonly #options: JobLogOptions;
  /** Monotonic time from which lines count their seconds. */
  #origin: number;
  #stage: Stage | null = null;
  /** The text of the newest line. */
  #newest = '';
  #batch: string[] = [];
  #batchBytes = 0;
  /** Batches to write, in order. */
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  /** Lines omitted because the disk could not be written. */
  #missing = 0;
  /** Monotonic time since when writes fail. */
  #failingSince: number | null = null;
  /** The whole log while it is short; then null. */
  #text: string | null;
  /** Bytes taken so far, written or not. */
  #taken: number;
  #written: number;
  /** Bytes that are safe from a power cut. */
  #durable: number;
  #dropped = 0;
  /** Cancels the write of the batch. */
  #timer: (() => void) | null = null;
  /** Cancels the next attempt. */
  #retry: (() => void) | null = null;
  #work: Promise<void> = Promise.resolve();
  #handle: number | null = null;
  /** The file continues after the written bytes with the rest of an unfinished write. */
  #torn = false;
  #known: DuplicateLines | null = null;
  /** Takes no more lines. */
  #sealed = false;
  #closed = false;
  #unwritten: string | null = null;
  #closing: Promise<void> | null = null;
  #changed: (() => void)[] = [];

  constructor(options: JobLogOptions) {
    this.#options = options;
    this.file = options.place.file;
    this.#origin = options.clock.monotonic();
    this.#taken = options.size;
    this.#written = options.size;
    this.#durable = options.size;
    this.#text = options.size === 0 ? '' : null;
  }

  get place(): LogFile {
    return this.#options.place;
  }

  /** Readable bytes: in the file, or in the job's record. */
  get size(): number {
    return this.#written;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Some text is not in the file yet: the write is retried. */
  get pending(): boolean {
    return this.#failingSince !== null;
  }

  /** The whole log where it is short, for the job's record; null where only the file has it. */
  get text(): string | null {
    return this.#text;
  }

  /** The whole log where it was closed before any of it was written. */
  get unwritten(): string | null {
    return this.#unwritten;
  }

  /** Lines count their seconds from this moment, or from so many milliseconds ago. */
  start(elapsed = 0): void {
    this.#origin = this.#options.clock.monotonic() - elapsed;
  }

  /** Drops lines that an earlier start has written. */
  skip(known: DuplicateLines): void {
    this.#known = known;
  }

  line(stage: Stage, text: string): void {
    const { limit } = this.#options;
    this.#append(stage, text, limit - MARKERS - Math.min(LAST_WORDS, limit / 4));
  }

  /** Writes the reason of a failure, even when the log is full. A repeat of the newest line is dropped. */
  lastLine(stage: Stage, text: string): void {
    if (stage === this.#stage && text === this.#newest) return;
    this.#append(stage, text, this.#options.limit - MARKERS);
  }

  /** Resolves when every line so far is in the file, or the write failed. */
  flush(): Promise<void> {
    this.#timer?.();
    this.#timer = null;
    if (this.#batch.length > 0) {
      const bytes = Buffer.from(this.#batch.join(''));
      if (this.#failingSince !== null && this.#waitingBytes + bytes.length > WAITING_BYTES) {
        this.#missing += this.#batch.length;
        this.#taken -= bytes.length;
      } else {
        this.#waiting.push(bytes);
        this.#waitingBytes += bytes.length;
      }
      this.#batch = [];
      this.#batchBytes = 0;
      this.#work = this.#work.then(() => this.#drain());
    }
    return this.#work;
  }

  /** The same, but durable. Resolves also when that fails. */
  sync(): Promise<void> {
    void this.flush();
    this.#work = this.#work.then(async () => {
      await this.#sync();
    });
    return this.#work;
  }

  /**
   * Writes the rest and closes the file; later lines are dropped. Failed writes are retried until they succeed.
   * `durable` is false for a log in the job's record: if nothing of it is in the file yet, LogCopies writes it, see
   * `unwritten`.
   */
  close(durable = true): Promise<void> {
    this.#closing ??= this.#close(durable);
    return this.#closing;
  }

  /** Gives up unwritten text: the job was removed, or the service has stopped. */
  abandon(): void {
    this.#retry?.();
    this.#retry = null;
    this.#waiting = [];
    this.#missing = 0;
    if (this.#failingSince !== null) this.#options.onOutcome(null);
    this.#failingSince = null;
    this.#release();
  }

  async #close(durable: boolean): Promise<void> {
    if (this.#dropped > 0)
      this.#push(
        `… ${plural(this.#dropped, 'line was', 'lines were')} left out: the log had reached its limit.\n`,
      );
    this.#sealed = true;
    if (durable || !this.#reportUnwritten()) await (durable ? this.sync() : this.flush());
    if (!this.pending) this.#release();
    this.#closed = true;
    this.#announce();
  }

  /** Resolves when there is more in the file, or the log is closed. */
  changed(): Promise<void> {
    return new Promise((resolve) => this.#changed.push(resolve));
  }

  #append(stage: Stage, text: string, limit: number): void {
    if (this.#sealed) return;
    const prefix = this.#prefix(stage);
    for (const raw of text.split(/\r\n|\n|\r/)) {
      const clean = withoutControls(raw);
      const words = clean.length > LINE_CHARACTERS ? `${clean.slice(0, LINE_CHARACTERS)}…` : clean;
      if (this.#known?.has(stage, words)) continue;
      const line = `${prefix}${words}\n`;
      const bytes = Buffer.byteLength(line);
      if (this.#taken + bytes > limit) {
        if (this.#dropped === 0)
          this.#push(`${prefix}… the log has reached its limit: lines are left out from here.\n`);
        this.#dropped++;
      } else {
        this.#push(line, bytes);
        this.#newest = words;
      }
    }
    // The output of a stage is on disk soon after the next stage begins.
    if (this.#stage !== null && stage !== this.#stage) void this.sync();
    this.#stage = stage;
  }

  #prefix(stage: Stage): string {
    const seconds = Math.max(0, this.#options.clock.monotonic() - this.#origin) / 1000;
    return `[${seconds.toFixed(3).padStart(8)} ${stage}] `;
  }

  #push(line: string, bytes = Buffer.byteLength(line)): void {
    this.#batch.push(line);
    this.#batchBytes += bytes;
    this.#taken += bytes;
    if (this.#text !== null) this.#text = this.#taken > SHORT_BYTES ? null : this.#text + line;
    if (this.#batchBytes >= BATCH_BYTES) void this.flush();
    else if (!this.#timer) {
      this.#timer = this.#options.clock.after(BATCH_MS, () => void this.flush());
    }
  }

  /** Writes waiting batches in order; failed ones wait on. */
  async #drain(): Promise<void> {
    for (let bytes = this.#waiting[0]; bytes; bytes = this.#waiting[0]) {
      if (!(await this.#write(bytes))) return;
      this.#waiting.shift();
      this.#waitingBytes -= bytes.length;
    }
    if (this.#failingSince === null || !(await this.#sync())) return;
    const seconds = ((this.#options.clock.monotonic() - this.#failingSince) / 1000).toFixed(1);
    const what =
      this.#missing === 0
        ? 'nothing is missing'
        : `${plural(this.#missing, 'line is', 'lines are')} missing here`;
    const marker = Buffer.from(
      `${this.#prefix(this.#stage ?? 'queue')}… the log could not be written for ${seconds} s; ${what}.\n`,
    );
    if (!(await this.#write(marker))) return;
    this.#taken += marker.length;
    this.#failingSince = null;
    this.#missing = 0;
    this.#options.onOutcome(null);
    if (this.#sealed && (await this.#sync())) this.#release();
  }

  async #write(bytes: Buffer): Promise<boolean> {
    const { files, place } = this.#options;
    try {
      if (this.#torn) this.#cut();
      if (this.#handle === null) {
        await place.create();
        this.#handle = files.openSync(this.file, 'a', 0o600);
      }
      this.#torn = true;
      writeAll(files, this.#handle, bytes);
      this.#torn = false;
    } catch (error) {
      this.#refused(error);
      return false;
    }
    this.#report(bytes.toString(), bytes.length);
    return true;
  }

  /** Shows everything without a file; false where some of it is in the file already, or on its way. */
  #reportUnwritten(): boolean {
    if (this.#text === null || this.#written > 0 || this.#waiting.length > 0 || this.#missing > 0)
      return false;
    this.#timer?.();
    this.#timer = null;
    const bytes = this.#batchBytes;
    this.#batch = [];
    this.#batchBytes = 0;
    if (bytes === 0) return true;
    this.#unwritten = this.#text;
    this.#report(this.#text, bytes);
    return true;
  }

  /** Reports new readable bytes to followers. */
  #report(text: string, bytes: number): void {
    const { fpgaId, jobId, events, onWritten } = this.#options;
    const offset = this.#written;
    this.#written += bytes;
    onWritten(bytes);
    events.publish({ type: 'log', fpga_id: fpgaId, job_id: jobId, offset, text });
    this.#announce();
  }

  /** Truncates the rest of a failed write. */
  #cut(): void {
    this.#release();
    const { files } = this.#options;
    // Windows can't truncate a file that was opened for appending.
    const handle = files.openSync(this.file, 'r+');
    try {
      files.ftruncateSync(handle, this.#written);
    } finally {
      files.closeSync(handle);
    }
    this.#torn = false;
  }

  /** False when the write failed: it is retried. */
  async #sync(): Promise<boolean> {
    if (this.#handle === null || this.#durable === this.#written) return true;
    const { files, place } = this.#options;
    const [before, size] = [this.#durable, this.#written];
    try {
      await files.fsync(this.#handle);
      if (before === 0) await place.sync();
      this.#durable = size;
      return true;
    } catch (error) {
      this.#refused(error);
      return false;
    }
  }

  #refused(error: unknown): void {
    const { jobId, clock, logger, onOutcome } = this.#options;
    if (this.#failingSince === null) {
      this.#failingSince = clock.monotonic();
      logger.error(
        { job_id: jobId, err: error },
        'The log of a job could not be written; the service tries again.',
      );
    }
    onOutcome(error);
    this.#retry ??= clock.after(RETRY_MS, () => {
      this.#retry = null;
      this.#work = this.#work.then(() => this.#drain());
    });
  }

  #release(): void {
    if (this.#handle !== null) this.#options.files.closeSync(this.#handle);
    this.#handle = null;
  }

  #announce(): void {
    const waiting = this.#changed;
    this.#changed = [];
    for (const resolve of waiting) resolve();
  }
}
