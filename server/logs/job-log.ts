import type { Clock } from '../clock.ts';
import type { Stage } from '../contract/jobs/jobs.ts';
import type { EventHub } from '../events/events.ts';
import type { Logger } from '../log.ts';
import { type FileSystem, type LogFile, writeAll } from '../store/index.ts';
import { plural, withoutControls } from '../text.ts';
import type { DuplicateLines } from './duplicate-lines.ts';

/** Text is gathered for so long before it goes to the file and to those who follow. */
const BATCH_MS = 40;
/** …or until it is so long. */
const BATCH_BYTES = 32 << 10;
/** A line is cut here: no tool writes longer ones for people. */
const LINE_CHARACTERS = 4096;
/** Room kept for the last lines of a job, so that the reason of a failure is always there. */
const LAST_WORDS = 16 << 10;
/** Room for the lines that say that lines were left out. */
const MARKERS = 512;
/** Milliseconds between attempts while the disk takes nothing. */
const RETRY_MS = 1000;
/** What waits for the disk meanwhile; lines beyond it are counted and left out. */
const WAITING_BYTES = 256 << 10;
/** A log up to here can be kept beside the job, see `text`. */
const SHORT_BYTES = 1024;

export interface JobLogOptions {
  fpgaId: number;
  jobId: string;
  files: FileSystem;
  place: LogFile;
  /** Bytes of the file at most, with its marker line and the last words of the job. */
  limit: number;
  /** Bytes that the file has already, of an earlier start of the service. */
  size: number;
  clock: Clock;
  events: EventHub;
  logger: Logger;
  /** Told of every attempt to write, null for success. */
  onOutcome: (error: unknown) => void;
  /** Told of the bytes that have come into the file. */
  onWritten: (bytes: number) => void;
}

/**
 * Writes the log of one job: `[   1.234 synthesis] text`, seconds since a worker took it. Lines go to the file
 * in batches and, when they are in it, to the event stream; with every new stage and at the end the file is made
 * durable. While it cannot be written lines wait, and a line of its own says so afterwards: a log costs lines,
 * never the job.
 */
export class JobLog {
  readonly file: string;
  readonly #options: JobLogOptions;
  /** The moment that lines count their seconds from, by the clock that never jumps. */
  #origin: number;
  #stage: Stage | null = null;
  /** The words of the newest line that was taken. */
  #newest = '';
  #batch: string[] = [];
  #batchBytes = 0;
  /** Batches that are to be written, in order. */
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  /** Lines that were left out because the disk took none. */
  #missing = 0;
  /** Since when the disk takes nothing, by the clock that never jumps. */
  #failingSince: number | null = null;
  /** Everything so far while that is short; null from then on. */
  #text: string | null;
  /** Bytes taken so far, written or not. */
  #taken: number;
  #written: number;
  /** Bytes that a power cut does not take away. */
  #durable: number;
  #dropped = 0;
  /** Takes the writing of the batch back. */
  #timer: (() => void) | null = null;
  /** Takes the next attempt back. */
  #retry: (() => void) | null = null;
  #work: Promise<void> = Promise.resolve();
  #handle: number | null = null;
  /** What follows the bytes that were written is the rest of a write that did not end. */
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

  /** Bytes that can be read: in the file, or beside the job. */
  get size(): number {
    return this.#written;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Something has not come into the file yet: it is tried again. */
  get pending(): boolean {
    return this.#failingSince !== null;
  }

  /** The whole log where it is short, to be kept beside the job; null where only the file has it. */
  get text(): string | null {
    return this.#text;
  }

  /** The whole log where it was closed before any of it came into its file. */
  get unwritten(): string | null {
    return this.#unwritten;
  }

  /** Lines count their seconds from now on, or from so many milliseconds ago. */
  start(elapsed = 0): void {
    this.#origin = this.#options.clock.monotonic() - elapsed;
  }

  /** Lines that an earlier start has written are not written again. */
  skip(known: DuplicateLines): void {
    this.#known = known;
  }

  line(stage: Stage, text: string): void {
    const { limit } = this.#options;
    this.#append(stage, text, limit - MARKERS - Math.min(LAST_WORDS, limit / 4));
  }

  /** A line that is kept even when the log is full: why the job failed. The tool may just have said it in these words. */
  lastLine(stage: Stage, text: string): void {
    if (stage === this.#stage && text === this.#newest) return;
    this.#append(stage, text, this.#options.limit - MARKERS);
  }

  /** Resolves when every line so far is in the file, or the disk has refused it. */
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

  /** The same, and a power cut does not take it away. Resolves also when that cannot be had. */
  sync(): Promise<void> {
    void this.flush();
    this.#work = this.#work.then(async () => {
      await this.#sync();
    });
    return this.#work;
  }

  /**
   * Writes the rest and lets go of the file; lines that come later are not taken. What the disk refuses is tried
   * again until it takes it. `durable` is false for a log that is kept beside its job: where nothing of it has come
   * into the file by then, that is left to others, see `unwritten`.
   */
  close(durable = true): Promise<void> {
    this.#closing ??= this.#close(durable);
    return this.#closing;
  }

  /** Gives up what could not be written: the job is not kept any more, or the service has ended. */
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
    if (durable || !this.#tell()) await (durable ? this.sync() : this.flush());
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
    // What a stage has said is on disk before the next one is far.
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

  /** Writes what waits, in order; what the disk refuses waits on. */
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
    this.#told(bytes.toString(), bytes.length);
    return true;
  }

  /** Shows everything without a file; false where some of it is in one already, or is on its way. */
  #tell(): boolean {
    if (this.#text === null || this.#written > 0 || this.#waiting.length > 0 || this.#missing > 0)
      return false;
    this.#timer?.();
    this.#timer = null;
    const bytes = this.#batchBytes;
    this.#batch = [];
    this.#batchBytes = 0;
    if (bytes === 0) return true;
    this.#unwritten = this.#text;
    this.#told(this.#text, bytes);
    return true;
  }

  /** So much more can be read: those who follow are told. */
  #told(text: string, bytes: number): void {
    const { fpgaId, jobId, events, onWritten } = this.#options;
    const offset = this.#written;
    this.#written += bytes;
    onWritten(bytes);
    events.publish({ type: 'log', fpga_id: fpgaId, job_id: jobId, offset, text });
    this.#announce();
  }

  /** Cuts off what a write that failed has left. */
  #cut(): void {
    this.#release();
    const { files } = this.#options;
    // Windows does not let a file be cut that was opened for appending.
    const handle = files.openSync(this.file, 'r+');
    try {
      files.ftruncateSync(handle, this.#written);
    } finally {
      files.closeSync(handle);
    }
    this.#torn = false;
  }

  /** False when the disk refused it: it is tried again. */
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
        'The log of a job could not be written; it is tried again.',
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
